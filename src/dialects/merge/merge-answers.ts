import type { HookEventName } from '../../protocol/events.ts';
import type { MergedAnswers, NamedAnswer } from './field-set.ts';
import { mergeOr } from './merge-or.ts';
import { mergeReplacing } from './merge-replace.ts';
import { mergeUnion } from './merge-union.ts';

/**
 * The answers of an event's hooks, in plan order and of whatever dialects, as one output. What a
 * failed hook printed is left out (C-27), unless its failure denies.
 */
export function mergeAnswers(event: HookEventName, answers: readonly NamedAnswer[]): MergedAnswers {
  const heard = answers.filter(
    ({ answer }) =>
      (answer.status === 'ok' || answer.decision === 'deny') && answer.output !== undefined,
  );
  if (heard.length === 0) return { conflicts: [], setBy: {} };
  switch (event) {
    case 'BeforeTool':
    case 'AfterTool':
    case 'BeforeAgent':
    case 'AfterAgent':
    case 'SessionStart':
      return mergeOr(heard);
    case 'BeforeModel':
      return mergeReplacing(heard, { answerNeedsBlock: true });
    case 'AfterModel':
    case 'SessionEnd':
    case 'PreCompress':
    case 'Notification':
      return mergeReplacing(heard, { answerNeedsBlock: false });
    case 'BeforeToolSelection':
      return mergeUnion(heard);
  }
}
