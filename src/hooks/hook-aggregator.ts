import type { HookPayload } from '../../machines/hook-event.ts';
import { mergeEffects } from '../dialects/merge-effects.ts';
import { mergeLanes, outputOf, type LaneVerdict } from '../dialects/merge-lanes.ts';
import type { Verdict } from '../dialects/verdict.ts';
import { errorOf, messageOf } from '../message-of.ts';
import { createSpecificHookOutput } from '../translate/model-outputs.ts';
import type { AggregatedHookResult, HookExecutionResult } from '../verdict/results.ts';
import { modeOf, type HookPlan } from './hook-planner.ts';

/** Merges the results of an event's hooks, given in plan order: each lane by its dialect's rules, then all lanes (HOOK-112, 166). */
export function aggregateResults(
  plan: HookPlan,
  results: readonly HookExecutionResult[],
  payload: HookPayload,
  canAsk = true,
): AggregatedHookResult {
  const { verdict: decided, broken } = verdictOf(plan, results, payload);
  const verdict = canAsk ? decided : withoutQuestion(decided);
  const output = outputOf(verdict);
  const [toolInput, toolResponse] = [verdict.changes.tool_input, verdict.changes.tool_response].map(
    (change) => (change && 'whole' in change ? change.whole : undefined),
  );
  return {
    success: broken === undefined && results.every(({ success }) => success),
    ...(output && { finalOutput: createSpecificHookOutput(output, plan.event) }),
    allOutputs: results.flatMap((result) => (result.output ? [result.output] : [])),
    errors: [...results.flatMap(({ error }) => error ?? []), ...(broken ? [broken] : [])],
    totalDuration: results.reduce((sum, { durationMs }) => sum + durationMs, 0),
    plan: { mode: modeOf(plan), count: plan.hooks.length },
    results,
    verdict,
    ...(toolInput && { toolInput }),
    ...(toolResponse && { toolResponse }),
    ...(verdict.followUps.length > 0 && { followUps: verdict.followUps }),
    ...(broken && {
      failure: { event: plan.event, stage: 'aggregation', message: messageOf(broken) },
    }),
    conflicts: verdict.conflicts,
    setBy: verdict.setBy,
  };
}

/** A question that nobody can be asked, and a call that nobody takes up again, are denials (S-02). */
function withoutQuestion(verdict: Verdict): Verdict {
  const { decision, passesUnasked, reason, output: _, ...rest } = verdict;
  if (passesUnasked || (decision !== 'ask' && decision !== 'defer')) return verdict;
  const why =
    decision === 'ask'
      ? 'A hook wants the user to be asked, and nobody can be asked here'
      : 'A hook puts the call off until later, and nobody takes it up again here';
  return {
    ...rest,
    decision: 'deny',
    reason: reason === undefined ? `${why}.` : `${why}: ${reason}`,
  };
}

/** What all lanes decided. Of a dialect that breaks over its answers all count. */
function verdictOf(
  { event, lanes, hooks, dialects }: HookPlan,
  results: readonly HookExecutionResult[],
  payload: HookPayload,
): { readonly verdict: Verdict; readonly broken?: Error } {
  let broken: Error | undefined;
  const merged = lanes.flatMap(({ dialect, mode }): LaneVerdict[] => {
    const own = results.filter(({ hook }) => hook.dialect === dialect);
    const answers = own.map((answer) => ({ hook: answer.hook.name, answer }));
    const positionOf = (name: string): number =>
      hooks.findLastIndex((hook) => hook.dialect === dialect && hook.name === name);
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
    // In a sequence a later hook saw the earlier one's value and meant to change it.
    const lane = {
      verdict: mode === 'parallel' ? verdict : { ...verdict, conflicts: [] },
      positionOf,
    };
    // A failure that denies is ours, and counts whatever the dialect makes of it.
    const denying = answers.filter(
      ({ answer }) => answer.status !== 'ok' && answer.decision === 'deny',
    );
    return denying.length === 0 || verdict.decision === 'deny'
      ? [lane]
      : [lane, { verdict: mergeEffects(event, denying, payload), positionOf }];
  });
  return { verdict: mergeLanes(merged, payload), ...(broken && { broken }) };
}
