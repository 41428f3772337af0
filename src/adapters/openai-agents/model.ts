import type { AnswerText } from '../../../machines/model-call.ts';
import type { EventQueue } from '../../agent/loop/event-queue.ts';
import type { AgentHooks } from '../parts/agent-hooks.ts';
import { streamed } from '../parts/streamed.ts';
import { fromNeutralRequest, toNeutralRequest, toolNames, unknownSettings } from './request.ts';
import { noUsage, saying, textOf, toNeutralResponse, toOutput } from './response.ts';
import { mentionsCall, withArguments } from './raw-events.ts';
import type { Run } from './scope.ts';
import type { Item, Model, ModelRequest, ModelResponse, StreamEvent, Usage } from './types.ts';

/** The models behind wrapped ones. */
const wrapped = new WeakMap<object, Model>();

export interface WrappedModelOptions {
  /** The run that a call belongs to; undefined if no hooks are around it. */
  readonly run: () => Run | undefined;
  /** The user's name for the model. */
  readonly name?: string | undefined;
  /** The model of another name, if the provider is known. */
  readonly named?: ((name: string) => Promise<Model> | Model) | undefined;
}

/** The model with hooks around its calls; the rest of it is unchanged. */
export function wrapModel(given: Model, options: WrappedModelOptions): Model {
  const model = wrapped.get(given) ?? given;
  const around: Model = {
    getResponse: (request) => {
      const run = options.run();
      if (run === undefined || !run.hooks.seesAnything()) return model.getResponse(request);
      return isLeftAlone(run, request)
        ? answerOf(model, run, request)
        : new HookedCall(model, run, request, options).whole();
    },
    getStreamedResponse: (request) => {
      const run = options.run();
      if (run === undefined || !run.hooks.seesAnything()) return model.getStreamedResponse(request);
      return isLeftAlone(run, request)
        ? streamOf(model, run, request)
        : new HookedCall(model, run, request, options).streamed();
    },
  };
  const proxy = new Proxy(model, {
    get(target, key) {
      if (Object.hasOwn(around, key)) return around[key as keyof Model];
      const value: unknown = Reflect.get(target, key, target);
      // Only the model itself has its private fields.
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  wrapped.set(proxy, model);
  return proxy;
}

/** Whether no hook can act on a request. */
const isLeftAlone = (run: Run, request: ModelRequest): boolean =>
  run.withRefusals(request) === request && !run.hooks.judgesModelCall(toolNames(request));

/** Passes on an answer that no hook wants to see. */
async function answerOf(
  model: Model,
  { hooks }: Run,
  request: ModelRequest,
): Promise<ModelResponse> {
  const answer = await model.getResponse(request);
  warnOf(hooks, answer.output);
  return answer;
}

/** Passes on the stream of an answer that no hook wants to see. */
async function* streamOf(
  model: Model,
  { hooks }: Run,
  request: ModelRequest,
): AsyncGenerator<StreamEvent, void> {
  for await (const event of model.getStreamedResponse(request)) {
    if (event.type === 'response_done') warnOf(hooks, event.response.output);
    yield event;
  }
}

/** Warns about calls that reach no hook. */
function warnOf({ notices }: AgentHooks, output: readonly Item[]): void {
  for (const { type, name } of output) {
    if (type === 'hosted_tool_call') notices.warnOfProviderTool(name ?? 'hosted_tool');
    if (type === 'computer_call')
      notices.warnOnce('the actions of a computer tool reach no BeforeTool or AfterTool hook');
  }
}

/** The model's name for hooks; never empty. */
const nameOf = (model: Model, name = ''): string => {
  if (name !== '') return name;
  const { _model, model: plain, modelId, name: own } = model as unknown as Record<string, unknown>;
  const known = [_model, plain, modelId, own].find(
    (text): text is string => typeof text === 'string' && text !== '',
  );
  return known ?? 'default';
};

type Done = Extract<StreamEvent, { type: 'response_done' }>;
type TextDelta = Extract<StreamEvent, { type: 'output_text_delta' }>;

/** What a model is asked with, besides the request. */
interface Asking {
  readonly signal: AbortSignal;
  /** Takes the answer's text on its way to hooks. */
  readonly text: AnswerText;
}

/** One model call by the SDK. */
class HookedCall {
  readonly #model: Model;
  readonly #run: Run;
  readonly #request: ModelRequest;
  readonly #options: WrappedModelOptions;
  readonly #name: string;
  /** The answers of models; hooks may have made one be asked again. */
  readonly #answers: ModelResponse[] = [];

  constructor(model: Model, run: Run, request: ModelRequest, options: WrappedModelOptions) {
    this.#model = model;
    this.#run = run;
    this.#request = run.withRefusals(request);
    this.#options = options;
    this.#name = nameOf(model, options.name);
  }

  whole(): Promise<ModelResponse> {
    return this.#answer((model, request) => model.getResponse(request), this.#request.signal);
  }

  streamed(): AsyncGenerator<StreamEvent, void> {
    return streamed<StreamEvent>(this.#request.signal, async (queue, signal) => {
      await this.#run.hooks.ready();
      const stream = new HookedStream(this.#run, this.#request, queue);
      const answer = await this.#answer(
        (model, request, { text, ...within }) =>
          stream.relay(model.getStreamedResponse({ ...request, ...within }), within.signal, text),
        signal,
        (text) => stream.show(text),
      );
      stream.finish(answer);
    });
  }

  async #answer(
    ask: (model: Model, request: ModelRequest, within: Asking) => Promise<ModelResponse>,
    signal: AbortSignal | undefined,
    onText?: (text: string) => void,
  ): Promise<ModelResponse> {
    const { hooks } = this.#run;
    const request = this.#request;
    const { input } = request;
    const neutral = toNeutralRequest(request, this.#name);
    const response = await hooks.model(
      neutral,
      async (changed, abortSignal, text) => {
        for (const setting of unknownSettings(changed))
          hooks.notices.warnOnce(
            `the OpenAI Agents SDK has no ${setting}, so what hooks set there is ignored`,
          );
        const asked = fromNeutralRequest(changed, neutral, request);
        const model = await this.#modelNamed(changed.model);
        const answer = await ask(model, asked, { signal: abortSignal, text });
        this.#answers.push(answer);
        warnOf(hooks, answer.output);
        return toNeutralResponse(answer, request);
      },
      { signal, key: typeof input === 'string' ? request.modelSettings : input, onText },
    );
    const answer = this.#answers.at(-1);
    const output = answer
      ? toOutput(response, answer.output)
      : [saying(response.parts.map(({ text }) => text ?? '').join(''))];
    await this.#judgeHandoffs(output);
    return this.#whole(output, answer);
  }

  #whole(output: readonly Item[], answer: ModelResponse | undefined): ModelResponse {
    if (answer === undefined) {
      const { previousResponseId } = this.#request as { readonly previousResponseId?: string };
      return {
        usage: noUsage,
        output,
        ...(previousResponseId !== undefined && { responseId: previousResponseId }),
      };
    }
    const usage = this.#answers.map((each) => each.usage).reduce(sum);
    if (output === answer.output) return usage === answer.usage ? answer : { ...answer, usage };
    // It contains the answer as the provider gave it.
    const { providerData: _, ...rest } = answer;
    return { ...rest, usage, output };
  }

  async #judgeHandoffs(output: readonly Item[]): Promise<void> {
    const { handoffs } = this.#request;
    for (const item of output)
      if (item.type === 'function_call' && handoffs.some(({ toolName }) => toolName === item.name))
        await this.#run.judgeHandoff(item);
  }

  #modelNamed(name: string): Promise<Model> | Model {
    if (name === this.#name) return this.#model;
    const { named } = this.#options;
    if (named) return named(name);
    this.#run.hooks.notices.warnOnce(
      `a hook wants the model ${name}, but this agent's model is an object, so it was used anyway`,
    );
    return this.#model;
  }
}

