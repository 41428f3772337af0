import { joinTexts } from '../../core/answers/merge-effects.ts';
import type { EventOutcome, Speaker, HostAnswer, Wishes } from '../../core/dialects/speaker.ts';
import {
  behaviourOf,
  decisionWith,
  nestedAnswer,
  type NestedFields,
  stopOf,
} from '../parts/speaking.ts';
import type { CodexEventName } from './events.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Writes answers that Codex obeys: one object at exit 0, all of which is ignored if it has one field
 * too many.
 */
export const speaker: Speaker = {
  title: 'Codex',
  asks: () => false,
  // At the end of a session, Codex allows no more.
  timeoutAt: (event) => (event === 'SessionEnd' ? 3_000 : 600_000),
  write(event, said, wishes): HostAnswer {
    const { top, specific } = answerTo(event as CodexEventName, said, wishes);
    const systemMessage = wishes.take('message');
    return nestedAnswer(event, { top: { ...top, systemMessage }, specific });
  },
};

function answerTo(
  event: CodexEventName,
  { given, native }: EventOutcome,
  wishes: Wishes,
): NestedFields {
  switch (event) {
    case 'PreToolUse':
      return { specific: beforeTool(native, wishes) };
    case 'PermissionRequest':
      return { specific: { decision: behaviourOf(wishes) } };
    case 'PostToolUse': {
      const text = wishes.takeResult();
      const denial = wishes.take('deny');
      const context = wishes.take('context');
      if (text === undefined && denial === undefined)
        return { specific: { additionalContext: context } };
      // The reason takes the place of the result.
      return { top: { decision: 'block', reason: joinTexts([text, denial, context]) } };
    }
    case 'UserPromptSubmit': {
      const reason = wishes.takeRefusal();
      // The context of a prompt that is not sent would arrive with the next one.
      return reason === undefined
        ? { specific: { additionalContext: wishes.take('context') } }
        : { top: { decision: 'block', reason } };
    }
    case 'SessionStart':
      return {
        top: stopOf(wishes),
        specific: { additionalContext: wishes.take('context') },
      };
    case 'SubagentStart':
      return { specific: { additionalContext: wishes.take('context') } };
    case 'Stop':
    case 'SubagentStop': {
      const stop = stopOf(wishes);
      if (stop['continue'] === false) return { top: stop };
      return { top: decisionWith('block', wishes.takeContinuation()) };
    }
    case 'PreCompact': {
      // For an automatic compaction, it would end the turn in the middle of the work.
      if (given['trigger'] !== 'manual') return {};
      const stopReason = wishes.take('deny');
      return { top: stopReason === undefined ? {} : { continue: false, stopReason } };
    }
    default:
      return {};
  }
}

/**
 * Arguments count only beside "allow", which spares the user no question; context beside "allow" would
 * void everything.
 */
function beforeTool(native: Fields, wishes: Wishes): Fields {
  const reason = wishes.take('deny');
  if (reason !== undefined)
    return {
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
      additionalContext: wishes.take('context'),
    };
  if (wishes.peek('toolInput') !== undefined) {
    wishes.take('toolInput');
    return { permissionDecision: 'allow', updatedInput: native['toolInput'] };
  }
  return { additionalContext: wishes.take('context') };
}
