import { defined } from '../../base/json.ts';
import { joinTexts } from '../../core/answers/merge-effects.ts';
import type { EventOutcome, Speaker, HostAnswer, Wishes } from '../../core/dialects/speaker.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Answer {
  /** The fields next to `hookSpecificOutput`. */
  readonly top?: Fields;
  readonly specific?: Fields;
}

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
    const { top: first, specific = {} } = answerTo(event, said, wishes);
    const own = defined<Fields>(specific);
    const top = defined<Fields>({
      ...first,
      systemMessage: wishes.take('message'),
      suppressOutput: wishes.take('hide'),
    });
    const isLong = Buffer.byteLength(JSON.stringify([top, own])) > mostBytes;
    const [outer, inner] = isLong ? [shortened(top), shortened(own)] : [top, own];
    const answer = {
      ...outer,
      ...(Object.keys(own).length > 0 && {
        hookSpecificOutput: { hookEventName: event, ...inner },
      }),
    };
    return Object.keys(answer).length > 0 ? { stdout: answer } : {};
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

function answerTo(event: string, { native }: EventOutcome, wishes: Wishes): Answer {
  switch (event) {
    case 'PreToolUse':
      return beforeTool(wishes);
    case 'PermissionRequest':
      return { specific: { decision: behaviourOf(native, wishes) } };
    case 'PostToolUse':
      return afterTool(wishes);
    case 'PostToolUseFailure':
      return { specific: { additionalContext: contextOf(wishes) } };
    case 'Stop':
    case 'SubagentStop': {
      // The agent stops by itself if no hook says anything; with a stop it would go on.
      wishes.take('stop');
      const reason = wishes.takeGoingOn();
      return { top: reason === undefined ? {} : { decision: 'block', reason } };
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

function beforeTool(wishes: Wishes): Answer {
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

/** The user is asked anyway, so a wish to ask needs no answer. */
function behaviourOf(native: Fields, wishes: Wishes): Fields | undefined {
  wishes.take('ask');
  const message = wishes.take('deny');
  if (message !== undefined) return { behavior: 'deny', message: cut(message) };
  if (wishes.take('allow') === undefined) return undefined;
  return defined<Fields>({
    behavior: 'allow',
    updatedInput: wishes.take('toolInput') && native['toolInput'],
  });
}

/** A denial has no effect here; the reason of a stop replaces the result, and the agent goes on. */
function afterTool(wishes: Wishes): Answer {
  const text = wishes.takeResult();
  const context = contextOf(wishes);
  return text === undefined
    ? { specific: { additionalContext: context } }
    : { top: { continue: false, stopReason: joinTexts([text, context]) } };
}

const contextOf = (wishes: Wishes): string | undefined =>
  joinTexts([wishes.take('deny'), wishes.take('context')]);

function denialOf(wishes: Wishes): Fields {
  const reason = wishes.takeRefusal();
  return reason === undefined ? {} : { decision: 'block', reason };
}
