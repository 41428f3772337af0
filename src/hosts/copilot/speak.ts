import { join } from 'node:path';
import { defined } from '../../base/json.ts';
import { joinTexts } from '../../core/answers/merge-effects.ts';
import type { EventOutcome, Speaker, HostAnswer, Wishes } from '../../core/dialects/speaker.ts';
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
    const answer = defined<Fields>(answerTo(point, said, wishes));
    return Object.keys(answer).length > 0 ? { stdout: answer } : {};
  },
};

function answerTo(point: CopilotPointName, { native }: EventOutcome, wishes: Wishes): Fields {
  switch (point) {
    case 'preToolUse':
      return {
        ...permissionOf(wishes),
        modifiedArgs: wishes.take('toolInput') && native['toolInput'],
        additionalContext: wishes.take('context'),
      };
    case 'permissionRequest':
      return behaviourOf(wishes);
    case 'postToolUse':
      return afterTool(native, wishes);
    case 'postToolUseFailure':
      return { additionalContext: joinTexts([wishes.take('deny'), wishes.take('context')]) };
    case 'userPromptSubmitted': {
      const reason = wishes.takeRefusal();
      return {
        ...(reason !== undefined && { decision: 'block', reason }),
        additionalContext: wishes.take('context'),
      };
    }
    case 'agentStop':
    case 'subagentStop': {
      // The agent ends anyway if the answer says nothing.
      wishes.take('stop');
      const reason = wishes.takeGoingOn();
      return reason === undefined ? {} : { decision: 'block', reason };
    }
    case 'sessionStart':
    case 'subagentStart':
    case 'notification':
      return { additionalContext: wishes.take('context') };
    default:
      return {};
  }
}

/** Returns what the hooks decided on a call: the strictest of their decisions. */
function permissionOf(wishes: Wishes): Fields {
  const words = { deny: 'deny', defer: 'ask', ask: 'ask', allow: 'allow' } as const;
  for (const wish of ['deny', 'defer', 'ask', 'allow'] as const) {
    const reason = wishes.take(wish);
    if (reason !== undefined)
      return {
        permissionDecision: words[wish],
        ...(reason !== '' && { permissionDecisionReason: reason }),
      };
  }
  return {};
}

/** Returns the decision on a permission request. "ask" needs no words: the user is asked anyway. */
function behaviourOf(wishes: Wishes): Fields {
  wishes.take('ask');
  const message = wishes.take('deny');
  const stops = wishes.take('stop') !== undefined;
  if (message !== undefined)
    return { behavior: 'deny', message, ...(stops && { interrupt: true }) };
  // Other arguments were approved, and Copilot does not accept new ones here.
  if (wishes.peek('toolInput') !== undefined) return {};
  return wishes.take('allow') === undefined ? {} : { behavior: 'allow' };
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
    ...(denial !== undefined && { decision: 'block', reason: denial }),
    additionalContext: context,
  };
}
