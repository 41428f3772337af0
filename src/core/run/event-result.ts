import type {
  HookEventInput,
  HookEventOutcome,
  HookPayload,
  HookVerdict,
} from '../../../machines/hook-event.ts';
import { mergeEffects, emptyVerdict, joinTexts } from '../answers/merge-effects.ts';
import { outputOf, viewOf } from '../views/outputs.ts';
import { mergeLanes, type LaneVerdict } from '../answers/merge-lanes.ts';
import { failureDenial } from '../answers/process-facts.ts';
import type { Verdict } from '../answers/verdict.ts';
import { hookPointOf } from '../points/hook-points.ts';
import { errorOf, messageOf } from '../../base/message-of.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HookOutput } from '../protocol/output.ts';
import type {
  AggregatedHookResult,
  EventVerdict,
  HookExecutionResult,
  HookFailure,
  HookStage,
} from '../answers/results.ts';
import type { HookHost } from '../host/config.ts';
import { modeOf } from '../plan/hook-planner.ts';
import type { HookPlan } from '../plan/hook-plan.ts';
import { defined } from '../../base/json.ts';

/**
 * Merges the results of an event's hooks, given in plan order: each lane by its dialect's rules, then all
 * lanes.
 */
export function aggregateResults(
  plan: HookPlan,
  results: readonly HookExecutionResult[],
  payload: HookPayload,
  canAsk = true,
): AggregatedHookResult {
  const { verdict: decided, broken } = mergedLanes(plan, results, payload);
  const verdict = canAsk ? decided : withoutQuestion(decided);
  return {
    success: broken === undefined && results.every(({ success }) => success),
    allOutputs: results.flatMap((result) => (result.output ? [result.output] : [])),
    errors: [...results.flatMap(({ error }) => error ?? []), ...(broken ? [broken] : [])],
    totalDuration: results.reduce((sum, { durationMs }) => sum + durationMs, 0),
    plan: { mode: modeOf(plan), count: plan.hooks.length },
    results,
    ...viewOf(plan.event, verdict),
    ...(broken && {
      failure: { event: plan.event, stage: 'aggregation', message: messageOf(broken) },
    }),
  };
}

/** Adds what hooks that nobody had waited for have said to a result; it decides nothing. */
export function withLate(
  event: HookEventName,
  result: AggregatedHookResult,
  late: Verdict | undefined,
): AggregatedHookResult {
  if (late === undefined) return result;
  const { output: own, ...decided } = result.verdict;
  const { context, message, notice } = late;
  const verdict = {
    ...decided,
    ...(context !== undefined && { context: joinTexts([decided.context, context])! }),
    ...(message !== undefined && { message: joinTexts([decided.message, message])! }),
    ...(notice !== undefined && { notice: joinTexts([decided.notice, notice])! }),
  };
  const output = addedTo(own ?? outputOf(decided) ?? {}, late);
  return {
    ...result,
    ...viewOf(event, { ...verdict, output }),
    verdict: { ...verdict, ...(own && { output }) },
  };
}

/** An output with the texts of late hooks after its own. */
function addedTo(output: HookOutput, { context, message, notice }: Verdict): HookOutput {
  const { hookSpecificOutput: specific, systemMessage } = output;
  const before = specific?.['additionalContext'];
  return defined<HookOutput>({
    ...output,
    systemMessage: joinTexts([systemMessage, message, notice]),
    hookSpecificOutput:
      context === undefined
        ? specific
        : {
            ...specific,
            additionalContext: joinTexts([
              typeof before === 'string' ? before : undefined,
              context,
            ]),
          },
  });
}

/**
 * Turns a question that nobody can be asked, and a deferred call that nobody will resume, into a denial.
 */
function withoutQuestion(verdict: Verdict): Verdict {
  const { decision, passesUnasked, reason, output: _, ...rest } = verdict;
  if (passesUnasked || (decision !== 'ask' && decision !== 'defer')) return verdict;
  const why =
    decision === 'ask'
      ? 'A hook wants the user to be asked, and nobody can be asked here'
      : 'A hook defers the call, and nobody can resume it here';
  return {
    ...rest,
    decision: 'deny',
    unanswered: decision,
    reason: reason === undefined ? `${why}.` : `${why}: ${reason}`,
  };
}

