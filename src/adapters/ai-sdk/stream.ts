import type { AnswerText } from '../../../machines/model-call.ts';
import type {
  NeutralPart,
  NeutralRequest,
  NeutralResponse,
} from '../../core/calls/run-model-call.ts';
import type { AgentHooks } from '../parts/agent-hooks.ts';
import { finishReason, finishReasonOf, fromPart, toPart, usageFor, usageOf } from './answer.ts';
import type { Content, StreamPart } from './types.ts';

/** A piece of a streamed answer, with the stream parts that it arrived in. */
interface Streamed extends Content {
  readonly stream: readonly StreamPart[];
}

interface Block {
  readonly parts: StreamPart[];
  content: Content;
  /** A text as hooks let it through, if they get it as it arrives. */
  readonly shown: StreamPart[];
}

interface LiveAnswerOptions {
  readonly emit: (part: StreamPart) => void;
  readonly isFirst: boolean;
  /** Takes the text on its way to hooks; `show` gets what they let through. */
  readonly text: AnswerText;
}

/**
 * One answer as it streams in. What hooks may still change is held back, and with it everything after it, so
 * that the order is kept; text is emitted as streaming hooks let it through, everything else at once.
 */
export class LiveAnswer {
  readonly #hooks: AgentHooks;
  readonly #request: NeutralRequest;
  readonly #emit: (part: StreamPart) => void;
  readonly #isFirst: boolean;
  readonly #text: AnswerText;
  readonly #holdsText: boolean;
  readonly #streamsText: boolean;
  readonly #holdsRaw: boolean;
  readonly #blocks: Block[] = [];
  /** Blocks that are being written, by kind and id. */
  readonly #open = new Map<string, Block>();
  readonly #emitted = new Set<StreamPart>();
  /** The text that is on its way to hooks. */
  #passing: Block | undefined;
  #isHolding = false;
  #finish: StreamPart | undefined;
  #error: { readonly error: unknown } | undefined;

  constructor(
    hooks: AgentHooks,
    request: NeutralRequest,
    { emit, isFirst, text }: LiveAnswerOptions,
  ) {
    this.#isFirst = isFirst;
    this.#hooks = hooks;
    this.#request = request;
    this.#emit = emit;
    this.#text = text;
    this.#holdsText = hooks.holdsAnswers();
    this.#streamsText = this.#holdsText && hooks.streamsText();
    this.#holdsRaw = this.#holdsText || (request.tools ?? []).some((name) => hooks.holdsCall(name));
  }

  /** Whether the provider reported an error in the stream. */
  get hasFailed(): boolean {
    return this.#error !== undefined;
  }

