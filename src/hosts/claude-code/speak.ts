import { isAbsolute } from 'node:path';
import { fieldsOf, isRecord } from '../../base/json.ts';
import type { Speaker } from '../../core/dialects/speaker.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { behaviourOf, nestedAnswer, sayAll, says, type Says } from '../parts/speaking.ts';
import { toClaudeInput } from './calls.ts';
import { type ClaudeEventName, usualSeconds } from './events.ts';
import { hasFormOf, toClaudeResponse } from './tool-response.ts';

const { block, context, continuation, hide, message, permission, stop, updatedInput } = says;

const behaviour: Says = (wishes, { native: { toolInput: input } }) => ({
  specific: { decision: behaviourOf(wishes, { interrupts: true, takesInput: true, input }) },
});

/** A result in another form than the tool's own would be silently dropped. */
const result: Says = (wishes, { given, tool = '', project }) => {
  const response = wishes.peek('toolResponse');
  if (response === undefined) return {};
  const { tool_response: received, tool_input: input } = given;
  const made = toClaudeResponse(tool, toClaudeInput(tool, fieldsOf(input), project), response);
  const whole = isRecord(received) && isRecord(made) ? { ...received, ...made } : made;
  const text = JSON.stringify(textsIn(response['llmContent'])).slice(1, -1);
  // The form of a tool that writes has no place for a text.
  if (!hasFormOf(received, whole) || !JSON.stringify(whole).includes(text)) return {};
  wishes.take('toolResponse');
  return { specific: { updatedToolOutput: whole } };
};

const said: Readonly<Partial<Record<ClaudeEventName, readonly Says[]>>> = {
  // A stop alone would let the call run; it comes with a denial.
  PreToolUse: [stop, permission, updatedInput, context],
  PermissionRequest: [behaviour],
  PostToolUse: [block, stop, result, context],
  PostToolUseFailure: [block, stop, context],
  PostToolBatch: [block, stop, context],
  UserPromptSubmit: [block, stop, context],
  UserPromptExpansion: [block, stop, context],
  Stop: [continuation],
  SubagentStop: [continuation],
  SessionStart: [context],
  Setup: [context],
  SubagentStart: [context],
  Notification: [context],
  PostModelSwitch: [context],
  PreModelSwitch: [permission],
  PreCompact: [block],
  ConfigChange: [block],
  TeammateIdle: [block, stop],
  TaskCreated: [block, stop],
  TaskCompleted: [block, stop],
};

/** Writes answers that Claude Code obeys: always a valid object, at exit 0. */
export const speaker: Speaker = {
  title: 'Claude Code',
  projectIn: (_, { CLAUDE_PROJECT_DIR }) =>
    [CLAUDE_PROJECT_DIR].filter((path) => path !== undefined && isAbsolute(path)),
  asks: (event) => event === 'PreToolUse',
  // With a user at the terminal, Claude Code asks instead and does not defer calls.
  defers: (event, { CLAUDE_CODE_ENTRYPOINT: entry = 'cli' }) =>
    event === 'PreToolUse' && entry !== 'cli',
  // `install` writes none.
  timeoutAt: (event) => usualSeconds(event as ClaudeEventName) * 1_000,
  write(event, outcome, wishes) {
    const list = said[event as ClaudeEventName] ?? [];
    const first = sayAll(list, wishes, outcome);
    // Only plain text joins the instructions for a summary, and leaves no room for anything else; what
    // begins like JSON might be read as an answer.
    const isJson = wishes.peek('context')?.trimStart().startsWith('{');
    if (event === 'PreCompact' && first.top['decision'] === undefined && !isJson) {
      const instructions = wishes.take('context');
      if (instructions !== undefined) return { stdout: instructions };
    }
    const { top } = sayAll([message, hide], wishes, outcome);
    return nestedAnswer(event, { ...first, top: { ...first.top, ...top } });
  },
};
