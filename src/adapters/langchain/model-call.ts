import { AsyncResource } from 'node:async_hooks';
import type {
  CallNeutralModel,
  NeutralRequest,
  NeutralResponse,
} from '../../core/calls/run-model-call.ts';
import { onAbort } from '../../core/run/run-machine.ts';
import type { AgentHooks } from '../parts/agent-hooks.ts';
import { answerOf, providerToolsIn, toNeutralResponse } from './answer.ts';
import { canAsk } from './approval.ts';
import { type Core, loadCore } from './core.ts';
import { interposed } from './interposed-model.ts';
import { fromNeutralMessages, toNeutralMessages } from './request.ts';
import { changedSettings, settingsOf, withSettings } from './settings.ts';
import { chosenTools, nameOfTool, withSystemText } from './tools.ts';
import type { Answer, Message, ModelRequest, Options, Runtime } from './types.ts';

/** Asks the model, through any other middleware. */
type Handler = (request: ModelRequest) => unknown;

/** Takes an agent's model call through its hooks; returns what `handler` returned, or another answer. */
export async function callModel(
  hooks: AgentHooks,
  request: ModelRequest,
  handler: Handler,
): Promise<unknown> {
  const finding = hooks.ready();
  if (finding) await finding;
  if (!hooks.seesAnything()) return handler(request);
  if (!hooks.judgesModelCall((request.tools ?? []).map(nameOfTool))) {
    const handled = await handler(request);
    warnOfProviderTools(hooks, answerIn(handled));
    return handled;
  }
  const core = await loadCore();
  const runtime = (request.runtime ?? {}) as Runtime;
  const call = new ModelCall(hooks, { ...request, model: await modelIn(request) }, handler, core);
  try {
    const response = await hooks.model(call.asked, (...asked) => call.ask(...asked), {
      signal: runtime.signal,
      onText: (text) => call.show(text),
      key: call,
      canAsk: canAsk(runtime),
      onSentOn: (rejected) => call.settle(rejected),
    });
    return await call.settle(response);
  } catch (error) {
    call.fail(error);
    throw error;
  }
}

/** The model itself, which LangChain may look up with each call. */
async function modelIn({ model, runtime }: ModelRequest): Promise<unknown> {
  const { _getModelInstance: find } = model as {
    readonly _getModelInstance?: (config: unknown) => Promise<unknown>;
  };
  const { configurable } = (runtime ?? {}) as Runtime;
  return typeof find === 'function' ? find.call(model, { configurable }) : model;
}

/** Warns about the tools that the provider ran for an answer. */
export function warnOfProviderTools({ notices }: AgentHooks, answer: Answer | undefined): void {
  for (const tool of answer ? providerToolsIn(answer) : []) notices.warnOfProviderTool(tool);
}

/** One answer that the model was asked for. */
interface Attempt {
  readonly handled: Promise<unknown>;
  /** Absent while the model speaks. */
  readonly given?: Answer | undefined;
  /** Gives the interposed model its final answer; absent if the answer bypassed that model. */
  readonly settle?: (answer: Answer) => void;
}

/**
 * A model call under way. The hooks around it are the outermost, so that they see what other middleware makes
 * of it; but they get the model's answer before LangChain does, because it streams past all middleware.
 */
class ModelCall {
  readonly asked: NeutralRequest;
  readonly #hooks: AgentHooks;
  readonly #request: ModelRequest;
  readonly #handler: Handler;
  readonly #core: Core;
  /** Graphs find their context through it, and hooks may continue in another one. */
  readonly #place = new AsyncResource('HookedModelCall');
  #attempt: Attempt | undefined;
  #fail: (error: unknown) => void = () => undefined;
  #show: (text: string) => void = () => undefined;

  constructor(hooks: AgentHooks, request: ModelRequest, handler: Handler, core: Core) {
    this.#hooks = hooks;
    this.#request = request;
    this.#handler = handler;
    this.#core = core;
    const { model, messages, tools = [], modelSettings } = request;
    this.asked = {
      model: nameOfModel(model),
      messages: toNeutralMessages(messages as readonly Message[]),
      tools: tools.map(nameOfTool),
      settings: settingsOf(model, modelSettings),
    };
  }

