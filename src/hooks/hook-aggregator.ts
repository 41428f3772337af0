import type { Dialect } from '../dialects/dialect.ts';
import { createSpecificHookOutput } from '../translate/create-hook-output.ts';
import type { HookPlan } from './hook-planner.ts';
import type { AggregatedHookResult, HookExecutionResult } from './results.ts';

/** Merges the results of an event's hooks, given in plan order, by the rules of their dialect (HOOK-112, 166). */
export function aggregateResults(
  dialect: Dialect,
  plan: HookPlan,
  results: readonly HookExecutionResult[],
): AggregatedHookResult {
  const { output, conflicts, setBy } = dialect.merge(
    plan.event,
    results.map((result) => ({ hook: result.hook.name, answer: result })),
  );
  return {
    success: results.every(({ success }) => success),
    ...(output && { finalOutput: createSpecificHookOutput(output, plan.event) }),
    allOutputs: results.flatMap((result) => (result.output ? [result.output] : [])),
    errors: results.flatMap(({ error }) => (error ? [error] : [])),
    totalDuration: results.reduce((sum, { durationMs }) => sum + durationMs, 0),
    plan: { mode: plan.mode, count: plan.hooks.length },
    results,
    // In a sequence a later hook saw the earlier one's value and meant to change it.
    conflicts: plan.mode === 'parallel' ? conflicts : [],
    setBy,
  };
}
