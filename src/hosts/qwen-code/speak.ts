import { joinTexts } from '../../core/answers/merge-effects.ts';
import type { Speaker, Wishes } from '../../core/dialects/speaker.ts';
import { behaviourOf, nestedAnswer, sayAll, says, type Says } from '../parts/speaking.ts';
import type { QwenEventName } from './events.ts';

type Fields = Readonly<Record<string, unknown>>;

const { context, message, hide, onlyContinuation, refusal } = says;

/** If another hook says "allow" in `permissionDecision`, a denial counts only there. */
const decision: Says = (wishes) => {
  const reason = wishes.take('deny');
  if (reason !== undefined)
    return {
      top: { decision: 'deny', reason },
      specific: { permissionDecision: 'deny', permissionDecisionReason: reason },
    };
  const question = wishes.take('ask') ?? wishes.take('defer');
  return question === undefined
    ? {}
    : { specific: { permissionDecision: 'ask', permissionDecisionReason: question } };
};

const behaviour: Says = (wishes, { native: { toolInput: input } }) => {
  const said = behaviourOf(wishes, { takesInput: true, input });
  return { specific: { decision: said && shortened(said) } };
};

const contextOf = (wishes: Wishes): string | undefined =>
  joinTexts([wishes.take('deny'), wishes.take('context')]);

/** A denial has no effect here; the reason of a stop replaces the result, and the agent goes on. */
const result: Says = (wishes) => {
  const text = wishes.takeResult();
  const more = contextOf(wishes);
  return text === undefined
    ? { specific: { additionalContext: more } }
    : { top: { continue: false, stopReason: joinTexts([text, more]) } };
};

const said: Readonly<Partial<Record<QwenEventName, readonly Says[]>>> = {
  PreToolUse: [decision],
  PermissionRequest: [behaviour],
  PostToolUse: [result],
  PostToolUseFailure: [(wishes) => ({ specific: { additionalContext: contextOf(wishes) } })],
  Stop: [onlyContinuation],
  SubagentStop: [onlyContinuation],
  UserPromptSubmit: [refusal, context],
  UserPromptExpansion: [refusal, context],
  PostToolBatch: [refusal, context],
  TodoCreated: [refusal],
  TodoCompleted: [refusal],
  SessionStart: [context],
  SubagentStart: [context],
};

/**
 * Writes the answers that Qwen Code obeys: one object on stdout, with exit 0. With exit 2 only stderr
 * would be read, where some program's warning could precede the answer.
 */
export const speaker: Speaker = {
  title: 'Qwen Code',
  projectIn: (_, { QWEN_PROJECT_DIR }) => [QWEN_PROJECT_DIR],
  asks: (event) => event === 'PreToolUse',
  // Before a tool, Qwen Code never waits longer, whatever its settings say.
  timeoutAt: () => 60_000,
  write(event, outcome, wishes) {
    const list = [...(said[event as QwenEventName] ?? []), message, hide];
    const { top, specific } = sayAll(list, wishes, outcome);
    return Buffer.byteLength(JSON.stringify([top, specific])) > mostBytes
      ? nestedAnswer(event, { top: shortened(top), specific: shortened(specific) })
      : nestedAnswer(event, { top, specific });
  },
};

/** Qwen Code reads nothing of an output above 1 MiB, not even a denial. */
const mostBytes = 1_000_000;

/** In characters: four texts of this length are short enough even if every character is escaped. */
const longestText = 40_000;

const shortened = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) =>
      typeof value === 'string' && value.length > longestText
        ? [name, `${value.slice(0, longestText)} …`]
        : [name, value],
    ),
  );
