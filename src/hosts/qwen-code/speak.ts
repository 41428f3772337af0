import { joinTexts } from '../../core/answers/merge-effects.ts';
import type { EventOutcome, Speaker, HostAnswer, Wishes } from '../../core/dialects/speaker.ts';
import { behaviourOf, decisionWith, nestedAnswer, type NestedFields } from '../parts/speaking.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Writes the answers that Qwen Code obeys: one object on stdout, with exit 0. With exit 2 only stderr
 * would be read, where some program's warning could precede the answer. If another hook says "allow" in
 * `permissionDecision`, a denial counts only there.
 */
export const speaker: Speaker = {
  title: 'Qwen Code',
  projectIn: (_, { QWEN_PROJECT_DIR }) => [QWEN_PROJECT_DIR],
  asks: (event) => event === 'PreToolUse',
  // Before a tool, Qwen Code never waits longer, whatever its settings say.
  timeoutAt: () => 60_000,
  write(event, said, wishes): HostAnswer {
    const { top, specific = {} } = answerTo(event, said, wishes);
    const [systemMessage, suppressOutput] = [wishes.take('message'), wishes.take('hide')];
    const outer = { ...top, systemMessage, suppressOutput };
    return Buffer.byteLength(JSON.stringify([outer, specific])) > mostBytes
      ? nestedAnswer(event, { top: shortened(outer), specific: shortened(specific) })
      : nestedAnswer(event, { top: outer, specific });
  },
};

/** Qwen Code reads nothing of an output above 1 MiB, not even a denial. */
const mostBytes = 1_000_000;

/** In characters: four texts of this length are short enough even if every character is escaped. */
const longestText = 40_000;

const cut = (text: string): string =>
  text.length <= longestText ? text : `${text.slice(0, longestText)} …`;

const shortened = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? cut(value) : value,
    ]),
  );

function answerTo(event: string, { native }: EventOutcome, wishes: Wishes): NestedFields {
  switch (event) {
    case 'PreToolUse':
      return beforeTool(wishes);
    case 'PermissionRequest':
      return {
        specific: { decision: shortBehaviour(wishes, native['toolInput']) },
      };
    case 'PostToolUse':
      return afterTool(wishes);
    case 'PostToolUseFailure':
      return { specific: { additionalContext: contextOf(wishes) } };
    case 'Stop':
    case 'SubagentStop': {
      // The agent stops by itself if no hook says anything; with a stop it would go on.
      wishes.take('stop');
      return { top: decisionWith('block', wishes.takeContinuation()) };
    }
    case 'UserPromptSubmit':
    case 'UserPromptExpansion':
    case 'PostToolBatch':
      return { top: denialOf(wishes), specific: { additionalContext: wishes.take('context') } };
    case 'TodoCreated':
    case 'TodoCompleted':
      return { top: denialOf(wishes) };
    case 'SessionStart':
    case 'SubagentStart':
      return { specific: { additionalContext: wishes.take('context') } };
    default:
      return {};
  }
}

function beforeTool(wishes: Wishes): NestedFields {
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
}

function shortBehaviour(wishes: Wishes, input: unknown): Fields | undefined {
  const behaviour = behaviourOf(wishes, { takesInput: true, input });
  return behaviour && shortened(behaviour);
}

/** A denial has no effect here; the reason of a stop replaces the result, and the agent goes on. */
function afterTool(wishes: Wishes): NestedFields {
  const text = wishes.takeResult();
  const context = contextOf(wishes);
  return text === undefined
    ? { specific: { additionalContext: context } }
    : { top: { continue: false, stopReason: joinTexts([text, context]) } };
}

const contextOf = (wishes: Wishes): string | undefined =>
  joinTexts([wishes.take('deny'), wishes.take('context')]);

const denialOf = (wishes: Wishes): Fields => decisionWith('block', wishes.takeRefusal());
