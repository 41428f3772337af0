import type { AnswerText, ModelCallPorts, ModelRequest } from '../../../machines/model-call.ts';
import type { HookEventOutcome } from '../../../machines/hook-event.ts';
import type { EventContext } from '../answers/event-context.ts';
import type { CallHost } from './call-host.ts';
import type { PrepareOptions } from '../run/planned-event.ts';
import { onAbort } from '../run/run-machine.ts';
import { errorOf } from '../../base/message-of.ts';
import type { AggregatedHookResult } from '../answers/results.ts';
import type { GenAIRequest, GenAIResponse } from '../translate/genai-types.ts';
import { defaultHookTranslator, withSystemMessage } from '../translate/genai-v1.ts';
import {
  revisedResponse,
  syntheticResponse,
  withChanges,
  withToolConfig,
} from './hook-triggers.ts';
import {
  answerStreamInput,
  shownResponse,
  streamedResponse,
  streamingHooks,
} from './answer-stream-ports.ts';
import { textOfResponse } from '../translate/response.ts';
import { hookResult, plannedHooks, hooksFor, type Ready } from './event-hooks.ts';

/** The events of a model call, in order. */
export type ModelEvent = 'BeforeToolSelection' | 'BeforeModel' | 'AfterModel';

/** Calls the model for one whole response; `text` receives its text as it streams, if the model streams. */
export type CallModel = (
  request: GenAIRequest,
  signal: AbortSignal,
  text: AnswerText,
) => Promise<GenAIResponse>;

/** Called with the result of an event's hooks, as soon as they have decided. */
export type OnHooks = (event: ModelEvent, result: AggregatedHookResult) => void;

/** The callbacks of a caller that follows a model call. */
export interface ModelCallFollower {
  /** Receives the result of each event's hooks, as soon as they have decided. */
  readonly onHooks?: OnHooks | undefined;
  /** Receives the answer's text once it may be shown. */
  readonly onText?: ((text: string) => void) | undefined;
  /** Called once, with the names of the hooks that need the whole answer, if its text waits for them. */
  readonly onWait?: ((hooks: readonly string[]) => void) | undefined;
  /** Whether text is shown as it streams even if hooks need the whole answer; by default it waits. */
  readonly showsUnjudged?: boolean | undefined;
}

/** A model call to be made. */
export interface ModelCall extends ModelCallFollower {
  readonly request: GenAIRequest;
  readonly callModel: CallModel;
  readonly context?: EventContext | undefined;
}

const { toHookLLMRequest, toHookLLMResponse } = defaultHookTranslator;

/** The machine passes requests through unseen. */
const asRequest = (request: ModelRequest): GenAIRequest => request as GenAIRequest;

/** A request as hooks receive it. */
const requestOf = (asked: ModelRequest) => ({ llm_request: toHookLLMRequest(asRequest(asked)) });