/** Returns what all lanes decided. If a dialect throws on its answers, they are merged by our own rules. */
function mergedLanes(
  { event, lanes, dialects }: HookPlan,
  results: readonly HookExecutionResult[],
  payload: HookPayload,
): { readonly verdict: Verdict; readonly broken?: Error } {
  let broken: Error | undefined;
  const merged = lanes.flatMap(({ dialect, mode }): LaneVerdict[] => {
    const answers = results.flatMap((answer, position) =>
      answer.hook.dialect === dialect ? [{ hook: answer.hook.name, answer, position }] : [],
    );
    let verdict: Verdict;
    try {
      const merge = dialects.get(dialect)!.merge ?? mergeEffects;
      verdict = merge(event, answers, payload);
    } catch (error) {
      broken = errorOf(error);
      verdict = mergeEffects(event, answers, payload);
    }
    const { approves, unasked } = dialects.get(dialect)!;
    verdict = {
      ...verdict,
      ...(approves && verdict.decision === 'allow' && { approved: true }),
      ...(unasked === 'passes' && verdict.decision === 'ask' && { passesUnasked: true }),
    };
    // In a sequence, a later hook saw the earlier one's value and meant to change it.
    const lane = {
      verdict: mode === 'parallel' ? verdict : { ...verdict, conflicts: [] },
      answers,
    };
    // A failure that denies is ours, and counts whatever the dialect does with it.
    const denying = answers.filter(
      ({ answer }) => answer.status !== 'ok' && answer.decision === 'deny',
    );
    return denying.length === 0 || verdict.decision === 'deny'
      ? [lane]
      : [lane, { verdict: mergeEffects(event, denying, payload), answers: denying }];
  });
  const verdict = merged.length === 1 ? merged[0]!.verdict : mergeLanes(merged, payload);
  return { verdict, ...(broken && { broken }) };
}

/** The result of an event whose hooks could not be run. */
export type FailureEnvelope = AggregatedHookResult & { readonly failure: HookFailure };

/**
 * Returns the result of an event whose hooks could not be run: no success, and the caller proceeds. This is the only place where such a result is made.
 *
 * @example
 * buildFailureEnvelope(new Error('no such folder'), 'execution', { event: 'BeforeTool' }).failure;
 * // { event: 'BeforeTool', stage: 'execution', message: 'no such folder' }
 */
export function buildFailureEnvelope(
  error: unknown,
  stage: HookStage,
  meta: Omit<HookFailure, 'stage' | 'message'> = {},
): FailureEnvelope {
  const cause = errorOf(error);
  return {
    success: false,
    allOutputs: [],
    errors: [cause],
    totalDuration: 0,
    plan: null,
    results: [],
    verdict: emptyVerdict,
    conflicts: [],
    setBy: {},
    failure: { ...meta, stage, message: messageOf(cause) },
  };
}

const denialOf = (reason: string, guard?: string): Verdict => ({
  ...emptyVerdict,
  decision: 'deny',
  reason,
  ...(guard !== undefined && { setBy: { decision: guard } }),
});

/** The result of an event whose hooks could not be run, if `guard`, one of them, denies when it fails. */
export const denyingEnvelope = (
  error: unknown,
  stage: HookStage,
  event: HookEventName,
  guard: string,
): FailureEnvelope => {
  const envelope = buildFailureEnvelope(error, stage, { event });
  const denial = failureDenial(guard, envelope.failure.message);
  return { ...envelope, ...viewOf(event, denialOf(denial.reason, guard)) };
};

/** The denial of an event whose guards are unknown; `file` is where they should be. */
export const refusingEnvelope = (
  problem: string,
  event: HookEventName,
  file = 'settings',
): FailureEnvelope => {
  return {
    ...buildFailureEnvelope(new Error(problem), 'planning', { event }),
    ...viewOf(event, denialOf(`Blocked because of ${problem}`, file)),
  };
};

/** Whether an event is blocked when its hooks cannot be run, as the host configured it. */
export const isBlockedUnready = (config: HookHost, event: HookEventName): boolean =>
  config.onUnready === 'block' && hookPointOf(event).needsGuards;

/** The result of an event whose hooks could not be run, if that blocks the event. */
export const unreadyEnvelope = (
  error: unknown,
  stage: HookStage,
  event: HookEventName,
): FailureEnvelope => {
  const envelope = buildFailureEnvelope(error, stage, { event });
  const reason = `Blocked because the hooks could not be run: ${envelope.failure.message}`;
  return { ...envelope, ...viewOf(event, denialOf(reason)) };
};

/** An event's result with the flags that the machine reads. */
export const verdictOf = (result: AggregatedHookResult): EventVerdict => ({
  blocked: result.verdict.decision === 'deny',
  stop: result.verdict.stop,
  ...askedOf(result.verdict),
  followUp: result.followUps !== undefined,
  result,
});

/** What must happen before the operation continues; empty if it just continues. */
const askedOf = ({ decision, passesUnasked, approved }: Verdict): Partial<HookVerdict> => ({
  ...(decision === 'ask' && !passesUnasked && { ask: true }),
  ...(decision === 'defer' && { defer: true }),
  ...(approved && { approved }),
});

/** The merged result of all hooks of an event. */
export const resultOf = ({ verdict }: HookEventOutcome): AggregatedHookResult =>
  (verdict as EventVerdict).result;

/** Machine input for an event whose hooks cannot run: its result is fixed from the start. */
export const settledInput = (
  event: HookEventName,
  result: AggregatedHookResult,
  report: () => void,
): HookEventInput => ({
  event,
  hooks: [],
  lanes: [],
  payload: {},
  rules: { prepare: noHook, read: noHook, merge: () => verdictOf(result) },
  reports: { answered: noHook, decided: report },
});

function noHook(): never {
  throw new Error('There is no hook to ask this of.');
}
