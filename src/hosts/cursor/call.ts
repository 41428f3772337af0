import {
  anything,
  flag,
  object,
  optional,
  text,
  withDefault,
  type Shape,
} from '../../core/protocol/fields.ts';
import { isRecord } from '../../base/json.ts';
import type { CallResult, CheckedCall, Dialect, ReadCall } from '../../core/dialects/dialect.ts';
import type { CursorEventName } from './events.ts';
import { checkedCall } from '../parts/host-call.ts';
import {
  cursorResult,
  fromCursorInput,
  fromCursorOutput,
  fromCursorTool,
  mcpTool,
  toCursorInput,
} from './tools.ts';

type Fields = Readonly<Record<string, unknown>>;

const call = { tool_name: text, tool_input: object, tool_use_id: optional(text) };
/** The arguments of a server's tool are JSON text. */
const server = { tool_name: text, tool_input: anything };
const shell = { command: text };
const file = { file_path: text };

/** What an event's own fields must be when they come from outside. Extra fields are tolerated. */
const shapes: Readonly<Partial<Record<CursorEventName, Shape>>> = {
  preToolUse: call,
  beforeShellExecution: shell,
  beforeMCPExecution: server,
  beforeReadFile: file,
  postToolUse: { ...call, tool_output: anything },
  postToolUseFailure: { ...call, error_message: withDefault(text, () => '') },
  afterShellExecution: { ...shell, output: withDefault(text, () => '') },
  afterMCPExecution: { ...server, result_json: anything },
  afterFileEdit: file,
  beforeSubmitPrompt: { prompt: text },
  subagentStart: { subagent_id: withDefault(text, () => ''), subagent_type: text },
  subagentStop: { subagent_type: text },
  sessionStart: { is_background_agent: withDefault(flag, () => false) },
  preCompact: { trigger: withDefault(text, () => 'auto') },
};

/** Reads an event from an agent that speaks Cursor into canonical form. */
export const readCall: Dialect['readCall'] = (event, given): CheckedCall => {
  const native = event as CursorEventName;
  return checkedCall(shapes[native] ?? {}, given, (fields) => inCanonicalForm(native, fields));
};

function inCanonicalForm(event: CursorEventName, fields: Fields): ReadCall {
  const { tool_use_id: toolCallId, ...own } = withoutBase(fields);
  const { transcript_path: transcript } = fields;
  return {
    fields: canonical(event, own, fields),
    context: {
      toolCallId: toolCallId as string | undefined,
      ...(typeof transcript === 'string' && { transcriptPath: transcript }),
    },
  };
}

function canonical(event: CursorEventName, own: Fields, given: Fields): Fields {
  switch (event) {
    case 'stop':
      return { prompt: '', prompt_response: '', stop_hook_active: isLooping(own), ...own };
    case 'subagentStart': {
      const { subagent_id, subagent_type, ...rest } = own;
      return { ...rest, agent_id: subagent_id, agent_type: subagent_type };
    }
    case 'subagentStop': {
      const { subagent_type, ...rest } = own;
      const last = typeof own['summary'] === 'string' && { last_assistant_message: own['summary'] };
      return {
        agent_id: '',
        agent_type: subagent_type,
        stop_hook_active: isLooping(own),
        ...last,
        ...rest,
      };
    }
    case 'sessionStart':
      return { source: 'startup', ...own };
    default:
      return canonicalCall(event, own, given);
  }
}

function canonicalCall(event: CursorEventName, own: Fields, given: Fields): Fields {
  switch (event) {
    case 'preToolUse':
      return { ...own, ...toolCall(own) };
    case 'postToolUse': {
      const { tool_output: output, ...rest } = own;
      return { ...rest, ...toolCall(own), tool_response: fromCursorOutput(jsonOf(output)) };
    }
    case 'postToolUseFailure': {
      const { error_message: message, failure_type: type, ...rest } = own;
      const error = String(message);
      return { ...rest, ...toolCall(own), error, tool_response: failureOf(error, type) };
    }
    case 'beforeShellExecution':
    case 'afterShellExecution': {
      const { command, output, ...rest } = own;
      const { cwd } = given;
      const folder = typeof cwd === 'string' && cwd !== '' && { directory: cwd };
      return {
        ...rest,
        tool_name: 'run_shell_command',
        tool_input: { command, ...folder },
        ...(event === 'afterShellExecution' && { tool_response: resultOf(String(output)) }),
      };
    }
    case 'beforeMCPExecution':
    case 'afterMCPExecution': {
      const { tool_name: name, tool_input: input, result_json: result, ...rest } = own;
      return {
        ...rest,
        tool_name: mcpTool(String(name)),
        tool_input: objectIn(input),
        ...(event === 'afterMCPExecution' && { tool_response: fromCursorOutput(jsonOf(result)) }),
      };
    }
    case 'beforeReadFile': {
      const { file_path, ...rest } = own;
      return { ...rest, tool_name: 'read_file', tool_input: { file_path } };
    }
    case 'afterFileEdit': {
      const { file_path, edits, ...rest } = own;
      const edit: unknown = Array.isArray(edits) ? edits[0] : undefined;
      const { old_string, new_string } = isRecord(edit) ? edit : {};
      return {
        ...rest,
        ...(Array.isArray(edits) && { edits }),
        tool_name: isRecord(edit) ? 'replace' : 'write_file',
        tool_input: { file_path, ...(isRecord(edit) && { old_string, new_string }) },
        tool_response: resultOf(''),
      };
    }
    default:
      return own;
  }
}

const isLooping = ({ loop_count: count }: Fields): boolean =>
  typeof count === 'number' && count > 0;

function toolCall({ tool_name, tool_input }: Fields): Fields {
  const input = tool_input as Fields;
  const ours = fromCursorTool(tool_name as string, input);
  return { tool_name: ours, tool_input: fromCursorInput(ours, input) };
}

const resultOf = (output: string): Fields => ({ llmContent: output, returnDisplay: output });

const failureOf = (message: string, type: unknown): Fields => ({
  ...resultOf(message),
  error: { message, ...(type === 'timeout' && { type }) },
});

const jsonOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

function objectIn(input: unknown): Fields {
  let value = input;
  try {
    if (typeof input === 'string') value = JSON.parse(input);
  } catch {
    // Text that is not JSON is a single argument.
  }
  return isRecord(value) ? value : { input };
}

/** The fields of every event, which are ours whatever an agent gives. */
const base: ReadonlySet<string> = new Set([
  'hook_event_name',
  'session_id',
  'transcript_path',
  'cwd',
]);

const withoutBase = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !base.has(name)));

/** Returns what such an agent is told: the final arguments and a replaced result, in Cursor's form. */
export const reportCall = ({ toolName = '', toolInput, toolResponse, followUps }: CallResult) => ({
  toolInput: toolInput && toCursorInput(toolName, toolInput),
  toolOutput: toolResponse ? cursorResult(toolName, toolInput ?? {}, toolResponse).output : null,
  followUps,
});