/** The engine's part of the `modelCall` machine: only the engine knows the SDK's shapes. */
export function modelCallPorts(
  config: CallHost,
  system: Ready,
  { request, callModel, context = {}, ...follower }: ModelCall,
): ModelCallPorts {
  const onSelection = hooksFor(config, system, 'BeforeToolSelection');
  // Without tools there is nothing to select from.
  const selection = onSelection && hasTools(request) ? onSelection : undefined;
  const before = hooksFor(config, system, 'BeforeModel');
  const after = plannedHooks(config, system, 'AfterModel');
  const { streaming, others } = after ? streamingHooks(after) : noHooks;
  const { onHooks = () => undefined } = follower;
  const show = showing(follower, others);
  const reporting = (event: ModelEvent): PrepareOptions => ({
    context,
    onDecided: (result) => onHooks(event, result),
  });
  const isOnlyStreamed = streaming.length > 0 && others.length === 0;
  return {
    ...(selection && {
      hooksOnSelection: (asked) =>
        selection(() => requestOf(asked), reporting('BeforeToolSelection')),
    }),
    ...(before && {
      hooksBefore: (asked) => before(() => requestOf(asked), reporting('BeforeModel')),
    }),
    ...(streaming.length > 0 && {
      hooksOnText: () =>
        answerStreamInput(after!, streaming, {
          context,
          shown: show,
          decided: (result) => onHooks('AfterModel', result),
        }),
    }),
    ...(after && {
      hooksAfter: (asked, response) =>
        after.prepare(
          () => ({ ...requestOf(asked), llm_response: toHookLLMResponse(response) }),
          reporting('AfterModel'),
        ),
    }),
    selectTools: (asked, outcome) => changed(asked, outcome, withToolConfig),
    rewrite: (asked, outcome) => changed(asked, outcome, withChanges),
    synthetic: (outcome) => syntheticResponse(hookResult(outcome)?.finalOutput),
    call: (asked, signal, hooks) => askModel(callModel, asRequest(asked), { signal, hooks, show }),
    streamed: streamedResponse,
    revise: (response, outcome) =>
      (isOnlyStreamed ? shownResponse : revisedResponse)(
        response,
        hookResult(outcome)?.finalOutput,
        config.onWarning,
      ),
  };
}

/** Returns a request with what hooks changed in it, and their message for the model. */
function changed(
  asked: ModelRequest,
  outcome: HookEventOutcome,
  withTheirs: typeof withChanges,
): GenAIRequest {
  const { finalOutput: output, verdict } = hookResult(outcome) ?? {};
  return withSystemMessage(withTheirs(asRequest(asked), output), verdict?.message);
}

/** Asks the model. One that throws synchronously fails like one that rejects. */
async function askModel(
  callModel: CallModel,
  asked: GenAIRequest,
  { signal, hooks, show }: { signal: AbortSignal; hooks?: AnswerText | undefined; show: ShowText },
): Promise<GenAIResponse> {
  if (hooks === undefined) return callModel(asked, signal, textTo(show));
  const text = new CountedText(hooks, signal);
  const response = await callModel(asked, signal, text);
  await text.complete(textOfResponse(response));
  return response;
}

type ShowText = (text: string) => void;

const noHooks = { streaming: [], others: [] };

/** Passes text to `show` without any hooks. */
export const textTo = (show: ShowText): AnswerText => ({
  add: show,
  end: () => Promise.resolve(),
});

/** Shows text as it streams, unless hooks need the whole answer first. */
function showing(
  { onText, onWait, showsUnjudged = false }: ModelCallFollower,
  waitsFor: readonly string[],
): ShowText {
  if (showsUnjudged || waitsFor.length === 0) return (text) => onText?.(text);
  let isReported = false;
  return () => {
    if (!isReported) onWait?.(waitsFor);
    isReported = true;
  };
}

/**
 * The text of an answer on its way to hooks, which receive all of it, even if the model streams only a part.
 */
class CountedText implements AnswerText {
  readonly #hooks: AnswerText;
  readonly #signal: AbortSignal;
  #given = '';

  constructor(hooks: AnswerText, signal: AbortSignal) {
    this.#hooks = hooks;
    this.#signal = signal;
  }

  add(text: string): void {
    if (this.#signal.aborted || text === '') return;
    this.#given += text;
    this.#hooks.add(text);
  }

  end(): Promise<void> {
    return untilAborted(this.#hooks.end(), this.#signal);
  }

  complete(whole: string): Promise<void> {
    if (whole.startsWith(this.#given)) this.add(whole.slice(this.#given.length));
    return this.end();
  }
}

function untilAborted(ended: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(errorOf(signal.reason));
    if (signal.aborted) return abort();
    const stopListening = onAbort(signal, abort);
    void ended.then(resolve).finally(stopListening);
  });
}

function hasTools({ config }: GenAIRequest & { readonly config?: { readonly tools?: unknown } }) {
  return Array.isArray(config?.tools) && config.tools.length > 0;
}
