import { join } from 'node:path';
import { joinTexts } from '../../core/answers/merge-effects.ts';
import type { Speaker, Wishes } from '../../core/dialects/speaker.ts';
import { homeFolder } from '../../settings/files/levels.ts';
import { flatAnswer, sayAll, type Says } from '../parts/speaking.ts';
import type { CursorEventName } from './events.ts';
import { parsed } from './tools.ts';

/** The longest context, in characters; Cursor drops longer context entirely. */
const longestContext = 10_000;

/** After the fact, a denial is context. */
const context: Says = (wishes) => {
  const text = joinTexts([wishes.take('deny'), wishes.take('context')]);
  const isLong = text !== undefined && text.length > longestContext;
  return {
    top: { additional_context: isLong ? `${text.slice(0, longestContext - 2)} …` : text },
  };
};

/**
 * Returns what the hooks decided on a call; the model reads one message, the user the other. A deferred
 * call becomes a question, and an approval of other arguments does not cover those that run.
 */
function permissionOf(wishes: Wishes, takesInput: boolean) {
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

const permission: Says = (wishes) => ({ top: permissionOf(wishes, false) });

const decision: Says = (wishes, { native }) => {
  const updated_input = wishes.take('toolInput') && native['toolInput'];
  return { top: { ...permissionOf(wishes, true), updated_input } };
};

/** Only results of MCP tools can be replaced; Cursor takes back what its JSON text holds. */
const result: Says = (wishes, { given: { tool_name: name }, native }) => {
  const isMcp = typeof name === 'string' && name.startsWith('MCP:');
  const isChanged = isMcp && wishes.take('toolResponse') !== undefined;
  return {
    top: { updated_mcp_tool_output: isChanged ? parsed(native['toolOutput']) : undefined },
  };
};

const prompt: Says = (wishes, outcome) => {
  const reason = wishes.takeRefusal();
  return reason === undefined
    ? context(wishes, outcome)
    : { top: { continue: false, user_message: reason } };
};

/** The agent ends anyway if the answer says nothing. */
const continuation: Says = (wishes) => {
  wishes.take('stop');
  return { top: { followup_message: wishes.takeContinuation() } };
};

const said: Readonly<Partial<Record<CursorEventName, readonly Says[]>>> = {
  preToolUse: [decision],
  beforeShellExecution: [permission],
  beforeMCPExecution: [permission],
  beforeReadFile: [permission],
  beforeTabFileRead: [permission],
  subagentStart: [permission],
  postToolUse: [context, result],
  beforeSubmitPrompt: [prompt],
  sessionStart: [context],
  stop: [continuation],
  subagentStop: [continuation],
  preCompact: [(wishes) => ({ top: { user_message: wishes.take('message') } })],
};

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
  asks: (event) => event === 'beforeShellExecution' || event === 'beforeMCPExecution',
  timeoutAt: () => 600_000,
  write: (event, outcome, wishes) =>
    flatAnswer(sayAll(said[event as CursorEventName] ?? [], wishes, outcome).top),
};
