import { joinTexts } from '../../core/answers/merge-effects.ts';
import type { Speaker } from '../../core/dialects/speaker.ts';
import { behaviourOf, nestedAnswer, sayAll, says, type Says } from '../parts/speaking.ts';
import type { CodexEventName } from './events.ts';

const { context, continuation, message, refusal, stop } = says;

/**
 * Arguments count only beside "allow", which spares the user no question; context beside "allow" would
 * void everything.
 */
const decision: Says = (wishes, { native }) => {
  const reason = wishes.take('deny');
  const isChanged = reason === undefined && wishes.take('toolInput') !== undefined;
  return {
    specific: isChanged
      ? { permissionDecision: 'allow', updatedInput: native['toolInput'] }
      : {
          ...(reason !== undefined && {
            permissionDecision: 'deny',
            permissionDecisionReason: reason,
          }),
          additionalContext: wishes.take('context'),
        },
  };
};

const behaviour: Says = (wishes) => ({ specific: { decision: behaviourOf(wishes) } });

/** The reason takes the place of the result. */
const result: Says = (wishes) => {
  const texts = [wishes.takeResult(), wishes.take('deny')];
  const more = wishes.take('context');
  return texts.every((text) => text === undefined)
    ? { specific: { additionalContext: more } }
    : { top: { decision: 'block', reason: joinTexts([...texts, more]) } };
};

/** The context of a prompt that is not sent would arrive with the next one. */
const prompt: Says = (wishes, outcome) => {
  const said = refusal(wishes, outcome);
  return said.top?.['decision'] === undefined ? context(wishes, outcome) : said;
};

/** For an automatic compaction, it would end the turn in the middle of the work. */
const manual: Says = (wishes, { given }) => {
  const stopReason = given['trigger'] === 'manual' ? wishes.take('deny') : undefined;
  return stopReason === undefined ? {} : { top: { continue: false, stopReason } };
};

const said: Readonly<Partial<Record<CodexEventName, readonly Says[]>>> = {
  PreToolUse: [decision],
  PermissionRequest: [behaviour],
  PostToolUse: [result],
  UserPromptSubmit: [prompt],
  SessionStart: [stop, context],
  SubagentStart: [context],
  Stop: [continuation],
  SubagentStop: [continuation],
  PreCompact: [manual],
};

/**
 * Writes answers that Codex obeys: one object at exit 0, all of which is ignored if it has one field
 * too many.
 */
export const speaker: Speaker = {
  title: 'Codex',
  asks: () => false,
  // At the end of a session, Codex allows no more.
  timeoutAt: (event) => (event === 'SessionEnd' ? 3_000 : 600_000),
  write(event, outcome, wishes) {
    const list = [...(said[event as CodexEventName] ?? []), message];
    return nestedAnswer(event, sayAll(list, wishes, outcome));
  },
};
