import type { AnswerText } from '../../../machines/model-call.ts';
import type { Client } from './client.ts';
import type { EventPart, ModelFormat, StreamEvent, Told } from './formats/format.ts';

/** What is done to an answer while it streams. */
export interface StreamEdits {
  /** Puts back what was taken out of the request; the same text if nothing was. */
  readonly reveal: (json: string) => string;
  /** Why a tool may not be called; undefined if it may. */
  readonly refusal: (name: string) => string | undefined;
  /** Takes the text on its way to hooks; absent if no hook gets it. */
  readonly text?: AnswerText | undefined;
}

/**
 * A streamed answer of which parts are changed on their way to the agent: text as hooks let it through, and the
 * arguments of calls, which wait until they are whole. Everything else is passed on at once, in its order.
 */
export class LiveStream {
  readonly #client: Client;
  readonly #format: ModelFormat;
  readonly #edits: StreamEdits;
  /** What the agent was sent. */
  readonly #sent;
  readonly #told = {
    texts: new Map<string, string>(),
    args: new Map<string, string>(),
    refused: new Map<string, string>(),
    hasCalls: false,
  };
  /** The texts as the model gave them, by block. */
  readonly #given = new Map<string, string>();
  #call: { readonly block: string; readonly events: StreamEvent[] } | undefined;
  /** The text that is on its way to hooks: its newest event, unless an event tells it whole. */
  #passing: { readonly block: string; event: StreamEvent | undefined } | undefined;
  readonly #ends: StreamEvent[] = [];
  #writing: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(client: Client, format: ModelFormat, edits: StreamEdits) {
    this.#client = client;
    this.#format = format;
    this.#edits = edits;
    this.#sent = format.stream.join();
  }

  /** Takes an event of the provider. */
  async add(event: StreamEvent): Promise<void> {
    const { stream } = this.#format;
    for (const one of stream.split?.(event) ?? [event])
      if (!this.#isOver) await this.#add(one, stream.part(one));
    await this.#writing;
  }

  /** Takes text that hooks let through. */
  show(text: string): void {
    const passing = this.#passing;
    if (passing === undefined || text === '') return;
    const { block, event } = passing;
    this.#told.texts.set(block, (this.#told.texts.get(block) ?? '') + text);
    if (event) this.#emit(this.#format.stream.withText(event, text));
  }

  /** Ends a stream that hooks left as it is; `reason` is told if they ended it. */
  async finish(ended?: { readonly reason: string }): Promise<void> {
    if (ended) {
      this.#isOver = true;
      await this.#tellReason(ended.reason);
      for (const event of this.#format.stream.close(this.#sent)) this.#emit(event);
    } else {
      this.#endCall();
      for (const event of this.#ends) this.#emit(this.#settled(event));
    }
    this.#isOver = true;
    await this.#writing;
    this.#client.end();
  }

  async #add(event: StreamEvent, part: EventPart): Promise<void> {
    if (part.of === 'aside') return this.#emit(event);
    if (part.of === 'call' && this.#call?.block === part.block) {
      this.#call.events.push(event);
      return undefined;
    }
    this.#endCall();
    if (part.of === 'text') return this.#pass(event, part.block, part.text);
    await this.#tellWhole(event);
    await this.#endText();
    if (this.#ends.length > 0 || part.of === 'end') this.#ends.push(event);
    else if (part.of === 'call') this.#call = { block: part.block, events: [event] };
    else this.#emit(this.#settled(event));
    return undefined;
  }

  /** Gives a piece of text to hooks. */
  async #pass(event: StreamEvent, block: string, text: string): Promise<void> {
    const { text: hooks } = this.#edits;
    if (hooks === undefined) return this.#emit(event);
    if (this.#passing?.block !== block) {
      await this.#endText();
      this.#passing = { block, event };
      this.#told.texts.set(block, '');
    }
    this.#given.set(block, (this.#given.get(block) ?? '') + text);
    // Where a block begins, there is no text yet.
    if (text === '') return this.#emit(event);
    this.#passing.event = event;
    hooks.add(text);
    return undefined;
  }

  /** Gives texts to hooks that an event tells whole, if no pieces of them came before. */
  async #tellWhole(event: StreamEvent): Promise<void> {
    const { text: hooks } = this.#edits;
    if (hooks === undefined) return;
    for (const [block, text] of this.#format.stream.wholeTexts?.(event) ?? []) {
      if (this.#given.has(block) || text === '') continue;
      await this.#endText();
      this.#passing = { block, event: undefined };
      this.#given.set(block, text);
      this.#told.texts.set(block, '');
      hooks.add(text);
    }
  }

  async #endText(): Promise<void> {
    if (this.#passing === undefined) return;
    await this.#edits.text?.end();
    const { block, event } = this.#passing;
    // A model's message must say something.
    if (this.#told.texts.get(block) === '' && this.#given.get(block) !== '' && event)
      this.show('(removed by a hook)');
    this.#passing = undefined;
  }

  #endCall(): void {
    const held = this.#call;
    if (held === undefined) return;
    this.#call = undefined;
    const { stream } = this.#format;
    const { id, name, args } = stream.call(held.events);
    const why = this.#edits.refusal(name);
    if (why !== undefined) {
      this.#told.refused.set(id, why);
      for (const event of stream.inPlace(held.events, why)) this.#emit(event);
      return;
    }
    this.#told.hasCalls = true;
    const now = this.#edits.reveal(args);
    if (now !== args) this.#told.args.set(id, now);
    for (const event of now === args ? held.events : stream.withArgs(held.events, now))
      this.#emit(event);
  }

  async #tellReason(reason: string): Promise<void> {
    const passing = this.#passing;
    if (reason === '' || passing?.event === undefined) return;
    const told = this.#told.texts.get(passing.block) ?? '';
    this.show(told === '' ? reason : `\n\n${reason}`);
    await this.#writing;
  }

  #settled(event: StreamEvent): StreamEvent {
    return this.#format.stream.settled(event, this.#told satisfies Told);
  }

  #emit(event: StreamEvent): void {
    this.#sent.add(event);
    this.#writing = this.#writing.then(() => this.#client.event(event));
  }
}
