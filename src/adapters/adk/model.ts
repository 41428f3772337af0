import type { AnswerText } from '../../../machines/model-call.ts';
import type { EventQueue } from '../../agent/loop/event-queue.ts';
import type { AgentHooks } from '../parts/agent-hooks.ts';
import type { FrameworkRun } from '../parts/framework-call.ts';
import { streamed } from '../parts/streamed.ts';
import {
  declaredNames,
  fromNeutralRequest,
  fromNeutralResponse,
  spokenText,
  textOf,
  toNeutralRequest,
  toNeutralResponse,
} from './contents.ts';
import type { InvocationContext, Llm, LlmRequest, LlmResponse, Part } from './types.ts';

/** What a request belongs to. */
export interface Asked {
  readonly hooks: AgentHooks;
  readonly within: FrameworkRun;
  readonly context: InvocationContext;
}

/** What each request belongs to: a model is given only the request itself. */
const requests = new WeakMap<object, Asked>();

/** Agents whose models have hooks around them. */
const agents = new WeakSet<object>();

/** Puts hooks around a request that an agent is about to make. */
export function aroundRequest(request: LlmRequest, asked: Asked): void {
  // The first plugin wins for a request, as it does for all callbacks.
  if (!requests.has(request)) requests.set(request, asked);
  const { agent } = asked.context;
  if (agent === undefined || agents.has(agent)) return;
  agents.add(agent);
  const model = (): Llm =>
    Reflect.get(Object.getPrototypeOf(agent) as object, 'canonicalModel', agent) as Llm;
  Object.defineProperty(agent, 'canonicalModel', {
    get: () => wrapModel(model()),
    configurable: true,
  });
}

const wrapped = new WeakMap<Llm, Llm>();

function wrapModel(model: Llm): Llm {
  const known = wrapped.get(model);
  if (known) return known;
  const generate: Llm['generateContentAsync'] = (request, stream, signal) => {
    const asked = requests.get(request);
    if (asked === undefined || !asked.hooks.seesAnything())
      return model.generateContentAsync(request, stream, signal);
    return isLeftAlone(asked, request)
      ? plainly(model.generateContentAsync(request, stream, signal), asked.hooks)
      : new HookedCall(model, request, stream, asked).run(signal);
  };
  const proxy = new Proxy(model, {
    get(target, key) {
      if (key === 'generateContentAsync') return generate;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  wrapped.set(model, proxy);
  return proxy;
}

/** Whether no hook can act on a request. */
const isLeftAlone = ({ hooks, within }: Asked, { config }: LlmRequest): boolean =>
  !hooks.judgesModelCall(declaredNames(config?.tools ?? []), within.run);

/** Passes on an answer that no hook wants to see. */
async function* plainly(
  answer: AsyncIterable<LlmResponse>,
  { notices }: AgentHooks,
): AsyncGenerator<LlmResponse, void> {
  for await (const piece of answer) {
    for (const tool of providerToolsIn(piece)) notices.warnOfProviderTool(tool);
    yield piece;
  }
}

/** The tool that ADK offers for structured answers. Its calls are not run. */
const structuredAnswer = 'set_model_response';

/** One model call by ADK. */
class HookedCall {
  readonly #model: Llm;
  readonly #request: LlmRequest;
  readonly #stream: boolean | undefined;
  readonly #asked: Asked;
  /** The pieces that were held back, and the whole answer. */
  #held: LlmResponse[] = [];
  #whole: LlmResponse[] = [];
  /** The text that went out in pieces. */
  #said = '';

  constructor(model: Llm, request: LlmRequest, stream: boolean | undefined, asked: Asked) {
    this.#model = model;
    this.#request = request;
    this.#stream = stream;
    this.#asked = asked;
  }

  run(signal: AbortSignal | undefined): AsyncGenerator<LlmResponse, void> {
    return streamed<LlmResponse>(signal, (queue, cancelled) => this.#through(queue, cancelled));
  }

  async #through(queue: EventQueue<LlmResponse>, signal: AbortSignal): Promise<void> {
    const { hooks, within, context } = this.#asked;
    await hooks.ready();
    const request = toNeutralRequest(this.#request, this.#model.model, context);
    const say = (text: string): void => {
      this.#said += text;
      queue.push({ partial: true, content: { role: 'model', parts: [{ text }] } });
    };
    const response = await hooks.model(
      request,
      async (changed, abortSignal, text) => {
        const asked = fromNeutralRequest(changed, request, this.#request);
        await this.#ask(asked, queue, abortSignal, text);
        return toNeutralResponse(this.#whole);
      },
      {
        signal,
        within,
        judges: (name) => name !== structuredAnswer,
        ...(this.#stream === true && { onText: say }),
      },
    );
    const answers = fromNeutralResponse(response, this.#whole);
    const text = textOf(answers);
    if (answers === this.#whole) queue.push(...this.#held);
    else if (this.#stream === true && text !== textOf(this.#whole) && text !== this.#said)
      say(text);
    queue.push(...answers);
  }

  async #ask(
    request: LlmRequest,
    queue: EventQueue<LlmResponse>,
    signal: AbortSignal,
    text: AnswerText,
  ): Promise<void> {
    const { hooks } = this.#asked;
    const holdsAll = hooks.holdsAnswers();
    const streamsText = holdsAll && hooks.streamsText();
    this.#held = [];
    this.#whole = [];
    this.#said = '';
    for await (const given of this.#model.generateContentAsync(request, this.#stream, signal)) {
      signal.throwIfAborted();
      for (const tool of providerToolsIn(given)) hooks.notices.warnOfProviderTool(tool);
      if (!given.partial) {
        this.#whole.push(given);
        continue;
      }
      const silent = holdsAll ? await withoutText(given, text) : given;
      const piece = streamsText ? silent : given;
      if (piece === undefined) continue;
      const parts = piece.content?.parts ?? [];
      if (
        holdsAll ||
        parts.some(({ functionCall }) => functionCall && hooks.holdsCall(functionCall.name ?? ''))
      )
        this.#held.push(piece);
      else queue.push(piece);
    }
  }
}

/** The names of the tools that the provider ran for a piece of an answer. */
function providerToolsIn({ content, groundingMetadata }: LlmResponse): string[] {
  const ranCode = content?.parts?.some((part) => 'executableCode' in part);
  return [...(ranCode ? ['code_execution'] : []), ...(groundingMetadata ? ['google_search'] : [])];
}

/** Gives the text of a piece to hooks, and returns what is left of the piece. */
async function withoutText(piece: LlmResponse, text: AnswerText): Promise<LlmResponse | undefined> {
  const { content } = piece;
  if (content?.parts === undefined) return piece;
  const rest: Part[] = [];
  for (const part of content.parts) {
    const spoken = spokenText(part);
    if (spoken === undefined) {
      rest.push(part);
      await text.end();
    } else text.add(spoken);
  }
  return rest.length > 0 ? { ...piece, content: { ...content, parts: rest } } : undefined;
}
