import type { HookPayload } from '../../machines/hook-event.ts';
import { mergeAnswers } from '../dialects/merge/merge-answers.ts';
import { isRecord, type HookOutput } from '../protocol/output.ts';
import { createSpecificHookOutput } from '../translate/model-outputs.ts';
import type { HookPlan } from './hook-planner.ts';
import { errorOf, messageOf } from '../message-of.ts';
import type { AggregatedHookResult, HookExecutionResult } from '../verdict/results.ts';

/** Merges the results of an event's hooks, given in plan order: of each dialect's, those that stand (HOOK-112, 166). */
export function aggregateResults(
  plan: HookPlan,
  results: readonly HookExecutionResult[],
  payload: HookPayload,
): AggregatedHookResult {
  const { standing, broken } = standingOf(plan, results);
  const { output, conflicts, setBy } = mergeAnswers(
    plan.event,
    standing.map((result) => ({ hook: result.hook.name, answer: result })),
  );
  const toolInput = finalToolInput(standing, payload);
  const { toolResponse, hook } = standing.findLast((result) => result.toolResponse) ?? {};
  const followUps = standing.flatMap((result) => result.followUps ?? []);
  const told = withReplaced(output, {
    ...(toolInput && { tool_input: toolInput }),
    ...(toolResponse && { tool_response: toolResponse }),
  });
  return {
    success: broken === undefined && results.every(({ success }) => success),
    ...(told && { finalOutput: createSpecificHookOutput(told, plan.event) }),
    allOutputs: results.flatMap((result) => (result.output ? [result.output] : [])),
    errors: [...results.flatMap(({ error }) => error ?? []), ...(broken ? [broken] : [])],
    totalDuration: results.reduce((sum, { durationMs }) => sum + durationMs, 0),
    plan: { mode: plan.mode, count: plan.hooks.length },
    results,
    ...(toolInput && { toolInput }),
    ...(toolResponse && { toolResponse }),
    ...(followUps.length > 0 && { followUps }),
    // In a sequence a later hook saw the earlier one's value and meant to change it.
    ...(broken && {
      failure: { event: plan.event, stage: 'aggregation', message: messageOf(broken) },
    }),
    conflicts: plan.mode === 'parallel' ? conflicts : [],
    setBy: {
      ...setBy,
      ...(toolInput && { tool_input: standing.findLast((one) => one.toolInput)!.hook.name }),
      ...(hook && { tool_response: hook.name }),
    },
  };
}

/** For callers who read changes off the output alone. */
const withReplaced = (
  output: HookOutput | undefined,
  replaced: Readonly<Record<string, unknown>>,
): HookOutput | undefined =>
  Object.keys(replaced).length === 0
    ? output
    : {
        decision: 'allow',
        ...output,
        hookSpecificOutput: { ...output?.hookSpecificOutput, ...replaced },
      };

/**
 * The answers that count in their dialects, in plan order; a failure that denies is ours, and counts in
 * each. Of a dialect that breaks over them all count.
 */
function standingOf(
  { hooks, dialects }: HookPlan,
  results: readonly HookExecutionResult[],
): { readonly standing: readonly HookExecutionResult[]; readonly broken?: Error } {
  const denying = results.filter(({ status, decision }) => status !== 'ok' && decision === 'deny');
  const others = results.filter((result) => !denying.includes(result));
  let broken: Error | undefined;
  const standing = Array.from(dialects.values(), (dialect) => {
    const own = others.filter(({ hook }) => hook.dialect === dialect.name);
    try {
      return dialect.standing(own);
    } catch (error) {
      broken = errorOf(error);
      return own;
    }
  })
    .flat()
    .concat(denying)
    .toSorted((one, other) => hooks.indexOf(one.hook) - hooks.indexOf(other.hook));
  return { standing, ...(broken && { broken }) };
}

/** The arguments after all changes, in plan order; undefined when every change is spread over the tool's own. */
function finalToolInput(
  standing: readonly HookExecutionResult[],
  { tool_input: original }: HookPayload,
): Readonly<Record<string, unknown>> | undefined {
  if (!standing.some(({ toolInput }) => toolInput)) return undefined;
  return standing
    .filter(({ status }) => status === 'ok')
    .reduce<Readonly<Record<string, unknown>>>(
      (input, { toolInput, output }) => {
        const change = output?.hookSpecificOutput?.['tool_input'];
        return toolInput ?? (isRecord(change) ? { ...input, ...change } : input);
      },
      isRecord(original) ? original : {},
    );
}