  /** Ends an answer that failed: nothing that was held back is emitted. */
  end(): void {
    this.#endOpen();
    if (this.#finish) this.#emit(this.#finish);
  }

  /** Takes a part of the stream. If it returns a promise, the next part must wait for that. */
  add(part: StreamPart): Promise<void> | undefined {
    switch (part.type) {
      case 'finish':
        this.#finish = part;
        return undefined;
      case 'error':
        this.#error = { error: part.error };
        this.#emit(part);
        return undefined;
      case 'stream-start':
        if (this.#isFirst) this.#emit(part);
        return undefined;
      case 'response-metadata':
        this.#emit(part);
        return undefined;
      default:
    }
    this.#isHolding ||= this.#mayChange(part);
    const block = this.#keep(part);
    if (block.content.type === 'text' && this.#holdsText) return this.#pass(part, block);
    if (!this.#isHolding && !(part.type === 'raw' && this.#holdsRaw)) this.#letOut(part);
    return undefined;
  }

  /** Takes text that hooks let through. */
  show(delta: string): void {
    const block = this.#passing;
    if (block === undefined || !this.#streamsText || this.#error) return;
    if (block.shown.length === 0) this.#put(block, block.parts[0]!);
    // A provider may attach metadata about a text to any of its pieces.
    const newest = block.parts.findLast(({ type }) => type === 'text-delta');
    this.#put(block, { ...newest, type: 'text-delta', delta });
  }

  /** Gives the text of the model to hooks, one block at a time. */
  async #pass(part: StreamPart, block: Block): Promise<void> {
    if (this.#passing && this.#passing !== block) await this.#text.end();
    this.#passing = block;
    if (part.type === 'text-delta') this.#text.add(part.delta ?? '');
    if (part.type !== 'text-end') return;
    await this.#text.end();
    this.#passing = undefined;
    if (!this.#streamsText) return;
    // A text that hooks removed entirely is not emitted at all.
    if (block.shown.length === 0 && block.content.text !== '') return;
    if (block.shown.length === 0) this.#put(block, block.parts[0]!);
    this.#put(block, part);
  }

  #put(block: Block, part: StreamPart): void {
    block.shown.push(part);
    if (!this.#isHolding) this.#letOut(part);
  }

  #letOut(part: StreamPart): void {
    if (this.#emitted.has(part)) return;
    this.#emitted.add(part);
    this.#emit(part);
  }

  /** The whole answer, once the stream has ended. */
  response(): NeutralResponse {
    if (this.#error) throw this.#error.error;
    const usage = usageOf(this.#finish?.usage);
    return {
      parts: this.#blocks.map(({ content, parts }) => {
        const streamed: Streamed = { ...content, stream: parts };
        return toPart(streamed, this.#request, this.#hooks);
      }),
      finishReason: finishReasonOf(this.#finish?.finishReason),
      ...(usage && { usage }),
    };
  }

  /** Emits what was held back, as hooks left it; `judged` is the answer before texts were added to it. */
  release(response: NeutralResponse, specification: string, judged = response): void {
    const isSame = this.#isAsGiven(response);
    if (this.#blocks.some(({ shown }) => shown.length > 0))
      this.#releaseAround(response, judged, isSame);
    else for (const part of response.parts) this.#release(part, isSame);
    this.#endOpen();
    const hasCalls = response.parts.some(({ call }) => call !== undefined);
    const hadCalls = this.#blocks.some(({ content }) => content.type === 'tool-call');
    this.#emit({
      ...(this.#finish ?? { type: 'finish', usage: usageFor(specification, response) }),
      finishReason: finishReason(
        response,
        this.#finish?.finishReason,
        hasCalls || !hadCalls,
        specification,
      ),
    });
  }

  #isAsGiven({ parts }: NeutralResponse): boolean {
    return (
      parts.length === this.#blocks.length &&
      parts.every(
        (part, index) =>
          (part.original as Streamed | undefined)?.stream === this.#blocks[index]?.parts &&
          !isRewritten(part),
      )
    );
  }

  /** Releases an answer whose text was shown as it arrived: that text stays, in its place. */
  #releaseAround(response: NeutralResponse, judged: NeutralResponse, isSame: boolean): void {
    for (const { parts, shown } of this.#blocks) {
      if (shown.length > 0) shown.forEach((part) => this.#letOut(part));
      const part = response.parts.find(
        ({ text, original }) =>
          text === undefined && (original as Streamed | undefined)?.stream === parts,
      );
      if (part) this.#release(part, isSame);
    }
    for (const part of response.parts)
      if (part.original === undefined && !judged.parts.includes(part)) this.#release(part, isSame);
  }

  /** Ends the blocks that the stream began and never ended. */
  #endOpen(): void {
    if (!this.#streamsText) return;
    for (const [key, { parts, shown }] of this.#open) {
      const begun = shown[0] ?? parts[0]!;
      if (this.#emitted.has(begun) && !key.startsWith('tool-input '))
        this.#emit({ type: begun.type.replace('start', 'end'), id: begun.id! });
    }
    this.#open.clear();
  }

  #release(part: NeutralPart, isSame: boolean): void {
    const { stream } = (part.original ?? {}) as Partial<Streamed>;
    if (stream === undefined) {
      if (part.text !== undefined && part.text !== '') textBlock(part.text).forEach(this.#emit);
      return;
    }
    // The provider's raw events still contain what hooks changed.
    if (stream[0]?.type === 'raw' && !isSame) return;
    const parts = isRewritten(part) ? rewritten(part, stream) : stream;
    for (const held of parts) this.#letOut(held);
  }

  #mayChange({ type, toolName = '', providerExecuted }: StreamPart): boolean {
    switch (type) {
      case 'text-start':
      case 'text-delta':
        return this.#holdsText && !this.#streamsText;
      case 'raw':
        return this.#holdsRaw && !this.#streamsText;
      case 'tool-input-start':
      case 'tool-call':
        return !providerExecuted && this.#hooks.holdsCall(toolName);
      default:
        return false;
    }
  }

  #keep(part: StreamPart): Block {
    const [kind, step] = splitType(part);
    if (step === undefined) {
      const id = part.type === 'tool-call' ? part.toolCallId : undefined;
      const begun = id === undefined ? undefined : this.#open.get(`tool-input ${id}`);
      if (begun === undefined) return this.#begin({ parts: [part], content: part, shown: [] });
      begun.parts.push(part);
      begun.content = part;
      this.#open.delete(`tool-input ${id}`);
      return begun;
    }
    const key = `${kind} ${part.id}`;
    let block = this.#open.get(key);
    if (block === undefined) {
      block = this.#begin({
        parts: [],
        content: { type: kind, ...(kind === 'tool-input' ? {} : { text: '' }) },
        shown: [],
      });
      this.#open.set(key, block);
    }
    block.parts.push(part);
    const { providerMetadata } = part as { readonly providerMetadata?: unknown };
    block.content = {
      ...block.content,
      ...(block.content.text !== undefined && { text: block.content.text + (part.delta ?? '') }),
      ...(providerMetadata !== undefined && { providerMetadata }),
    };
    // The call itself follows the end of its arguments.
    if (step === 'end' && kind !== 'tool-input') this.#open.delete(key);
    return block;
  }

  #begin(block: Block): Block {
    this.#blocks.push(block);
    return block;
  }
}

const blockParts = /^(text|reasoning|tool-input)-(start|delta|end)$/;

const splitType = ({ type }: StreamPart): readonly [kind: string, step?: string] => {
  const [, kind = type, step] = blockParts.exec(type) ?? [];
  return step === undefined ? [kind] : [kind, step];
};

/** Whether the arguments of a call differ from those in the stream. */
function isRewritten({ call, original }: NeutralPart): boolean {
  if (call === undefined) return false;
  const { input = '' } = original as Streamed;
  return (
    JSON.stringify(call.input) !== JSON.stringify(input.trim() === '' ? {} : JSON.parse(input))
  );
}

/** A call with other arguments, which come in one piece. */
function rewritten(part: NeutralPart, stream: readonly StreamPart[]): StreamPart[] {
  const { stream: _stream, ...call } = fromPart(part) as Streamed;
  const start = stream.find(({ type }) => type === 'tool-input-start');
  const end = stream.find(({ type }) => type === 'tool-input-end');
  const { toolCallId: id = '', input = '' } = call;
  return [
    ...(start ? [start, { type: 'tool-input-delta', id, delta: input }] : []),
    ...(start ? [end ?? { type: 'tool-input-end', id }] : []),
    call,
  ];
}

let blocksMade = 0;

/** A text from hooks. */
function textBlock(delta: string): StreamPart[] {
  blocksMade += 1;
  const id = `hook-${blocksMade}`;
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta },
    { type: 'text-end', id },
  ];
}

/** An answer that no model gave, as a stream. */
export function spoken(response: NeutralResponse, specification: string): StreamPart[] {
  return [
    { type: 'stream-start', warnings: [] } as StreamPart,
    ...response.parts.flatMap(({ text }) => (text ? textBlock(text) : [])),
    {
      type: 'finish',
      usage: usageFor(specification, response),
      finishReason: finishReason(response, undefined, false, specification),
    },
  ];
}
