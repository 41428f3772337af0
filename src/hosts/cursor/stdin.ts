import type { HookPayload } from '../../../machines/hook-event.ts';
import { isRecord } from '../../base/json.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { EventContext } from '../../core/answers/event-context.ts';
import { cursorEventOf, type CursorEventName } from './events.ts';
import { loopCount } from './loops.ts';
import { wholePath } from '../../base/folders.ts';
import { readBounded } from '../../settings/files/read-bounded.ts';
import { bareName, cursorResult, toCursorInput, toCursorTool } from './tools.ts';
import { environment } from '../../base/surroundings.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns what a hook receives (cursor.com/docs/hooks, and as others have seen it). */
export function toStdin(hook: HookDefinition, payload: HookPayload, context: EventContext): object {
  const event = cursorEventOf(hook);
  const { session_id, transcript_path, cwd, timestamp: _, hook_event_name: __, ...own } = payload;
  const {
    conversation_id,
    generation_id,
    model,
    cursor_version,
    workspace_roots,
    user_email,
    ...fields
  } = own;
  const transcript = context.transcriptPath ?? transcript_path;
  return {
    conversation_id: conversation_id ?? session_id,
    generation_id: generation_id ?? session_id,
    model: model ?? '',
    session_id,
    hook_event_name: event,
    cursor_version: cursor_version ?? environment()['CURSOR_VERSION'] ?? '',
    workspace_roots: workspace_roots ?? [cwd],
    user_email: user_email ?? null,
    transcript_path: transcript === '' ? null : (transcript ?? null),
    ...ownFields(event, fields, payload, context),
  };
}

/** Returns an event's own fields; fields of the agent that we do not know are passed on unchanged. */
function ownFields(
  event: CursorEventName,
  own: Fields,
  payload: HookPayload,
  context: EventContext,
): Fields {
  switch (event) {
    case 'preToolUse':
    case 'beforeShellExecution':
    case 'beforeMCPExecution':
    case 'beforeReadFile':
    case 'postToolUse':
    case 'postToolUseFailure':
    case 'afterShellExecution':
    case 'afterMCPExecution':
    case 'afterFileEdit':
      return callFields(event, own, payload, context);
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
      const {
        agent_id: _,
        agent_type,
        stop_hook_active: __,
        last_assistant_message,
        ...rest
      } = own;
      const summary = last_assistant_message !== undefined && { summary: last_assistant_message };
      return {
        subagent_type: agent_type,
        status: 'completed',
        ...summary,
        ...rest,
        loop_count: loopCount(payload),
      };
    }
    case 'sessionStart': {
      const { source: _, ...rest } = own;
      return { is_background_agent: false, ...rest };
    }
    case 'sessionEnd': {
      const { reason, ...rest } = own;
      const known = endings.has(String(reason)) ? reason : 'completed';
      return { duration_ms: 0, final_status: known, ...rest, reason: known };
    }
    default:
      return own;
  }
}

/** Cursor's words for the end of a session. */
const endings: ReadonlySet<string> = new Set([
  'completed',
  'aborted',
  'error',
  'window_close',
  'user_close',
]);

/** Returns what the agent would read; '' if the file cannot be read. */
function contentOf(file: string): string {
  try {
    const read = readBounded(file);
    return 'bytes' in read ? read.bytes.toString() : '';
  } catch {
    return '';
  }
}

/** Returns the folder that a call asked for, which may differ from the project. */
const folderOf = (input: Fields, cwd: string): string => {
  const { working_directory: asked } = input;
  return typeof asked === 'string' && asked !== '' ? wholePath(asked, cwd) : cwd;
};

/** Returns the fields of an event that is about a tool call. */
function callFields(
  event: CursorEventName,
  own: Fields,
  payload: HookPayload,
  { toolCallId }: EventContext,
): Fields {
  const { tool_name: _, tool_input: __, tool_response: response, error: said, ...rest } = own;
  const tool = String(payload['tool_name']);
  const given = isRecord(payload['tool_input']) ? payload['tool_input'] : {};
  const input = toCursorInput(tool, given);
  const project = String(payload['cwd']);
  const cwd = folderOf(input, project);
  const call = { tool_name: toCursorTool(tool), tool_input: input };
  const server = {
    tool_name: bareName(call.tool_name),
    tool_input: JSON.stringify(given),
  };
  const { file_path: file } = input;
  const path = (): string => wholePath(typeof file === 'string' ? file : '', project);
  const { text, output, failure } = cursorResult(tool, given, response);
  const id = { tool_use_id: toolCallId ?? '', cwd };
  switch (event) {
    case 'beforeShellExecution':
      return { sandbox: false, ...rest, command: input['command'], cwd };
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
      return { duration: 0, sandbox: false, ...rest, command: input['command'], output: text };
    case 'afterMCPExecution':
      return { duration: 0, ...rest, ...server, result_json: output };
    case 'afterFileEdit': {
      const { old_string, new_string } = input;
      const edits = typeof old_string === 'string' ? [{ old_string, new_string }] : [];
      return { edits, ...rest, file_path: path() };
    }
    default:
      return { ...rest, ...call, ...id };
  }
}
