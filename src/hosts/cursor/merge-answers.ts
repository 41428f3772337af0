import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookEventName } from '../../core/points/hook-points.ts';
import type { NamedAnswer } from '../../core/answers/answer.ts';
import { mergeEffects, counts } from '../../core/answers/merge-effects.ts';
import type { Verdict } from '../../core/answers/verdict.ts';

/** Merges the answers of several hooks: their contexts are separated by a line of hyphens. */
export function mergeAnswers(
  event: HookEventName,
  answers: readonly NamedAnswer[],
  payload: HookPayload,
): Verdict {
  const verdict = mergeEffects(event, answers, payload);
  if (verdict.context === undefined) return verdict;
  const contexts = answers
    .filter(({ answer }) => counts(answer))
    .flatMap(({ answer }) =>
      answer.effects.flatMap((effect) => (effect.kind === 'context' ? [effect.text] : [])),
    );
  return { ...verdict, context: contexts.join('\n\n---\n\n') };
}
