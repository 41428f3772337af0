import type { HookVerdict } from '../../../machines/hook-event.ts';
import type { Answer } from './answer.ts';
import { emptyVerdict } from './merge-effects.ts';
import type { HookConflict, Verdict } from './verdict.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { DefaultHookOutput, HookOutput } from '../protocol/output.ts';
import type { RegisteredHook } from '../definitions/hook-definition.ts';

/** The result of one hook of an event. */
export interface HookExecutionResult extends Answer {
  readonly hook: RegisteredHook;
  readonly event: HookEventName;
}

/** The joint result of all hooks of an event. */
export interface AggregatedHookResult {
  /**
   * Whether every hook ran cleanly, regardless of the decision: exit 2 is a denial and not a success.
   */
  readonly success: boolean;
  /** The merged output of the hooks; absent if no hook gave any. Callers act on this. */
  readonly finalOutput?: DefaultHookOutput;
  /** Each hook's output in plan order, including those of failed hooks. */
  readonly allOutputs: readonly HookOutput[];
  readonly errors: readonly Error[];
  /** The sum of the hooks' durations, in ms. */
  readonly totalDuration: number;
  /** How the hooks were run; null if none matched the event, or none could be run. */
  readonly plan: { readonly mode: 'parallel' | 'sequential'; readonly count: number } | null;
  /** One entry per hook that was started, or that denies because it may not run; in plan order. */
  readonly results: readonly HookExecutionResult[];
  /** The joint decision of the hooks, as plain data. */
  readonly verdict: Verdict;
  /** The final arguments, if a hook replaced the tool's; otherwise they follow from `finalOutput`. */
  readonly toolInput?: Readonly<Record<string, unknown>>;
  /** The result that replaces the tool's, in the form of `tool_response`. */
  readonly toolResponse?: Readonly<Record<string, unknown>>;
  /** Further tasks for the agent, each a user message, in plan order. */
  readonly followUps?: readonly string[];
  /** Fields to which hooks gave different values. */
  readonly conflicts: readonly HookConflict[];
  /** The hook whose value was used, by merged field. */
  readonly setBy: Readonly<Record<string, string>>;
  /** Where the event itself failed; absent if its hooks ran and were reported, whatever their results. */
  readonly failure?: HookFailure;
}

/** The result of an event that no hook matched; a new object each time. */
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

/** The stages of an event; the first two apply only to events from outside. */
export type HookStage =
  | 'validation'
  | 'translation'
  | 'planning'
  | 'formatting'
  | 'execution'
  | 'aggregation';

/** The stage in which an event failed, and further details. */
export interface HookFailure {
  readonly stage: HookStage;
  readonly message: string;
  readonly event?: HookEventName;
}

/** What the output of any event may ask of the caller. */
export interface CommonHookEffects {
  /** Whether the agent must stop. */
  readonly shouldStop: boolean;
  /** For the user; set whenever the agent must stop. */
  readonly stopReason: string | undefined;
  /** For the model, never for the user. */
  readonly systemMessage: string | undefined;
  /** Whether the operation's result must not be shown to the user. */
  readonly suppressOutput: boolean;
}

/** An event's result with its common fields interpreted. */
export interface ProcessedHookResult extends CommonHookEffects {
  readonly aggregated: AggregatedHookResult;
}

/**
 * Interprets the common fields of the merged output; the only place that defines what they mean.
 */
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
 * Derives what an event's result asks of the caller from its merged output.
 *
 * @example
 * const { shouldStop, stopReason } = processHookResult(await handler.fireBeforeAgentEvent(prompt));
 */
export const processHookResult = (aggregated: AggregatedHookResult): ProcessedHookResult => ({
  aggregated,
  ...commonEffects(aggregated.finalOutput),
});

/** The result of the `hookEvent` machine: the machine reads its flags, the engine the whole result. */
export interface EventVerdict extends HookVerdict {
  readonly result: AggregatedHookResult;
}
