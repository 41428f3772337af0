import type { ModelCallOutcome } from '../../machines/model-call.ts';
import type { HookSystemConfig } from '../hooks/config.ts';
import { messageOf } from '../hooks/message-of.ts';
import type { AggregatedHookResult } from '../hooks/results.ts';
import type { GenAIRequest, GenAIResponse } from '../translate/genai-types.ts';
import { emptyResponse } from '../translate/genai-v1.ts';
import { modelCallPorts, type CallModel } from './model-call-ports.ts';
import { hookResult } from './plan-hooks.ts';
import { readyHookSystem, withoutHooks } from './ready-hook-system.ts';
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
  /** What an AfterModel hook tells the model with its next request (C-61). */
  readonly systemMessage?: string;
  readonly error?: unknown;
  /** What the hooks of each phase did, when any ran. */
  readonly selection?: AggregatedHookResult;
  readonly before?: AggregatedHookResult;
  readonly after?: AggregatedHookResult;
}

const events = ['BeforeToolSelection', 'BeforeModel', 'AfterModel'] as const;

/**
 * Takes one model call through its hooks: one `modelCall` machine, or none at all when no hook is
 * configured and nobody watches. Never throws: a failing model is an outcome.
 */
export async function runModelCall(
  config: HookSystemConfig,
  { id, request }: ModelCallRequest,
  callModel: CallModel,
  signal: AbortSignal = new AbortController().signal,
): Promise<EndedModelCall> {
  const ready = readyHookSystem(config);
  const system = ready instanceof Promise ? await ready : ready;
  if (config.inspect === undefined && !events.some((event) => system?.hasHooksFor(event)))
    return ended(await runBare(request, callModel, signal));
  const [{ modelCall }, { runMachine }] = await Promise.all([
    import('../hooks/actors.ts'),
    import('../hooks/run-machine.ts'),
  ]);
  if (signal.aborted) return ended(cancelled(request, signal));
  const ports = modelCallPorts(config, system, callModel);
  const outcome = await runMachine(
    modelCall,
    { id, request, ports },
    { signal, inspect: config.inspect },
  );
  for (const { phase, error } of outcome.failures)
    withoutHooks(config, `${phase}: the hooks broke`, error);
  return ended(outcome);
}

/** The model alone, as if there were no hooks; it need not settle once the call is cancelled. */
function runBare(
  request: GenAIRequest,
  callModel: CallModel,
  signal: AbortSignal,
): ModelCallOutcome | Promise<ModelCallOutcome> {
  if (signal.aborted) return cancelled(request, signal);
  const told = { request, failures: [] };
  return new Promise((resolve) => {
    const cancel = (): void => resolve(cancelled(request, signal));
    signal.addEventListener('abort', cancel, { once: true });
    const asked = async (): Promise<ModelCallOutcome> => {
      try {
        return { ...told, status: 'done', response: await callModel(request, signal) };
      } catch (error) {
        return { ...told, status: 'failed', error };
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    };
    resolve(asked());
  });
}

const cancelled = (request: GenAIRequest, { reason }: AbortSignal): ModelCallOutcome => ({
  status: 'cancelled',
  request,
  failures: [],
  reason: messageOf(reason),
});

/** What an ended model call means for the agent and its user (HOOK-036, 037, 040, 046 to 049, 058, 184, 202). */
function ended(outcome: ModelCallOutcome): EndedModelCall {
  const selection = hookResult(outcome.selection);
  const before = hookResult(outcome.before);
  const after = hookResult(outcome.after);
  const stopping = [selection, before, after].find((phase) =>
    phase?.finalOutput?.shouldStopExecution(),
  )?.finalOutput;
  const blockedReason =
    outcome.status === 'blocked' || outcome.status === 'answered'
      ? before?.finalOutput?.getBlockReason()
      : undefined;
  const response = responseOf(outcome);
  return {
    outcome,
    request: outcome.request as GenAIRequest,
    ...(response && { response }),
    ...(blockedReason !== undefined && { blockedReason }),
    ...(stopping &&
      outcome.status !== 'cancelled' && { stop: { reason: stopping.getStopReason() } }),
    suppressOutput: [before, after].some((phase) => phase?.finalOutput?.suppressOutput === true),
    ...(after?.finalOutput?.systemMessage !== undefined && {
      systemMessage: after.finalOutput.systemMessage,
    }),
    ...(outcome.status === 'failed' && { error: outcome.error }),
    ...(selection && { selection }),
    ...(before && { before }),
    ...(after && { after }),
  };
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