/**
 * The stream of a call: what hooks may still change is held back until they have decided; text is emitted as
 * streaming hooks let it through.
 */
class HookedStream {
  readonly #run: Run;
  readonly #request: ModelRequest;
  readonly #queue: EventQueue<StreamEvent>;
  #held: StreamEvent[] = [];
  #hasStarted = false;
  #said = '';
  /** The model's newest text, if hooks get it as it arrives. */
  #newest: TextDelta | undefined;
  #done: Done | undefined;

  constructor(run: Run, request: ModelRequest, queue: EventQueue<StreamEvent>) {
    this.#run = run;
    this.#request = request;
    this.#queue = queue;
  }

  /** Passes on what may already be seen, and returns the whole answer. */
  async relay(
    events: AsyncIterable<StreamEvent>,
    signal: AbortSignal,
    text: AnswerText,
  ): Promise<ModelResponse> {
    const { hooks } = this.#run;
    const holdsAll = hooks.holdsAnswers();
    const holdsCalls = toolNames(this.#request).some((name) => hooks.holdsCall(name));
    this.#held = [];
    this.#said = '';
    this.#newest = undefined;
    this.#done = undefined;
    const streamsText = holdsAll && hooks.streamsText();
    for await (const event of events) {
      signal.throwIfAborted();
      if (holdsAll && event.type === 'output_text_delta') {
        if (this.#newest && this.#newest.itemId !== event.itemId) await text.end();
        this.#newest = event;
        text.add(event.delta);
        if (streamsText) continue;
      }
      if (event.type === 'response_started') this.#start(event);
      else if (event.type === 'response_done') this.#done = event;
      else if (holdsAll || (holdsCalls && event.type === 'model' && mentionsCall(event)))
        this.#held.push(event);
      else {
        if (event.type === 'output_text_delta') this.#said += event.delta;
        this.#queue.push(event);
      }
    }
    if (this.#done === undefined)
      throw new Error('The model ended its stream without a response_done event.');
    const { id, ...response } = this.#done.response;
    return { ...response, responseId: id };
  }

  /** Emits text that hooks let through. */
  show(delta: string): void {
    if (this.#newest === undefined) return;
    this.#said += delta;
    this.#queue.push({ ...this.#newest, delta });
  }

  finish(answer: ModelResponse): void {
    const given = this.#done?.response;
    if (!this.#hasStarted) this.#start({ type: 'response_started' });
    if (given?.output === answer.output) this.#queue.push(...this.#held);
    else {
      const text = textOf(answer.output);
      if (given && text === textOf(given.output))
        this.#queue.push(...withArguments(this.#held, given.output, answer.output));
      else if (text !== this.#said) this.#say(text, answer.output);
    }
    const { responseId = `hooks_${Date.now()}`, ...response } = answer;
    const done = { type: 'response_done' as const, response: { ...response, id: responseId } };
    this.#queue.push(
      given?.output === answer.output && this.#done ? { ...this.#done, ...done } : done,
    );
  }

  #start(event: StreamEvent): void {
    if (!this.#hasStarted) this.#queue.push(event);
    this.#hasStarted = true;
  }

  #say(delta: string, output: readonly Item[]): void {
    const itemId = output.find(({ role }) => role === 'assistant')?.id;
    this.#queue.push({
      type: 'output_text_delta',
      delta,
      ...(itemId !== undefined && { itemId }),
    });
  }
}

const sum = (one: Usage, other: Usage): Usage => ({
  ...other,
  requests: one.requests + other.requests,
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  totalTokens: one.totalTokens + other.totalTokens,
});
