import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookEventName } from '../../core/points/hook-points.ts';
import type { NamedAnswer } from '../../core/answers/answer.ts';
import { mergeEffects } from '../../core/answers/merge-effects.ts';
import type { Verdict } from '../../core/answers/verdict.ts';
import { fromCodexResponse } from './tools.ts';

/**
 * Merges the answers of several hooks: texts that replace a result are joined by a blank line, and a
 * stop takes precedence over everything that makes the agent continue.
 */
export function mergeAnswers(
  event: HookEventName,
  answers: readonly NamedAnswer[],
  payload: HookPayload,
): Verdict {
  const verdict = mergeEffects(event, answers, payload);
  if (verdict.decision !== 'deny') return verdict;
  if (event === 'AfterTool') {
    const reason = reasonsOf(answers).join('\n\n');
    return {
      ...verdict,
      reason,
      changes: { ...verdict.changes, tool_response: { whole: fromCodexResponse(reason) } },
      conflicts: [],
    };
  }
  if (event !== 'AfterAgent' && event !== 'SubagentStop') return verdict;
  const { decision, reason: _, ...others } = verdict;
  return verdict.stop ? others : { ...others, decision, reason: reasonsOf(answers).join('\n\n') };
}

const reasonsOf = (answers: readonly NamedAnswer[]): string[] =>
  answers.flatMap(({ answer }) => (answer.decision === 'deny' ? (answer.reason ?? []) : []));
