import type { HookPayload } from '../../../machines/hook-event.ts';
import { defined } from '../../base/json.ts';
import type { Answer } from '../answers/answer.ts';
import { joinTexts, mergeEffects } from '../answers/merge-effects.ts';
import type { AggregatedHookResult } from '../answers/results.ts';
import type { Change, Verdict } from '../answers/verdict.ts';
import type { HookEventName } from '../protocol/events.ts';
import { createToolHookOutput, type HookOutput } from '../protocol/output.ts';
import { createHookOutput } from '../translate/model-outputs.ts';

/*
 * What hooks said and decided, as LLxprt's API shows it. The engine itself acts on answers and verdicts.
 */

/** A verdict as the fields of a result show it. */
export function viewOf(
  event: HookEventName,
  verdict: Verdict,
): Pick<
  AggregatedHookResult,
  'verdict' | 'finalOutput' | 'toolInput' | 'toolResponse' | 'followUps' | 'conflicts' | 'setBy'
> {
  const output = outputOf(verdict);
  const toolInput = wholeOf(verdict.changes.tool_input);
  const toolResponse = wholeOf(verdict.changes.tool_response);
  return {
    verdict,
    ...(output && {
      // As `createSpecificHookOutput`, but a tool call does not run through what translates model calls.
      finalOutput: createToolHookOutput(output, event) ?? createHookOutput(event, output),
    }),
    ...(toolInput && { toolInput }),
    ...(toolResponse && { toolResponse }),
    ...(verdict.followUps.length > 0 && { followUps: verdict.followUps }),
    conflicts: verdict.conflicts,
    setBy: verdict.setBy,
  };
}

/** The value that hooks put in place of a slot's; undefined where they changed single keys at most. */
const wholeOf = (change: Change | undefined) =>
  change && 'whole' in change ? change.whole : undefined;

/** Returns a verdict as the public API shows it; undefined when no hook said anything. */
export function outputOf(verdict: Verdict): HookOutput | undefined {
  if (verdict.output) return verdict.output;
  const { decision, reason, stop, stopReason, context, message, notice, hide, changes, own } =
    verdict;
  const specific = defined<Record<string, unknown>>({
    additionalContext: context,
    ...own,
    ...Object.fromEntries(
      Object.entries(changes).map(([slot, change]) => [
        slot,
        'whole' in change ? change.whole : change.patch,
      ]),
    ),
  });
  const hasSpecific = Object.keys(specific).length > 0;
  const output = defined<HookOutput>({
    decision: shown(decision),
    reason,
    continue: stop ? false : undefined,
    stopReason,
    suppressOutput: hide ? true : undefined,
    systemMessage: joinTexts([message, notice]),
    hookSpecificOutput: hasSpecific ? specific : undefined,
  });
  if (Object.keys(output).length === 0) return undefined;
  return decision === undefined && !stop ? { decision: 'allow', ...output } : output;
}

/** The public API has no deferred calls, so one is shown as a question to the user. */
const shown = (decision: Verdict['decision']): HookOutput['decision'] | undefined =>
  decision === 'defer' ? 'ask' : decision;

/** Adds what a hook said as an output, if its dialect has not done so itself. */
export function withOutput(
  event: HookEventName,
  hook: string,
  answer: Answer,
  payload: HookPayload,
): Answer {
  const isSilent = answer.decision === undefined && !answer.stop && answer.effects.length === 0;
  if (answer.output || isSilent) return answer;
  const output = outputOf(mergeEffects(event, [{ hook, answer }], payload));
  return output ? { ...answer, output } : answer;
}