  ask: CallNeutralModel = async (asked, signal, text) => {
    const request = this.#changed(asked);
    const answered = deferred<Answer>();
    const final = deferred<Answer>();
    this.#fail = final.reject;
    const model = this.#isHeld()
      ? interposed(request.model, {
          holdsText: () => this.#hooks.holdsAnswers(),
          streamsText: () => this.#hooks.streamsText(),
          holdsCalls: () => true,
          answer: async ({ messages, options, ask, show = () => undefined }) => {
            this.#show = show;
            const { given, stopListening } = within(options, signal);
            const asking = ask(messages, given, text).finally(stopListening);
            // Hooks may have ended the answer while the model was still speaking.
            const settled = asking.then(answered.resolve, (error: unknown) => {
              if (!signal.aborted) throw error;
            });
            return Promise.race([settled.then(() => final.promise), final.promise]);
          },
        })
      : request.model;
    const handled = this.#place.runInAsyncScope(async () => this.#handler({ ...request, model }));
    handled.catch(() => undefined);
    if (model !== request.model) this.#attempt = { handled, settle: final.resolve };
    const attempt = await Promise.race([
      answered.promise.then((given) => ({ handled, given, settle: final.resolve })),
      handled.then((value) => ({ handled, given: answerIn(value) })),
    ]);
    signal.throwIfAborted();
    this.#attempt = attempt;
    const { given } = attempt;
    warnOfProviderTools(this.#hooks, given);
    return given ? toNeutralResponse(given) : { parts: [] };
  };

  show(text: string): void {
    this.#show(text);
  }

  /** Returns what LangChain continues with, once hooks have decided. */
  async settle(response: NeutralResponse): Promise<unknown> {
    const attempt = this.#attempt;
    this.#attempt = undefined;
    const answer = answerOf(response, attempt?.given, this.#core);
    if (attempt === undefined) return answer;
    const { given } = attempt;
    const isSame = answer === given;
    if (attempt.settle) {
      attempt.settle(answer);
      try {
        return await attempt.handled;
      } catch (error) {
        // Structured output is read from the model's text; the text that hooks put there need not contain
        // any.
        if (isSame) throw error;
        return answer;
      }
    }
    const handled = await attempt.handled;
    if (isSame || given === undefined) return handled;
    return handled === given ? answer : withAnswer(handled, given, answer);
  }

  fail(error: unknown): void {
    this.#fail(error);
  }

  /** Whether anything that the model says must be held back at first. */
  #isHeld(): boolean {
    return (
      this.#hooks.holdsAnswers() || this.asked.tools!.some((name) => this.#hooks.holdsCall(name))
    );
  }

  #changed(asked: NeutralRequest): ModelRequest {
    const { messages, settings, system, toolConfig } = asked;
    const request = this.#request;
    if (asked.model !== this.asked.model)
      this.#hooks.notices.warnOnce(
        `a hook wants the model ${asked.model}; LangChain's models are objects, so the agent's own was used`,
      );
    const changes = changedSettings(this.asked.settings ?? {}, settings);
    const isChanged = Object.keys(changes).length > 0;
    return {
      ...request,
      messages: fromNeutralMessages(messages, this.#core),
      model: withSettings(request.model, changes),
      ...(isChanged && { modelSettings: { ...request.modelSettings, ...changes } }),
      ...(system !== undefined && {
        systemMessage: withSystemText(request.systemMessage, system, this.#core),
      }),
      ...(toolConfig && chosenTools(request, toolConfig, this.#hooks)),
    };
  }
}

/**
 * A model's options with one more signal that aborts it. LangChain never removes its listeners, and Node
 * keeps a signal made by `AbortSignal.any` alive because of them.
 */
function within(options: Options, signal: AbortSignal) {
  const { signal: own } = options as { readonly signal?: AbortSignal };
  const either = new AbortController();
  const abort = (): void => either.abort(signal.aborted ? signal.reason : own?.reason);
  if (signal.aborted || own?.aborted) abort();
  const stops = [signal, ...(own ? [own] : [])].map((one) => onAbort(one, abort));
  return {
    given: { ...options, signal: either.signal },
    stopListening: () => stops.forEach((stop) => stop()),
  };
}

/**
 * The answer in what a handler returned. With structured output it is the first of several messages; what
 * another middleware says to the graph is not an answer.
 */
function answerIn(handled: unknown): Answer | undefined {
  const { messages, content } = handled as Partial<Answer> & {
    readonly messages?: readonly Answer[];
  };
  return messages?.[0] ?? (content === undefined ? undefined : (handled as Answer));
}

function withAnswer(handled: unknown, given: Answer, answer: Answer): unknown {
  const { messages, ...rest } = handled as { readonly messages: readonly Answer[] };
  const isStillWanted = (given.tool_calls?.length ?? 0) === (answer.tool_calls?.length ?? 0);
  return isStillWanted
    ? { ...rest, messages: messages.map((message) => (message === given ? answer : message)) }
    : answer;
}

/** The name of a model; hooks never get an empty one. */
export function nameOfModel(model: unknown): string {
  const {
    model: name,
    modelName,
    _llmType,
  } = model as {
    readonly model?: unknown;
    readonly modelName?: unknown;
    readonly _llmType?: () => unknown;
  };
  const names = [name, modelName, _llmType?.call(model)];
  return (
    names.find((given): given is string => typeof given === 'string' && given !== '') ?? 'model'
  );
}

function deferred<Value>() {
  let resolve!: (value: Value) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<Value>((settle, fail) => {
    resolve = settle;
    reject = fail;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
