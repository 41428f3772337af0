import type { ModelCallOutcome } from '../../machines/model-call.ts';
import type { HookSystemConfig } from '../hooks/config.ts';
import type { AggregatedHookResult } from '../hooks/results.ts';
import type { GenAIRequest, GenAIResponse } from '../translate/genai-types.ts';
import { emptyResponse } from '../translate/genai-v1.ts';
import {
  hasTools,
  modelCallPorts,
  type ModelEvent,
  modelEvents,
  type CallModel,
  type OnHooks,
} from './model-call-ports.ts';
import { hookResult } from './plan-hooks.ts';
import { runCall, type CallOrigin, type GiveUp, type HookedCall } from './run-call.ts';
import type { StopRequest } from './tool-effects.ts';

/** One logical model call, however often the provider is asked for it (C-90). */
export interface ModelCallRequest {
  readonly id: string;
  readonly request: GenAIRequest;
}

/** A model call that has ended, with the effects of its hooks applied. */
export interface EndedModelCall {
  readonly outcome: ModelCallOutcome;
  /** The request that was sent, or would have been. */
  readonly request: GenAIRequest;
  /** What the agent goes on with; absent when the call failed, was cancelled, or was stopped without an answer. */
  readonly response?: GenAIResponse;
  /** Why a hook forbade the call; the user reads it (C-81). */
  readonly blockedReason?: string;
  readonly stop?: StopRequest;
  /** The response is not for the user (HOOK-049). */
  readonly suppressOutput: boolean;
  /** What hooks tell the model that it was not told with this request; it belongs to the next one (HOOK-159, C-61). */
  readonly systemMessage?: string;
  readonly error?: unknown;
  /** What the hooks of each phase did, when any ran. */
  readonly selection?: AggregatedHookResult;
  readonly before?: AggregatedHookResult;
  readonly after?: AggregatedHookResult;
}

export interface ModelCallOptions {
  readonly signal?: AbortSignal;
  readonly onHooks?: OnHooks;
  readonly origin?: CallOrigin | undefined;
}

/**
 * Takes one model call through its hooks: one `modelCall` machine, or none at all when no hook is
 * configured and nobody watches. Never throws: a failing model is an outcome.
 */
export async function runModelCall(
  config: HookSystemConfig,
  { id, request }: ModelCallRequest,
  callModel: CallModel,
  {
    signal = new AbortController().signal,
    onHooks = () => undefined,
    origin,
  }: ModelCallOptions = {},
): Promise<EndedModelCall> {
  const told = { request, failures: [] };
  const outcome = await runCall<ModelCallOutcome, Told>(
    config,
    {
      told,
      events: modelEvents,
      withHooks: ({ modelCall }, system, run) =>
        run(modelCall, {
          id,
          request,
          ports: modelCallPorts(config, system, callModel, onHooks),
        }),
      withoutHooks: async () => {
        try {
          return { ...told, status: 'done', response: await callModel(request, signal) };
        } catch (error) {
          return { ...told, status: 'failed', error };
        }
      },
      withoutMachine: (call, giveUp) => withoutMachine(call, giveUp, onHooks),
      cancelled: (reason) => ({ ...told, status: 'cancelled', reason }),
    },
    signal,
    origin,
  );
  return ended(outcome);
}

type Told = Pick<ModelCallOutcome, 'request' | 'failures'>;

async function withoutMachine(
  { told, withoutHooks }: HookedCall<ModelCallOutcome, Told>,
  giveUp: GiveUp,
  onHooks: OnHooks,
): Promise<ModelCallOutcome> {
  const phase = (event: ModelEvent): ReturnType<GiveUp> => {
    const given = giveUp(event);
    const result = hookResult(given);
    if (result !== undefined) onHooks(event, result);
    return given;
  };
  // Without tools there is nothing to select from (HOOK-053).
  const selection = hasTools(told.request as GenAIRequest)
    ? phase('BeforeToolSelection')
    : undefined;
  const before = phase('BeforeModel');
  const earlier = { ...(selection && { selection }), ...(before && { before }) };
  if (before?.verdict.blocked) return { ...told, ...earlier, status: 'blocked', stop: false };
  const done = await withoutHooks();
  const after = done.status === 'done' ? phase('AfterModel') : undefined;
  return { ...done, ...earlier, ...(after && { after }) };
}

/** What an ended model call means for the agent and its user (HOOK-036, 037, 040, 046 to 049, 058, 184, 202). */
function ended(outcome: ModelCallOutcome): EndedModelCall {
  const selection = hookResult(outcome.selection);
  const before = hookResult(outcome.before);
  const after = hookResult(outcome.after);
  const outputs = [selection, before, after].map((phase) => phase?.finalOutput);
  const stopping = outputs.find((output) => output?.shouldStopExecution());
  // What hooks said beside a request that was sent went with it; else they spoke in the model's place.
  const last = wasSent(outcome) ? outputs.slice(-1) : outputs;
  const systemMessages = last.flatMap((output) => output?.systemMessage ?? []);
  const response = responseOf(outcome);
  return {
    outcome,
    request: outcome.request as GenAIRequest,
    ...(response && { response }),
    ...((outcome.status === 'blocked' || outcome.status === 'answered') && {
      blockedReason: before?.finalOutput?.getBlockReason() ?? '',
    }),
    ...(stopping &&
      outcome.status !== 'cancelled' && { stop: { reason: stopping.getStopReason() } }),
    suppressOutput: last.some((output) => output?.suppressOutput === true),
    ...(systemMessages.length > 0 &&
      outcome.status !== 'cancelled' && { systemMessage: systemMessages.join('\n') }),
    ...(outcome.status === 'failed' && { error: outcome.error }),
    ...(selection && { selection }),
    ...(before && { before }),
    ...(after && { after }),
  };
}

/** Whether the model was asked. */
function wasSent(outcome: ModelCallOutcome): boolean {
  switch (outcome.status) {
    case 'answered':
    case 'blocked':
      return false;
    case 'stopped':
      return outcome.after !== undefined;
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
      return emptyResponse();
    default:
      return undefined;
  }
}
