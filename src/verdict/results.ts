import type { HookVerdict } from '../../machines/hook-event.ts';
import type { Answer } from '../dialects/answer.ts';
import { emptyVerdict } from '../dialects/merge-effects.ts';
import type { HookConflict, Verdict } from '../dialects/verdict.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { DefaultHookOutput, HookOutput } from '../protocol/output.ts';
import type { RegisteredHook } from '../settings/hook-definition.ts';

/** One hook of an event: which it was and how it went (DELTA-HTEL-001, G-18). */
export interface HookExecutionResult extends Answer {
  readonly hook: RegisteredHook;
  readonly event: HookEventName;
}

/** All hooks of an event together (seed 003 "AggregatedHookResult"). */
export interface AggregatedHookResult {
  /** Whether every hook ran cleanly, not what was decided: exit 2 is a denial and no success (HOOK-160, 213). */
  readonly success: boolean;
  /** What the hooks want together; absent when none said anything. Policy is read off this. */
  readonly finalOutput?: DefaultHookOutput;
  /** Each hook's output, in plan order, those of failed hooks too. */
  readonly allOutputs: readonly HookOutput[];
  readonly errors: readonly Error[];
  /** The sum of the hooks' durations, in ms (G-04). */
  readonly totalDuration: number;
  /** How the hooks were run; null when none matched the event. */
  readonly plan: { readonly mode: 'parallel' | 'sequential'; readonly count: number } | null;
  /** One entry per hook that was started, or that denies because it may not be; in plan order. */
  readonly results: readonly HookExecutionResult[];
  /** What the hooks decided together, as plain data. */
  readonly verdict: Verdict;
  /** The final arguments, when a hook put others in place of the tool's; else they are read off `finalOutput`. */
  readonly toolInput?: Readonly<Record<string, unknown>>;
  /** The result in place of the tool's, in the form of `tool_response`. */
  readonly toolResponse?: Readonly<Record<string, unknown>>;
  /** What the agent is to do next, each as a message of the user, in plan order. */
  readonly followUps?: readonly string[];
  /** Fields that hooks set differently. */
  readonly conflicts: readonly HookConflict[];
  /** By merged field, the hook whose value stands. */
  readonly setBy: Readonly<Record<string, string>>;
  /** Where the event itself got stuck; absent when its hooks were run and their ends reported, however they ended. */
  readonly failure?: HookFailure;
}

/** The result of an event that no hook matched; a new object each time (HOOK-145, DELTA-HFAIL-003, 004). */
export const makeEmptySuccessResult = (): AggregatedHookResult => ({
  success: true,
  allOutputs: [],
  errors: [],
  totalDuration: 0,
  plan: null,
  results: [],
  verdict: emptyVerdict,
  conflicts: [],
  setBy: {},
});

/** The stages an event goes through; the first two only when it comes from outside (DELTA-HFAIL-002). */
export type HookStage =
  | 'validation'
  | 'translation'
  | 'planning'
  | 'formatting'
  | 'execution'
  | 'aggregation';

/** Where an event got stuck, and what else is known of it. */
export interface HookFailure {
  readonly stage: HookStage;
  readonly message: string;
  readonly event?: HookEventName;
}

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

/** What the `hookEvent` machine ends with: the machine reads its flags, the engine the whole result. */
export interface EventVerdict extends HookVerdict {
  readonly result: AggregatedHookResult;
}
