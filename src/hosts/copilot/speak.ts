import { join } from 'node:path';
import { joinTexts } from '../../core/answers/merge-effects.ts';
import type { Speaker } from '../../core/dialects/speaker.ts';
import {
  behaviourOf,
  decisionWith,
  flatAnswer,
  permissionOf,
  sayAll,
  says,
  type Says,
} from '../parts/speaking.ts';
import { copilotEventNamed, type CopilotPointName } from './events.ts';

const { onlyContinuation, refusal } = says;

const context: Says = (wishes) => ({ top: { additionalContext: wishes.take('context') } });

/** The reason of a block takes the place of the result. */
const result: Says = (wishes, { native }) => {
  const denial = wishes.take('deny');
  const more = wishes.take('context');
  return {
    top:
      wishes.take('toolResponse') === undefined
        ? { ...decisionWith('block', denial), additionalContext: more }
        : { modifiedResult: native['toolOutput'], additionalContext: joinTexts([denial, more]) },
  };
};

const said: Readonly<Partial<Record<CopilotPointName, readonly Says[]>>> = {
  preToolUse: [
    (wishes) => ({ top: permissionOf(wishes, { defer: 'ask' }) }),
    (wishes, { native }) => ({
      top: { modifiedArgs: wishes.take('toolInput') && native['toolInput'] },
    }),
    context,
  ],
  permissionRequest: [(wishes) => ({ top: behaviourOf(wishes, { interrupts: true }) ?? {} })],
  postToolUse: [result],
  postToolUseFailure: [
    (wishes) => ({
      top: { additionalContext: joinTexts([wishes.take('deny'), wishes.take('context')]) },
    }),
  ],
  userPromptSubmitted: [refusal, context],
  agentStop: [onlyContinuation],
  subagentStop: [onlyContinuation],
  sessionStart: [context],
  subagentStart: [context],
  notification: [context],
};

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
  write: (event, outcome, wishes) =>
    flatAnswer(sayAll(said[copilotEventNamed(event)!.point] ?? [], wishes, outcome).top),
};
