import {
  type ModelCallInput,
  modelCallMachine,
  type ModelCallOutcome,
  type ModelCallPorts,
} from '../../../machines/model-call.ts';
import type { AnswerStreamOutcome } from '../../../machines/answer-stream.ts';
import type { EventContext } from '../answers/event-context.ts';
import { hookEvent } from '../run/run-machine.ts';
import { observedSession } from '../run/telemetry.ts';
import type { CallHost } from './call-host.ts';
import { messageOf } from '../../base/message-of.ts';
import type { GenAIRequest, GenAIResponse } from '../translate/genai-types.ts';
import { emptyResponse } from '../translate/genai-v1.ts';
import type { AggregatedHookResult, EventVerdict } from '../answers/results.ts';
import { hookResult, isPending, type Ready, readyHookSystem, runCall } from './event-hooks.ts';
import { answerStream } from './answer-stream-ports.ts';
import { type CallModel, modelCallPorts, type ModelCallFollower } from './model-call-ports.ts';
import type { StopRequest } from './tool-effects.ts';

/** The machine for a model call, with its actors provided once for all runs. */
export const modelCall = modelCallMachine.provide({ actors: { hookEvent, answerStream } });

/** One logical model call, regardless of how often the provider is called for it. */
export interface ModelCallRequest {
  readonly id: string;
  readonly request: GenAIRequest;
}

/** A model call that has ended, with the effects of its hooks applied. */
export interface EndedModelCall {
  readonly outcome: ModelCallOutcome;
  /** The request that was sent, or would have been. */
  readonly request: GenAIRequest;
  /**
   * The response that the agent continues with; absent if the call failed, was cancelled, or was stopped
   * without an answer.
   */
  readonly response?: GenAIResponse;
  /** Why a hook forbade the call; the user reads it. */
  readonly blockedReason?: string;
  readonly stop?: StopRequest;
  /** Whether the response must not be shown to the user. */
  readonly suppressOutput: boolean;
  /**
   * The hooks' message for the model that was not part of this request; it belongs to the next one.
   */
  readonly systemMessage?: string;
  readonly error?: unknown;
  /** The results of the hooks of each phase, if any ran. */
  readonly selection?: AggregatedHookResult;
  readonly before?: AggregatedHookResult;
  readonly after?: AggregatedHookResult;
}

/** Options of a model call, and what is known about it besides the request. */
export interface ModelCallOptions extends EventContext, ModelCallFollower {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs one model call with its hooks, as one `modelCall` machine. Never throws: a failing model is an outcome.
 */
export async function runGenAIModelCall(
  config: CallHost,
  asked: ModelCallRequest,
  callModel: CallModel,
  options: ModelCallOptions = {},
): Promise<EndedModelCall> {
  const ready = readyHookSystem(config);
  const system = isPending(ready) ? await ready : ready;
  return runReadyModelCall(config, system, asked, callModel, options);
}

/** Runs a model call with a hook system that is ready. */
export async function runReadyModelCall(
  config: CallHost,
  system: Ready,
  asked: ModelCallRequest,
  callModel: CallModel,
  { signal, onHooks, onText, onWait, showsUnjudged, ...context }: ModelCallOptions,
): Promise<EndedModelCall> {
  if (signal?.aborted) {
    const reason = messageOf(signal.reason);
    return endedModelCall({ status: 'cancelled', request: asked.request, failures: [], reason });
  }
  const follower = { onHooks, onText, onWait, showsUnjudged };
  const input = modelCallInput(config, system, asked, callModel, follower, context);
  const observed = { ...input, ...observedSession(config, context.sessionId) };
  return endedModelCall(await runCall(config, modelCall, observed, signal));
}

/** A model call as input of the `modelCall` machine, which waits for hooks that are not ready yet. */
export function modelCallInput(
  config: CallHost,
  ready: Ready | Promise<Ready>,
  { id, request }: ModelCallRequest,
  callModel: CallModel,
  follower: ModelCallFollower,
  context: EventContext = {},
): ModelCallInput {
  const portsWith = (system: Ready): ModelCallPorts =>
    modelCallPorts(config, system, { request, callModel, context, ...follower });
  const ports = isPending(ready)
    ? { ...portsWith(undefined), planHooks: () => ready.then(portsWith) }
    : portsWith(ready);
  return { id, request, ports };
}

/**
 * Derives what an ended model call means for the agent and its user.
 */
export function endedModelCall(outcome: ModelCallOutcome): EndedModelCall {
  const selection = hookResult(outcome.selection);
  const before = hookResult(outcome.before);
  const text = outcome.stream && resultOfText(outcome.stream);
  const after = hookResult(outcome.after);
  const phases = [selection, before, text, after];
  const stopping = phases
    .map((phase) => phase?.finalOutput)
    .find((output) => output?.shouldStopExecution());
  // Messages that hooks gave with a request went along if it was sent; otherwise the hooks answered in the
  // model's place.
  const last = wasSent(outcome) ? [text, after] : phases;
  const systemMessages = last.flatMap((phase) => phase?.verdict.message ?? []);
  const response = responseOf(outcome);
  return {
    outcome,
    request: outcome.request as GenAIRequest,
    ...(response && { response }),
    ...((outcome.status === 'blocked' || outcome.status === 'answered') && {
      blockedReason: (text ?? before)?.finalOutput?.getBlockReason() ?? '',
    }),
    ...(stopping &&
      outcome.status !== 'cancelled' && { stop: { reason: stopping.getStopReason() } }),
    suppressOutput: last.some((phase) => phase?.finalOutput?.suppressOutput === true),
    ...(systemMessages.length > 0 &&
      outcome.status !== 'cancelled' && { systemMessage: systemMessages.join('\n') }),
    ...(outcome.status === 'failed' && { error: outcome.error }),
    ...(selection && { selection }),
    ...(before && { before }),
    ...(after && { after }),
  };
}

/** The result of the hooks on an answer's text. */
const resultOfText = ({ verdict }: AnswerStreamOutcome): AggregatedHookResult =>
  (verdict as EventVerdict).result;

/** Whether the model was called. */
function wasSent(outcome: ModelCallOutcome): boolean {
  switch (outcome.status) {
    case 'answered':
      return false;
    case 'blocked':
      return outcome.stream !== undefined;
    case 'stopped':
      return outcome.after !== undefined || outcome.stream !== undefined;
    default:
      return true;
  }
}

function responseOf(outcome: ModelCallOutcome): GenAIResponse | undefined {
  switch (outcome.status) {
    case 'done':
    case 'answered':
    case 'stopped':
      return outcome.response;
    case 'blocked':
      return outcome.response ?? emptyResponse();
    default:
      return undefined;
  }
}
