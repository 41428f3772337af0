import type { HookPayload } from '../../../machines/hook-event.ts';
import { wholePath } from '../../base/folders.ts';
import { fieldsOf, isRecord } from '../../base/json.ts';
import { environment } from '../../base/surroundings.ts';
import type { EventContext } from '../../core/answers/event-context.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { CallResult, CheckedCall } from '../../core/dialects/dialect.ts';
import {
  anything,
  flag,
  object,
  optional,
  text,
  withDefault,
  type Shape,
} from '../../core/protocol/fields.ts';
import { readBounded } from '../../settings/files/read-bounded.ts';
import { checkedCall, ownFields } from '../parts/host-call.ts';
import { resultOf } from '../parts/tool-facts.ts';
import { cursorEventOf, traitsOf, type CursorEventName } from './events.ts';
import { loopCount } from './loops.ts';
import {
  bareName,
  cursorResult,
  fromCursorInput,
  fromCursorOutput,
  fromCursorTool,
  mcpTool,
  parsed,
  toCursorInput,
  toCursorTool,
} from './tools.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns what a hook receives (cursor.com/docs/hooks, and as others have seen it). */
export function toStdin(hook: HookDefinition, payload: HookPayload, context: EventContext): object {
  const event = cursorEventOf(hook);
  const { session_id, transcript_path, cwd, timestamp: _, hook_event_name: __, ...own } = payload;
  const {
    conversation_id = session_id,
    generation_id = session_id,
    model = '',
    cursor_version = environment()['CURSOR_VERSION'] ?? '',
    workspace_roots = [cwd],
    user_email = null,
    ...fields
  } = own;
  return {
    conversation_id,
    generation_id,
    model,
    session_id,
    hook_event_name: event,
    cursor_version,
    workspace_roots,
    user_email,
    transcript_path: (context.transcriptPath ?? transcript_path) || null,
    ...(isCall(event)
      ? toldCall(event, fields, payload, context)
      : toldFields(event, fields, payload)),
  };
}

const isCall = (event: CursorEventName): boolean =>
  ['BeforeTool', 'AfterTool', 'ToolFailed'].includes(traitsOf(event).at);

/** Cursor's words for the end of a session. */
const endings: readonly unknown[] = ['completed', 'aborted', 'error', 'window_close', 'user_close'];

/** Returns an event's own fields; fields of the agent that we do not know are passed on unchanged. */
function toldFields(event: CursorEventName, own: Fields, payload: HookPayload): Fields {
  switch (event) {
    case 'beforeSubmitPrompt':
      return { attachments: [], ...own };
    case 'stop': {
      const { prompt: _, prompt_response: __, stop_hook_active: ___, ...rest } = own;
      return { status: 'completed', ...rest, loop_count: loopCount(payload) };
    }
    case 'subagentStart': {
      const { agent_id, agent_type, ...rest } = own;
      return { subagent_id: agent_id, subagent_type: agent_type, task: '', ...rest };
    }
    case 'subagentStop': {
      const { agent_id: _, agent_type, stop_hook_active: __, ...others } = own;
      const { last_assistant_message: summary, ...rest } = others;
      return {
        subagent_type: agent_type,
        status: 'completed',
        ...(summary !== undefined && { summary }),
        ...rest,
        loop_count: loopCount(payload),
      };
    }
    case 'sessionStart': {
      const { source: _, ...rest } = own;
      return { is_background_agent: false, ...rest };
    }
    case 'sessionEnd': {
      const { reason: given, ...rest } = own;
      const reason = endings.includes(given) ? given : 'completed';
      return { duration_ms: 0, final_status: reason, ...rest, reason };
    }
    default:
      return own;
  }
}

/** Returns what the agent would read; '' if the file cannot be read. */
function contentOf(file: string): string {
  try {
    const read = readBounded(file);
    return 'bytes' in read ? read.bytes.toString() : '';
  } catch {
    return '';
  }
}

