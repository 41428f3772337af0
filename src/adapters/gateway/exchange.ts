import type { IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { AnswerText } from '../../../machines/model-call.ts';
import { streamingHooks } from '../../core/calls/answer-stream-ports.ts';
import {
  hasHooks,
  isPending,
  isUnready,
  newCallId,
  plannedHooks,
  readyHookSystem,
} from '../../core/calls/event-hooks.ts';
import {
  type EndedNeutralCall,
  type NeutralRequest,
  type NeutralResponse,
  runModelCall,
} from '../../core/calls/run-model-call.ts';
import { refusalOf } from '../../core/calls/tool-choice.ts';
import { defaultHookTranslator } from '../../core/translate/genai-v1.ts';
import { messageOf } from '../../base/message-of.ts';
import { fieldsOf, isRecord } from '../../base/json.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import type { Client } from './client.ts';
import type { Fields, Joiner, ModelFormat, StreamEvent } from './formats/format.ts';
import { countedIn, isSameRequest, isSameResponse, parsed, saidIn } from './formats/shared.ts';
import { forward, type ProviderAnswer } from './forward.ts';
import { LiveStream } from './live-stream.ts';
import type { Cloak } from './secrets/cloak.ts';
import { eventReader, WholeEvents } from './sent-events.ts';

/** A model call that an agent makes through the gateway. */
export interface AskedCall {
  readonly request: IncomingMessage;
  /** The request's body, unpacked. */
  readonly body: Buffer;
  readonly fields: Fields;
  readonly format: ModelFormat;
  /** The provider's address for it. */
  readonly url: string;
  readonly session: string;
  /** Takes secrets out of it; absent if nobody asked for that. */
  readonly cloak?: Cloak | undefined;
  readonly signal: AbortSignal;
}

/** What the gateway learns of a call that was made. */
export interface ExchangeReports {
  /** The provider's whole answer, and the model that was asked for. */
  readonly answered: (answer: Fields, model: string) => void | Promise<void>;
  /** The request, as the provider gets it. */
  readonly sent: (body: Buffer) => void;
  readonly warn: (line: string) => void;
}

/** Takes a model call through its hooks, and gives the agent its answer. Never throws. */
export async function exchange(
  asked: AskedCall,
  config: HookSystemConfig,
  client: Client,
  reports: ExchangeReports,
): Promise<void> {
  try {
    await new Exchange(asked, config, client, reports).run();
  } catch (error) {
    if (!asked.signal.aborted) client.fail(502, `hookmachine gateway: ${messageOf(error)}`);
  }
}

class Exchange {
  readonly #asked: AskedCall;
  readonly #config: HookSystemConfig;
  readonly #client: Client;
  readonly #reports: ExchangeReports;
  readonly #given: NeutralRequest;
  /** The answer of the provider, and what its stream consisted of, if the agent has not got it yet. */
  #answer: Fields | undefined;
  #head: Omit<ProviderAnswer, 'body'> | undefined;
  #held: Buffer[] = [];
  #live: LiveStream | undefined;
  /** The answer was passed on whole. */
  #isPassed = false;
  /** The agent has been told why there is no answer. */
  #isTold = false;
  /** The provider's answer was a list, as Google's is for streams without events. */
  #isList = false;
  #judged: NeutralResponse | undefined;

  constructor(
    asked: AskedCall,
    config: HookSystemConfig,
    client: Client,
    reports: ExchangeReports,
  ) {
    this.#asked = asked;
    this.#config = config;
    this.#client = client;
    this.#reports = reports;
    const { format, fields, request } = asked;
    this.#given = format.request.read(fields, request.url ?? '');
  }

  async run(): Promise<void> {
    const { signal, session } = this.#asked;
    const call = await runModelCall(
      this.#config,
      this.#given,
      (changed, within, text) => this.#ask(changed, within, text),
      {
        signal,
        sessionId: session,
        id: newCallId(),
        onText: (text) => this.#live?.show(text),
      },
    );
    if (call.systemMessage !== undefined) this.#reports.warn(call.systemMessage);
    if (call.outcome.status === 'cancelled') return this.#client.end();
    if (call.outcome.status === 'failed') return this.#failed(call.error);
    return this.#finish(call);
  }

  async #ask(
    changed: NeutralRequest,
    signal: AbortSignal,
    text: AnswerText,
  ): Promise<NeutralResponse> {
    const { format, request, body, fields, cloak, url } = this.#asked;
    const isSame = isSameRequest(changed, this.#given);
    const written = isSame ? fields : format.request.write(changed, this.#given, fields);
    const hidden = cloak ? cloak.hide(written) : written;
    const bytes = hidden === fields ? body : Buffer.from(JSON.stringify(hidden));
    this.#reports.sent(bytes);
    const answer = await forward(modelIn(url, this.#given.model, changed.model), request, {
      body: bytes,
      signal,
      isRead: true,
    });
    if (answer.status < 200 || answer.status > 299) throw await this.#refused(answer);
    this.#head = answer;
    const type = String(answer.headers['content-type'] ?? '');
    if (!type.startsWith('text/event-stream')) return this.#takeWhole(answer, changed);
    return this.#takeStream(answer, changed, { signal, text });
  }

  async #takeWhole(answer: ProviderAnswer, changed: NeutralRequest): Promise<NeutralResponse> {
    const bytes = await wholeOf(answer.body);
    this.#held = [bytes];
    const value = parsed(bytes.toString());
    this.#isList = Array.isArray(value);
    this.#answer = isRecord(value) ? value : joined(value, this.#asked.format.stream.join());
    return this.#judgedAnswer(changed);
  }

  /** The answer for hooks; what is wrong with its calls is settled before. */
  async #judgedAnswer(changed: NeutralRequest): Promise<NeutralResponse> {
    const answer = this.#answer ?? {};
    await this.#reports.answered(answer, changed.model);
    const { read, usage } = this.#asked.format.answer;
    const used = countedIn(usage(answer));
    const response = { ...read(answer), ...(used && { usage: used }) };
    const refusal = this.#refusal(changed);
    const parts = response.parts.map((part) => {
      const why = part.call && refusal(part.call.name);
      return why === undefined ? part : { text: why };
    });
    this.#judged = response;
    return parts.every((part, at) => part === response.parts[at])
      ? response
      : { ...response, parts };
  }

  async #takeStream(
    answer: ProviderAnswer,
    changed: NeutralRequest,
    { signal, text }: { readonly signal: AbortSignal; readonly text: AnswerText },
  ): Promise<NeutralResponse> {
    const { format, cloak } = this.#asked;
    const joiner = format.stream.join();
    const hooks = this.#hooksOnAnswer();
    const refusal = this.#refusal(changed);
    const edits = (cloak !== undefined && cloak.size > 0) || this.#restrictsTools(changed);
    if (hooks === 'whole') await this.#holdStream(answer, joiner, signal);
    else if (hooks === 'none' && !edits) await this.#passStream(answer, joiner, signal);
    else {
      this.#client.begin(answer);
      this.#live = new LiveStream(this.#client, format, {
        reveal: (json) => cloak?.reveal(json) ?? json,
        refusal,
        ...(hooks === 'text' && { text }),
      });
      await this.#editStream(answer, joiner, { live: this.#live, signal });
    }
    this.#answer = joiner.answer();
    return this.#judgedAnswer(changed);
  }

  /** Passes a stream on byte by byte. */
  async #passStream(
    { body, ...head }: ProviderAnswer,
    joiner: Joiner,
    signal: AbortSignal,
  ): Promise<void> {
    this.#client.begin(head);
    const whole = new WholeEvents();
    const read = eventReader((event) => joiner.add(event));
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        read(chunk);
        for (const bytes of whole.add(chunk)) await this.#client.write(bytes);
      }
    } catch (error) {
      throw this.#broken(error, signal);
    }
    for (const bytes of whole.rest()) await this.#client.write(bytes);
    this.#isPassed = true;
  }

  /** Keeps a stream until hooks have seen the whole answer. */
  async #holdStream(
    { body, ...head }: ProviderAnswer,
    joiner: Joiner,
    signal: AbortSignal,
  ): Promise<void> {
    this.#client.begin(head);
    this.#client.keepAlive();
    const read = eventReader((event) => joiner.add(event));
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        read(chunk);
        this.#held.push(chunk);
      }
    } catch (error) {
      throw this.#broken(error, signal);
    }
    // No hook has seen what never came.
    if (!joiner.isComplete) throw this.#broken(new Error('the stream ended early'), signal);
  }

  async #editStream(
    { body }: ProviderAnswer,
    joiner: Joiner,
    { live, signal }: { readonly live: LiveStream; readonly signal: AbortSignal },
  ): Promise<void> {
    const events: StreamEvent[] = [];
    const read = eventReader((event) => events.push(event));
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        read(chunk);
        for (const event of events.splice(0)) {
          joiner.add(event);
          await live.add(event);
        }
      }
    } catch (error) {
      throw this.#broken(error, signal);
    }
    if (!joiner.isComplete) throw this.#broken(new Error('the stream ended early'), signal);
  }

  /** Tells the agent that a stream broke off, unless hooks or the agent itself ended it. */
  #broken(cause: unknown, signal: AbortSignal): Error {
    this.#isTold = true;
    if (!signal.aborted)
      this.#client.fail(502, `the provider's stream broke off: ${messageOf(cause)}`);
    return new Error(`the provider's stream broke off: ${messageOf(cause)}`, { cause });
  }

  /** Keeps a provider's answer that is no success: the agent gets it as it is. */
  async #refused(answer: ProviderAnswer): Promise<Error> {
    const body = await wholeOf(answer.body);
    this.#isTold = true;
    this.#client.begin(answer);
    this.#client.end(body);
    return new Error(`the provider answered ${answer.status}`);
  }

  #failed(error: unknown): void {
    if (!this.#isTold)
      this.#client.fail(502, `the provider cannot be reached: ${messageOf(error)}`);
  }

  async #finish(call: EndedNeutralCall): Promise<void> {
    if (this.#isPassed) return this.#client.end();
    const { status } = call.outcome;
    const reason = call.stop?.reason || call.blockedReason || '';
    if (this.#live) return this.#live.finish(status === 'done' ? undefined : { reason });
    const { format, cloak } = this.#asked;
    const response = call.response ?? { parts: [] };
    const isGiven = this.#judged !== undefined && isSameResponse(response, this.#judged);
    const isUntouched = isGiven && (cloak === undefined || cloak.size === 0);
    if (isUntouched && this.#head) return this.#sendHeld();
    const said = saidIn(response) === '' && !response.parts.some(({ call: one }) => one) ? { ...response, parts: [{ text: reason || 'Blocked by hook' }] } : response; // prettier-ignore
    const base = this.#answer;
    const written = isGiven && base ? base : format.answer.write(said, base, call.request.model);
    return this.#sendAnswer(revealed(written, cloak));
  }

  async #sendHeld(): Promise<void> {
    this.#client.begin(this.#head!);
    for (const bytes of this.#held) await this.#client.write(bytes);
    this.#client.end();
  }

  async #sendAnswer(answer: Fields): Promise<void> {
    const { format, fields, request } = this.#asked;
    if (!format.streams(fields, request.url ?? '')) {
      const { 'content-type': _, ...headers } = this.#head?.headers ?? {};
      return this.#client.json(200, this.#isList ? [answer] : answer, headers);
    }
    this.#client.beginStream();
    for (const event of format.stream.of(answer)) await this.#client.event(event);
    this.#client.end();
  }

  /** Whether hooks get the answer: not at all, as text while it streams, or whole. */
  #hooksOnAnswer(): 'none' | 'text' | 'whole' {
    const system = readyHookSystem(this.#config);
    if (isPending(system) || isUnready(system)) return 'whole';
    if (!hasHooks(system, 'AfterModel')) return 'none';
    const after = plannedHooks(this.#config, system, 'AfterModel');
    return after !== undefined && streamingHooks(after).others.length === 0 ? 'text' : 'whole';
  }

  /** Whether hooks said which tools may be called, other than the agent itself. */
  #restrictsTools({ toolConfig }: NeutralRequest): boolean {
    return toolConfig !== undefined && !isDeepStrictEqual(toolConfig, this.#given.toolConfig);
  }

  /** Why a tool may not be called in answer to the request, if hooks restricted that. */
  #refusal(changed: NeutralRequest): (name: string) => string | undefined {
    const { toolConfig } = changed;
    if (toolConfig === undefined || !this.#restrictsTools(changed)) return () => undefined;
    const config = { toolConfig: defaultHookTranslator.fromHookToolConfig(toolConfig) };
    return (name) => refusalOf(name, { model: '', contents: [], config });
  }
}

/** Some providers name the model in the address. */
const modelIn = (url: string, before: string, now: string): string =>
  before === now ? url : url.replace(`/models/${before}:`, `/models/${encodeURIComponent(now)}:`);

async function wholeOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A stream that came as a list. */
function joined(value: unknown, joiner: Joiner): Fields | undefined {
  if (!Array.isArray(value)) return undefined;
  for (const data of value) joiner.add({ data: fieldsOf(data) });
  return joiner.answer();
}

const argumentKeys = new Set(['input', 'arguments', 'args']);

/** An answer with the arguments of its calls as they were meant. */
function revealed(answer: Fields, cloak: Cloak | undefined): Fields {
  if (cloak === undefined || cloak.size === 0) return answer;
  const walk = (value: unknown, key?: string): unknown => {
    if (key !== undefined && argumentKeys.has(key))
      return typeof value === 'string' ? cloak.reveal(value) : parsed(cloak.reveal(JSON.stringify(value ?? null))); // prettier-ignore
    if (Array.isArray(value)) return value.map((one) => walk(one));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, walk(one, name)]));
  };
  return walk(answer) as Fields;
}
