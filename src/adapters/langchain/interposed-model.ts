import type { AnswerText } from '../../../machines/model-call.ts';
import { Channel } from './channel.ts';
import { changedChunk, textOf, wantsTools } from './chunks.ts';
import { loadCore } from './core.ts';
import { HeldTokens } from './held-tokens.ts';
import { StreamedText } from './streamed-text.ts';
import type { Answer, ChatModel, Chunk, Generated, Message, Options, RunManager } from './types.ts';

/** Tools that were bound to a model. */
export interface BoundTools {
  readonly tools: readonly unknown[];
  readonly options: Options;
  /** Binds other tools in their place. */
  readonly bind: (tools: readonly unknown[], options: Options) => unknown;
  /** The model without bound tools. */
  readonly plain: ChatModel;
}

/** A call of an interposed model. */
export interface InterposedCall {
  readonly model: ChatModel;
  readonly messages: readonly Message[];
  readonly options: Options;
  readonly bound: BoundTools | undefined;
  /**
   * Asks the model, or another one. Text that is not held is emitted as it arrives; `text` takes the text
   * that is.
   */
  readonly ask: (
    messages: readonly Message[],
    options: Options,
    text?: AnswerText,
    model?: ChatModel,
  ) => Promise<Answer>;
  /** Emits held text that hooks let through; absent if nobody streams. */
  readonly show?: (text: string) => void;
}

/** What stands in front of a model. */
export interface Interposed {
  /** Returns the answer to continue with: the model's own object, or another. */
  readonly answer: (call: InterposedCall) => Promise<Answer>;
  /** Whether text is held back until the answer to continue with is known. */
  readonly holdsText: () => boolean;
  /** Whether held text is emitted as soon as `show` gets it. */
  readonly streamsText: () => boolean;
  /** Whether tool calls are held back. */
  readonly holdsCalls: (bound: BoundTools | undefined) => boolean;
}

/**
 * A model with `by` in front of it: LangChain sees only what `by` answers, in streams and callbacks too. In a
 * binding or a sequence, the model inside is wrapped; whatever is not a model stays as it is.
 */
export function interposed(runnable: unknown, by: Interposed, bound?: BoundTools): unknown {
  if (typeof runnable !== 'object' || runnable === null) return runnable;
  if (isChatModel(runnable)) return inFrontOf(runnable, by, bound);
  if ('bound' in runnable && 'kwargs' in runnable)
    return copyOf(runnable, { bound: interposed(runnable.bound, by, bound) });
  if ('first' in runnable && 'middle' in runnable && 'last' in runnable) {
    const { first, middle, last } = runnable;
    return copyOf(runnable, {
      first: interposed(first, by, bound),
      middle: (middle as readonly unknown[]).map((step) => interposed(step, by, bound)),
      last: interposed(last, by, bound),
    });
  }
  return runnable;
}

export const isChatModel = (value: object): value is ChatModel =>
  '_generate' in value && '_streamResponseChunks' in value;

const copyOf = (object: object, changes: object): object =>
  Object.assign(Object.create(Object.getPrototypeOf(object)), object, changes);

/** Methods that return a model, or a chain with one in it. */
const makers = ['withConfig', 'withStructuredOutput', 'bind'];

function inFrontOf(model: ChatModel, by: Interposed, bound: BoundTools | undefined): ChatModel {
  const base = basePrototype(model);
  const streams = base !== undefined && model._streamResponseChunks !== base._streamResponseChunks;
  const own: Record<PropertyKey, unknown> = {
    _generate: (messages: readonly Message[], options: Options, manager?: RunManager) =>
      generate(model, by, bound, messages, options, manager),
    ...(streams && {
      _streamResponseChunks: (
        messages: readonly Message[],
        options: Options,
        manager?: RunManager,
      ) => stream(model, by, bound, messages, options, manager),
      // A provider's own events would bypass us: the base class makes them from the chunks.
      _streamChatModelEvents: (...given: Parameters<ChatModel['_streamChatModelEvents']>) =>
        base._streamChatModelEvents.call(proxy, ...given),
    }),
    ...(model.bindTools && {
      bindTools: (tools: readonly unknown[], options: Options = {}) => {
        const bind: BoundTools['bind'] = (others, more) => model.bindTools!(others, more);
        return interposed(bind(tools, options), by, { tools, options, bind, plain: model });
      },
    }),
  };
  const proxy: ChatModel = new Proxy(model, {
    get(target, key) {
      if (Object.hasOwn(own, key)) return own[key];
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function' || !isProviders(target, base, key)) return value;
      // A provider's class may have private fields, which only the model itself has.
      const method = value.bind(target) as (...given: readonly unknown[]) => unknown;
      return makers.includes(String(key))
        ? (...given: readonly unknown[]) => interposed(method(...given), by, bound)
        : method;
    },
  });
  return proxy;
}

