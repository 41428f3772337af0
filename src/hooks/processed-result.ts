import type { DefaultHookOutput } from '../protocol/output.ts';
import type { AggregatedHookResult } from '../verdict/results.ts';

/** What any event's output may ask of the caller, whatever the event (DELTA-HRUN-001). */
export interface CommonHookEffects {
  /** The agent is to stop. */
  readonly shouldStop: boolean;
  /** For the user; there whenever the agent is to stop (DELTA-HRUN-002). */
  readonly stopReason: string | undefined;
  /** For the model, never for the user (HOOK-159). */
  readonly systemMessage: string | undefined;
  /** What comes of the operation is not for the user. */
  readonly suppressOutput: boolean;
}

/** An event's result with the meaning of its common fields worked out (seed 003, DELTA-HRUN-004). */
export interface ProcessedHookResult extends CommonHookEffects {
  readonly aggregated: AggregatedHookResult;
}

/** The common fields of the merged output; the one place that says what they mean (C-38, C-39, C-60, DELTA-HAPP-001). */
export function commonEffects(output: DefaultHookOutput | undefined): CommonHookEffects {
  const shouldStop = output?.shouldStopExecution() ?? false;
  return {
    shouldStop,
    stopReason: shouldStop ? output?.getStopReason() : undefined,
    systemMessage: output?.systemMessage === '' ? undefined : output?.systemMessage,
    suppressOutput: output?.suppressOutput === true,
  };
}

/**
 * What an event's result asks of the caller, read off its merged output.
 *
 * @example
 * const { shouldStop, stopReason } = processHookResult(await handler.fireBeforeAgentEvent(prompt));
 */
export const processHookResult = (aggregated: AggregatedHookResult): ProcessedHookResult => ({
  aggregated,
  ...commonEffects(aggregated.finalOutput),
});
