import {
  anything,
  flag,
  oneOf,
  optional,
  text,
  withDefault,
  type Field,
  type Shape,
} from '../../core/protocol/fields.ts';
import type { CallResult, CheckedCall, Dialect, ReadCall } from '../../core/dialects/dialect.ts';
import { call, checkedCall, claudeShapes, ownFields } from '../parts/host-call.ts';
import type { CodexEventName } from './events.ts';
import { fromCodexSource } from './matcher.ts';
import { patchParts } from '../patch/patch-parts.ts';
import { fromCodexResponse, fromCodexTool, toCodexInput, toCodexResponse } from './tools.ts';

type Fields = Readonly<Record<string, unknown>>;

const textOrNull: Field<string | null> = {
  mayBeAbsent: false,
  read: (value, ...rest) => (value === null ? null : text.read(value, ...rest)),
};
const stop = {
  stop_hook_active: withDefault(flag, () => false),
  last_assistant_message: optional(textOrNull),
};

/** What an event's own fields must be when they come from outside. Extra fields are tolerated. */
const shapes: Readonly<Record<CodexEventName, Shape>> = {
  ...claudeShapes,
  PostToolUse: { ...call, tool_response: anything },
  Stop: stop,
  SubagentStop: { ...claudeShapes.SubagentStart, ...stop },
  SessionStart: { source: oneOf(['startup', 'resume', 'clear', 'fork', 'compact']) },
  SessionEnd: { reason: withDefault(text, () => 'other') },
  Interrupt: {},
};

/** Reads an event from an agent that speaks Codex into canonical form. */
export const readCall: Dialect['readCall'] = (event, given): CheckedCall => {
  const native = event as CodexEventName;
  return checkedCall(shapes[native], given, (fields) => inCanonicalForm(native, fields));
};

function inCanonicalForm(event: CodexEventName, fields: Fields): ReadCall {
  const { own, made } = ownFields(fields);
  switch (event) {
    case 'PreToolUse':
    case 'PermissionRequest':
    case 'PostToolUse': {
      const tool_name = fromCodexTool(own['tool_name'] as string);
      const input = own['tool_input'] as Fields;
      const read = made({
        tool_name,
        tool_input: withFolder(tool_name, input, fields['cwd']),
        ...(event === 'PostToolUse' && { tool_response: fromCodexResponse(own['tool_response']) }),
      });
      if (tool_name !== 'apply_patch') return read;
      return { ...read, parts: patchParts(read.fields, input, 'command', fields['cwd']) };
    }
    case 'Stop':
      return made({ prompt: '', prompt_response: own['last_assistant_message'] ?? '' });
    case 'SessionStart':
      return made({ source: fromCodexSource(own['source'] as string) });
    default:
      return made({});
  }
}

/** Codex reports the folder that a shell command asked for as `cwd`; our tool takes it as an argument. */
const withFolder = (tool: string, input: Fields, cwd: unknown): Fields =>
  tool === 'run_shell_command' && typeof cwd === 'string' && cwd !== ''
    ? { ...input, directory: cwd }
    : input;

/** Returns what such an agent is told: the final arguments and a replaced result, in Codex's form. */
export const reportCall = ({ toolName = '', toolInput, toolResponse, followUps }: CallResult) => ({
  toolInput: toolInput && toCodexInput(toolName, toolInput),
  toolOutput: toolResponse ? toCodexResponse(toolName, toolInput ?? {}, toolResponse) : null,
  followUps,
});