/** Returns the fields of an event that is about a tool call. */
function toldCall(
  event: CursorEventName,
  { tool_name: _, tool_input: __, tool_response: response, error: said, ...rest }: Fields,
  payload: HookPayload,
  { toolCallId: tool_use_id = '' }: EventContext,
): Fields {
  const tool = String(payload['tool_name']);
  const given = fieldsOf(payload['tool_input']);
  const input = toCursorInput(tool, given);
  const project = String(payload['cwd']);
  const { command, working_directory: asked, file_path: file, old_string, new_string } = input;
  // A call may ask for another folder than the project.
  const cwd = typeof asked === 'string' && asked !== '' ? wholePath(asked, project) : project;
  const call = { tool_name: toCursorTool(tool), tool_input: input };
  const server = { tool_name: bareName(call.tool_name), tool_input: JSON.stringify(given) };
  const path = (): string => wholePath(typeof file === 'string' ? file : '', project);
  const { text: printed, output, failure } = cursorResult(tool, given, response);
  const id = { tool_use_id, cwd };
  switch (event) {
    case 'beforeShellExecution':
      return { sandbox: false, ...rest, command, cwd };
    case 'beforeMCPExecution':
      return { ...rest, ...server };
    case 'beforeReadFile':
      return { content: contentOf(path()), attachments: [], ...rest, file_path: path() };
    case 'postToolUse':
      return { duration: 0, ...rest, ...call, tool_output: output, ...id };
    case 'postToolUseFailure':
      return {
        failure_type: failure?.type ?? 'error',
        duration: 0,
        is_interrupt: false,
        ...rest,
        ...call,
        ...id,
        error_message: failure?.message ?? said ?? '',
      };
    case 'afterShellExecution':
      return { duration: 0, sandbox: false, ...rest, command, output: printed };
    case 'afterMCPExecution':
      return { duration: 0, ...rest, ...server, result_json: output };
    case 'afterFileEdit': {
      const edits = typeof old_string === 'string' ? [{ old_string, new_string }] : [];
      return { edits, ...rest, file_path: path() };
    }
    default:
      return { ...rest, ...call, ...id };
  }
}

const call = { tool_name: text, tool_input: object, tool_use_id: optional(text) };
/** The arguments of a server's tool are JSON text. */
const server = { tool_name: text, tool_input: anything };
const shell = { command: text };
const file = { file_path: text };
const maybe = withDefault(text, () => '');

/** What an event's own fields must be when they come from outside. Extra fields are tolerated. */
const shapes: Readonly<Partial<Record<CursorEventName, Shape>>> = {
  preToolUse: call,
  beforeShellExecution: shell,
  beforeMCPExecution: server,
  beforeReadFile: file,
  postToolUse: { ...call, tool_output: anything },
  postToolUseFailure: { ...call, error_message: maybe },
  afterShellExecution: { ...shell, output: maybe },
  afterMCPExecution: { ...server, result_json: anything },
  afterFileEdit: file,
  beforeSubmitPrompt: { prompt: text },
  subagentStart: { subagent_id: maybe, subagent_type: text },
  subagentStop: { subagent_type: text },
  sessionStart: { is_background_agent: withDefault(flag, () => false) },
  preCompact: { trigger: withDefault(text, () => 'auto') },
};

/** Reads an event from an agent that speaks Cursor into canonical form. */
export function readCall(event: string, given: Fields): CheckedCall {
  const native = event as CursorEventName;
  return checkedCall(shapes[native] ?? {}, given, (fields) => {
    const { own, made } = ownFields(fields);
    return { ...made({}), fields: canonical(native, own, fields) };
  });
}

function canonical(event: CursorEventName, own: Fields, given: Fields): Fields {
  const { loop_count: count } = own;
  const stop_hook_active = typeof count === 'number' && count > 0;
  switch (event) {
    case 'stop':
      return { prompt: '', prompt_response: '', stop_hook_active, ...own };
    case 'subagentStart': {
      const { subagent_id, subagent_type, ...rest } = own;
      return { ...rest, agent_id: subagent_id, agent_type: subagent_type };
    }
    case 'subagentStop': {
      const { subagent_type: agent_type, ...rest } = own;
      const { summary } = own;
      const last = typeof summary === 'string' && { last_assistant_message: summary };
      return { agent_id: '', agent_type, stop_hook_active, ...last, ...rest };
    }
    case 'sessionStart':
      return { source: 'startup', ...own };
    default:
      return canonicalCall(event, own, given);
  }
}

function canonicalCall(event: CursorEventName, own: Fields, { cwd }: Fields): Fields {
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
      const failure = { message: error, ...(type === 'timeout' && { type }) };
      const tool_response = { ...resultOf(error), error: failure };
      return { ...rest, ...toolCall(own), error, tool_response };
    }
    case 'beforeShellExecution':
    case 'afterShellExecution': {
      const { command, output, ...rest } = own;
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
      const { tool_name: name, tool_input, result_json: result, ...rest } = own;
      const input = parsed(tool_input);
      return {
        ...rest,
        tool_name: mcpTool(String(name)),
        // Text that is not JSON is a single argument.
        tool_input: isRecord(input) ? input : { input: tool_input },
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
      const { old_string, new_string } = fieldsOf(edit);
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

function toolCall({ tool_name, tool_input }: Fields): Fields {
  const input = tool_input as Fields;
  const ours = fromCursorTool(tool_name as string, input);
  return { tool_name: ours, tool_input: fromCursorInput(ours, input) };
}

const jsonOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** Returns what such an agent is told: the final arguments and a replaced result, in Cursor's form. */
export const reportCall = ({ toolName = '', toolInput, toolResponse, followUps }: CallResult) => ({
  toolInput: toolInput && toCursorInput(toolName, toolInput),
  toolOutput: toolResponse ? cursorResult(toolName, toolInput ?? {}, toolResponse).output : null,
  followUps,
});