/** The prototype of LangChain's own chat model class, which providers' classes extend. */
function basePrototype(model: ChatModel): ChatModel | undefined {
  let prototype: unknown = Object.getPrototypeOf(model);
  while (typeof prototype === 'object' && prototype !== null) {
    if (Object.hasOwn(prototype, '_generateUncached')) return prototype as ChatModel;
    prototype = Object.getPrototypeOf(prototype);
  }
  return undefined;
}

function isProviders(model: object, base: object | undefined, key: PropertyKey): boolean {
  if (key === 'constructor') return false;
  let place: unknown = model;
  while (typeof place === 'object' && place !== null && place !== base) {
    if (Object.hasOwn(place, key)) return true;
    place = Object.getPrototypeOf(place);
  }
  return false;
}

async function generate(
  model: ChatModel,
  by: Interposed,
  bound: BoundTools | undefined,
  messages: readonly Message[],
  options: Options,
  manager: RunManager | undefined,
): Promise<Generated> {
  const tokens = new HeldTokens(manager, (message) => isHeld(by, bound, message));
  let given: Generated | undefined;
  const answer = await by.answer({
    model,
    messages,
    options,
    bound,
    ask: async (asked, how, _text, another = model) => {
      tokens.forget();
      given = await another._generate(asked, how, tokens.manager);
      return given.generations[0]!.message;
    },
  });
  const [first] = given?.generations ?? [];
  if (given && first?.message === answer) {
    await tokens.release();
    return given;
  }
  const text = textOf(answer);
  await tokens.replace(text, answer);
  return { ...given, generations: [{ ...first, text, message: answer }] };
}

async function* stream(
  model: ChatModel,
  by: Interposed,
  bound: BoundTools | undefined,
  messages: readonly Message[],
  options: Options,
  manager: RunManager | undefined,
): AsyncGenerator<Chunk> {
  const tokens = new HeldTokens(manager, (message) => isHeld(by, bound, message));
  const live = new Channel<Chunk>();
  const core = await loadCore();
  let attempt: Attempt = { held: [] };
  const asking = by
    .answer({
      model,
      messages,
      options,
      bound,
      show: (text) => attempt.streamed?.show(text),
      ask: async (asked, how, text, another = model) => {
        tokens.forget();
        const streams = text && by.holdsText() && by.streamsText();
        attempt = { held: [], ...(streams && { streamed: new StreamedText(text, live, core) }) };
        // What hooks still hold of an answer that broke off is not part of this one.
        await text?.end();
        for await (const chunk of another._streamResponseChunks(asked, how, tokens.manager)) {
          (how['signal'] as AbortSignal | undefined)?.throwIfAborted();
          attempt.whole = attempt.whole ? attempt.whole.concat(chunk) : chunk;
          if (attempt.streamed) await attempt.streamed.add(chunk);
          else if (isHeld(by, bound, chunk.message)) {
            attempt.held.push(chunk);
            text?.add(textOf(chunk.message));
          } else live.push(chunk);
        }
        if (attempt.whole === undefined)
          throw new Error('Received empty response from chat model call.');
        return attempt.whole.message;
      },
    })
    .finally(() => live.close());
  // Whoever reads the stream gets a failure after the chunks that came before it.
  asking.catch(() => undefined);
  for await (const chunk of live) {
    yield chunk;
    if (attempt.streamed) await tokens.tell(chunk);
  }
  yield* restOf(attempt, await asking, by, tokens);
}

/** What came of the model in one attempt. */
interface Attempt {
  /** The chunks that wait for the hooks on the whole answer. */
  readonly held: Chunk[];
  /** The text that hooks are given as it comes, if they take it so. */
  readonly streamed?: StreamedText;
  whole?: Chunk;
}

/** What follows the chunks that were passed on as they came. */
async function* restOf(
  { held, streamed, whole }: Attempt,
  answer: Message,
  by: Interposed,
  tokens: HeldTokens,
): AsyncGenerator<Chunk> {
  if (streamed) {
    for (const chunk of streamed.rest(answer, whole?.message)) {
      yield chunk;
      await tokens.tell(chunk);
    }
    return;
  }
  if (answer === whole?.message) {
    await tokens.release();
    yield* held;
    return;
  }
  const chunk = await changedChunk(answer, held, by.holdsText());
  await tokens.replace(chunk.text, chunk.message);
  yield chunk;
}

/** Whether a piece of an answer may still change. */
const isHeld = (
  by: Interposed,
  bound: BoundTools | undefined,
  message: Answer | undefined,
): boolean =>
  by.holdsText() || (message !== undefined && wantsTools(message) && by.holdsCalls(bound));
