import { isDeepStrictEqual } from 'node:util';
import type { HookAnswer, HookPayload, Recheck } from '../../../machines/hook-event.ts';
import type { Answer } from '../answers/answer.ts';
import { passChanges, valueAfter } from '../answers/merge-effects.ts';
import { hookPointOf, type Slot } from '../points/hook-points.ts';
import type { HookOutput } from '../protocol/output.ts';
import type { AggregatedHookResult, HookExecutionResult } from '../answers/results.ts';
import type { HookPlan } from '../plan/hook-plan.ts';
import { defined } from '../../base/json.ts';

/** A hook's answer, as the machine keeps it. */
export interface KeptAnswer extends HookExecutionResult, HookAnswer {
  /** The payload that the hook received. */
  readonly received: HookPayload;
}

/**
 * Returns the hooks that judged something other than what would run now: what they received, with their own
 * changes, differs from it. Nothing is asked again about what is denied or stopped.
 */
export function recheckAfter(
  { hooks, event }: HookPlan,
  payload: HookPayload,
  answers: readonly (HookAnswer | undefined)[],
  { verdict }: AggregatedHookResult,
): Recheck | undefined {
  if (hookPointOf(event).denial !== 'prevents' || verdict.decision === 'deny' || verdict.stop)
    return undefined;
  const changed = Object.entries(verdict.changes).filter(([slot]) => judgedSlots.includes(slot));
  if (changed.length === 0) return undefined;
  const final = changed.reduce<HookPayload>(
    (made, [slot, change]) => ({ ...made, [slot]: valueAfter(change, payload[slot]) }),
    payload,
  );
  const positions = [...hooks.keys()].filter((position) => {
    const answer = answers[position] as KeptAnswer | undefined;
    if (answer?.status !== 'ok') return false;
    const judged = passChanges(event, answer.received, answer);
    return changed.some(([slot]) => !isDeepStrictEqual(judged[slot], final[slot]));
  });
  return positions.length > 0 ? { positions, payload: final } : undefined;
}

/** What hooks judge before it runs; a response is a hook's own. */
const judgedSlots: readonly string[] = ['tool_input', 'llm_request'] satisfies Slot[];

/**
 * The answer of a hook that is asked once more: it may deny or ask, but change nothing; what it has already
 * said counts once.
 */
export function judgingOnly<A extends Answer>(answer: A, first: Answer): A {
  const judging = answer.effects.filter(({ kind }) => kind !== 'replace' && kind !== 'patch');
  const note = 'its changes were ignored, because it was asked again about the final arguments';
  const { hookSpecificOutput: _, ...output } = answer.output ?? {};
  const repeatsReason = answer.decision === first.decision && answer.reason === first.reason;
  return defined<A>({
    ...answer,
    effects: judging.filter(
      (effect) => !first.effects.some((said) => isDeepStrictEqual(effect, said)),
    ),
    reason: repeatsReason ? undefined : answer.reason,
    ...(answer.output && {
      output: defined<HookOutput>({
        ...output,
        systemMessage:
          output.systemMessage === first.output?.systemMessage ? undefined : output.systemMessage,
        reason: repeatsReason ? undefined : output.reason,
      }),
    }),
    ...(judging.length < answer.effects.length && { notes: [...answer.notes, note] }),
  });
}
