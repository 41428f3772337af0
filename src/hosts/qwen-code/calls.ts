import type { HookPayload } from '../../../machines/hook-event.ts';
import { fieldsOf, isRecord } from '../../base/json.ts';
import type { EventContext } from '../../core/answers/event-context.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { CallResult, CheckedCall, ReadCall } from '../../core/dialects/dialect.ts';
import { object, oneOf, type Shape } from '../../core/protocol/fields.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { call, checkedCall, claudeShapes, failureOf, ownFields } from '../parts/host-call.ts';
import { fromClaudeWord, toClaudeWord } from '../parts/matching.ts';
import { durationOf } from '../parts/tool-facts.ts';
import { filePathAs, folderPathAs, shellFolderAs, toolTable } from '../parts/tool-table.ts';
import { qwenEventOf, traitsOf, type QwenEventName } from './events.ts';

type Fields = Readonly<Record<string, unknown>>;

const renamed = filePathAs('file_path');
const folder = { renamed: folderPathAs('path') };

/** Our tools in Qwen Code, each with its aliases. */
export const tools = toolTable([
  {
    ours: 'run_shell_command',
    name: 'run_shell_command',
    aliases: ['Shell', 'ShellTool', 'Bash'],
    renamed: shellFolderAs('directory'),
  },
  {
    ours: 'write_file',
    name: 'write_file',
    aliases: ['WriteFile', 'WriteFileTool', 'Write'],
    renamed,
  },
  { ours: 'replace', name: 'edit', aliases: ['Edit', 'EditTool'], renamed },
  { ours: 'read_file', name: 'read_file', aliases: ['ReadFile', 'ReadFileTool', 'Read'], renamed },
  {
    ours: 'search_file_content',
    name: 'grep_search',
    aliases: ['Grep', 'GrepTool', 'search_file_content', 'SearchFiles'],
    renamed: [...folder.renamed, ['include', 'glob']],
  },
  { ours: 'glob', name: 'glob', aliases: ['Glob', 'GlobTool', 'FindFiles'], ...folder },
  {
    ours: 'list_directory',
    name: 'list_directory',
    aliases: ['ListFiles', 'ListFilesTool', 'ReadFolder'],
    ...folder,
  },
  { ours: 'todo_write', name: 'todo_write', aliases: ['TodoList', 'TodoWrite', 'TodoWriteTool'] },
  { ours: 'web_fetch', name: 'web_fetch', aliases: ['WebFetch', 'WebFetchTool'] },
  { ours: 'google_web_search', name: 'web_search', aliases: ['WebSearch', 'WebSearchTool'] },
  { ours: 'task', name: 'agent', aliases: ['Agent', 'AgentTool', 'task', 'Task', 'TaskTool'] },
  { ours: 'lsp', name: 'lsp', aliases: ['LSP', 'Lsp', 'LspTool'] },
]);

const isCall = (event: QwenEventName): boolean => traitsOf(event).subject === 'tool_name';

/** Returns what a hook receives (as measured on the host); further fields that an agent gave are passed on. */
export function toStdin(hook: HookDefinition, payload: HookPayload, context: EventContext): object {
  const native = qwenEventOf(hook);
  const { session_id, transcript_path, cwd, timestamp, hook_event_name: _, ...own } = payload;
  const told = isCall(native) ? toldCall(native, own, context) : toldFields(native, own);
  const { permission_mode, prompt_id, ...fields } = told;
  return {
    session_id,
    transcript_path: context.transcriptPath ?? transcript_path,
    cwd,
    hook_event_name: native,
    timestamp,
    permission_mode: permission_mode ?? 'default',
    ...(prompt_id !== undefined && { prompt_id }),
    ...fields,
  };
}

function toldCall(
  event: QwenEventName,
  { tool_name: name, tool_input: input, tool_response: response, ...others }: Fields,
  { toolCallId, toolDuration }: EventContext,
): Fields {
  const tool = String(name);
  const { metadata: _, ...result } = fieldsOf(response);
  return {
    tool_name: tools.toTheirs(tool),
    tool_input: isRecord(input) ? tools.toInput(tool, input) : input,
    ...(event === 'PostToolUse' && { tool_response: isRecord(response) ? result : response }),
    ...(event === 'PostToolUseFailure' && failureIn(response)),
    ...(event !== 'PermissionRequest' && {
      tool_use_id: toolCallId ?? '',
      ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
    }),
    ...(event === 'PostToolUse' && durationOf(toolDuration)),
    ...others,
  };
}

function toldFields(event: QwenEventName, own: Fields): Fields {
  const { subject } = traitsOf(event);
  const inTheirWords = (fields: Fields): Fields => ({
    ...fields,
    [subject!]: toClaudeWord(event, String(own[subject!])),
  });
  switch (event) {
    case 'Stop': {
      const { prompt: _, prompt_response: said, ...rest } = own;
      return {
        stop_hook_active: false,
        last_assistant_message: typeof said === 'string' ? said : '',
        background_tasks: [],
        crons: [],
        ...rest,
      };
    }
    case 'Notification': {
      const { details: _, ...rest } = own;
      return inTheirWords(rest);
    }
    case 'SessionStart':
    case 'SessionEnd':
      return inTheirWords(own);
    default:
      return own;
  }
}

/** Returns the fields that say how a tool failed. */
function failureIn(response: unknown): Fields {
  const { llmContent, error } = fieldsOf(response);
  const { type, message } = fieldsOf(error);
  return {
    error: typeof message === 'string' ? message : textsIn(llmContent),
    ...(type === 'cancelled' && { is_interrupt: true }),
  };
}

/** The shapes of events' own fields that come from outside. More fields are tolerated. */
const shapes: Readonly<Partial<Record<QwenEventName, Shape>>> = {
  ...claudeShapes,
  PermissionDenied: call,
  PostToolUse: { ...call, tool_response: object },
  SessionStart: { source: oneOf(['startup', 'resume', 'clear', 'compact', 'branch']) },
};

/** Reads an event from an agent that speaks Qwen Code, into canonical form. */
export function readCall(event: string, given: Fields): CheckedCall {
  const native = event as QwenEventName;
  return checkedCall(shapes[native] ?? {}, given, (fields) => inCanonicalForm(native, fields));
}

function inCanonicalForm(event: QwenEventName, { timestamp: _, ...fields }: Fields): ReadCall {
  const { own, made } = ownFields(fields);
  if (isCall(event)) {
    const tool_name = tools.fromTheirs(own['tool_name'] as string);
    return made({
      tool_name,
      tool_input: tools.fromInput(tool_name, own['tool_input'] as Fields),
      ...(event === 'PostToolUseFailure' && { tool_response: failureOf(own['error'] as string) }),
    });
  }
  switch (event) {
    case 'UserPromptSubmit':
      // Qwen Code fires it again, without a prompt, when it sends tool results.
      return own['prompt'] === '' ? { ...made({}), isOnlyTheirs: true } : made({});
    case 'Stop': {
      const { last_assistant_message: prompt_response = '', ...rest } = own;
      return { ...made({}), fields: { ...rest, prompt: '', prompt_response } };
    }
    case 'Notification': {
      const { notification_type: type } = own;
      return made({ details: {}, notification_type: fromClaudeWord(event, type as string) });
    }
    case 'SessionStart':
      return made({ source: fromClaudeWord(event, own['source'] as string) });
    default:
      return made({});
  }
}

/** Returns what is reported to such an agent: the final arguments as Qwen Code has them. */
export const reportCall = ({ toolName = '', toolInput }: CallResult) => ({
  toolInput: toolInput && tools.toInput(toolName, toolInput),
});
