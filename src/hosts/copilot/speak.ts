import { join } from 'node:path';
import { joinTexts } from '../../core/answers/merge-effects.ts';
import type { EventOutcome, Speaker, HostAnswer, Wishes } from '../../core/dialects/speaker.ts';
import { behaviourOf, decisionWith, flatAnswer, permissionOf } from '../parts/speaking.ts';
import { copilotEventNamed, type CopilotPointName } from './events.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Writes answers that Copilot obeys: one object on stdout, at exit 0, in the flat form, which it reads
 * from both kinds of its hooks.
 */
export const speaker: Speaker = {
  title: 'Copilot',
  sessionIn: ({ sessionId, session_id }) => sessionId ?? session_id,
  projectIn: (_, { COPILOT_PROJECT_DIR }) => [COPILOT_PROJECT_DIR],
  readsItself: (project) =>
    ['settings.json', 'settings.local.json'].map((name) => join(project, '.claude', name)),
  asks: (event) => copilotEventNamed(event)?.point === 'preToolUse',
  timeoutAt: () => 600_000,
  write(event, said, wishes): HostAnswer {
    const { point } = copilotEventNamed(event)!;
    return flatAnswer(answerTo(point, said, wishes));
  },
};

function answerTo(point: CopilotPointName, { native }: EventOutcome, wishes: Wishes): Fields {
  switch (point) {
    case 'preToolUse':
      return {
        ...permissionOf(wishes, { defer: 'ask' }),
        modifiedArgs: wishes.take('toolInput') && native['toolInput'],
        additionalContext: wishes.take('context'),
      };
    case 'permissionRequest':
      return behaviourOf(wishes, { interrupts: true }) ?? {};
    case 'postToolUse':
      return afterTool(native, wishes);
    case 'postToolUseFailure':
      return { additionalContext: joinTexts([wishes.take('deny'), wishes.take('context')]) };
    case 'userPromptSubmitted': {
      return {
        ...decisionWith('block', wishes.takeRefusal()),
        additionalContext: wishes.take('context'),
      };
    }
    case 'agentStop':
    case 'subagentStop': {
      // The agent ends anyway if the answer says nothing.
      wishes.take('stop');
      return decisionWith('block', wishes.takeContinuation());
    }
    case 'sessionStart':
    case 'subagentStart':
    case 'notification':
      return { additionalContext: wishes.take('context') };
    default:
      return {};
  }
}

/** The reason of a block takes the place of the result. */
function afterTool(native: Fields, wishes: Wishes): Fields {
  const denial = wishes.take('deny');
  const context = wishes.take('context');
  if (wishes.take('toolResponse') !== undefined)
    return {
      modifiedResult: native['toolOutput'],
      additionalContext: joinTexts([denial, context]),
    };
  return {
    ...decisionWith('block', denial),
    additionalContext: context,
  };
}
