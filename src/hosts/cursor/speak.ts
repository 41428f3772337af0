import { join } from 'node:path';
import { homeFolder } from '../../settings/files/levels.ts';
import { joinTexts } from '../../core/answers/merge-effects.ts';
import type { EventOutcome, Speaker, HostAnswer, Wishes } from '../../core/dialects/speaker.ts';
import { flatAnswer } from '../parts/speaking.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Writes answers that Cursor obeys: one flat object on stdout, at exit 0. */
export const speaker: Speaker = {
  title: 'Cursor',
  sessionIn: ({ session_id, conversation_id }) => session_id ?? conversation_id,
  // The user's hooks run in Cursor's own folder.
  projectIn: ({ workspace_roots: roots }, { CURSOR_PROJECT_DIR }) => [
    CURSOR_PROJECT_DIR,
    ...(Array.isArray(roots) ? (roots as unknown[]) : []),
  ],
  readsItself(project) {
    const home = homeFolder();
    return [
      ...(home === undefined ? [] : [join(home, '.claude', 'settings.json')]),
      ...['settings.json', 'settings.local.json'].map((name) => join(project, '.claude', name)),
    ];
  },
  // At preToolUse, Cursor accepts "ask" and runs the tool.
  asks: (event) => shellGates.has(event),
  timeoutAt: () => 600_000,
  write(event, said, wishes): HostAnswer {
    return flatAnswer(answerTo(event, said, wishes));
  },
};

const shellGates: ReadonlySet<string> = new Set(['beforeShellExecution', 'beforeMCPExecution']);

/** The longest context, in characters; Cursor drops longer context entirely. */
const longestContext = 10_000;

function answerTo(event: string, { native, given }: EventOutcome, wishes: Wishes): Fields {
  switch (event) {
    case 'preToolUse': {
      const updated_input = wishes.take('toolInput') && native['toolInput'];
      return { ...permissionOf(wishes, true), updated_input };
    }
    case 'beforeShellExecution':
    case 'beforeMCPExecution':
    case 'beforeReadFile':
    case 'beforeTabFileRead':
    case 'subagentStart':
      return permissionOf(wishes);
    case 'postToolUse':
      return afterTool(given, native, wishes);
    case 'beforeSubmitPrompt': {
      const reason = wishes.takeRefusal();
      return reason === undefined
        ? { additional_context: contextOf(wishes) }
        : { continue: false, user_message: reason };
    }
    case 'sessionStart':
      return { additional_context: contextOf(wishes) };
    case 'stop':
    case 'subagentStop':
      // The agent ends anyway if the answer says nothing.
      wishes.take('stop');
      return { followup_message: wishes.takeContinuation() };
    case 'preCompact':
      return { user_message: wishes.take('message') };
    default:
      return {};
  }
}

/**
 * Returns what the hooks decided on a call; the model reads one message, the user the other. A deferred
 * call becomes a question, and an approval of other arguments does not cover those that run.
 */
function permissionOf(wishes: Wishes, takesInput = false): Fields {
  const isOther = !takesInput && wishes.peek('toolInput') !== undefined;
  for (const wish of ['deny', 'defer', 'ask', 'allow'] as const) {
    if (wish === 'allow' && isOther) break;
    const reason = wishes.take(wish);
    if (reason !== undefined)
      return {
        permission: wish === 'defer' ? 'ask' : wish,
        ...(reason !== '' && { user_message: reason, agent_message: reason }),
      };
  }
  return {};
}

/** Only results of MCP tools can be replaced. */
function afterTool({ tool_name: name }: Fields, native: Fields, wishes: Wishes): Fields {
  const isMcp = typeof name === 'string' && name.startsWith('MCP:');
  return {
    additional_context: contextOf(wishes),
    updated_mcp_tool_output:
      isMcp && wishes.take('toolResponse') ? parsed(native['toolOutput']) : undefined,
  };
}

/** Cursor passes results as JSON text and takes them back as what they hold. */
function parsed(result: unknown): unknown {
  try {
    return typeof result === 'string' ? JSON.parse(result) : result;
  } catch {
    return result;
  }
}

/** After the fact, a denial is context. */
function contextOf(wishes: Wishes): string | undefined {
  const text = joinTexts([wishes.take('deny'), wishes.take('context')]);
  return text === undefined || text.length <= longestContext
    ? text
    : `${text.slice(0, longestContext - 2)} …`;
}
