import type { HookPayload } from '../../../machines/hook-event.ts';
import { wholePath } from '../../base/folders.ts';
import { fieldsOf } from '../../base/json.ts';
import type { EventContext } from '../../core/answers/event-context.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { CallResult, CheckedCall, ReadCall } from '../../core/dialects/dialect.ts';
import { anything, oneOf, type Shape } from '../../core/protocol/fields.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { call, checkedCall, claudeShapes, failureOf, ownFields } from '../parts/host-call.ts';
import { fromClaudeWord, toClaudeWord } from '../parts/matching.ts';
import type { RuledCall } from '../parts/permission-rules.ts';
import { durationOf } from '../parts/tool-facts.ts';
import { filePathAs, folderPathAs, toolTable, type ToolInput } from '../parts/tool-table.ts';
import { claudeEventOf, traitsOf, type ClaudeEventName } from './events.ts';
import { fromClaudeResponse, toClaudeResponse } from './tool-response.ts';

type Fields = Readonly<Record<string, unknown>>;

const renamed = filePathAs('file_path');
const inFolder = { renamed: folderPathAs('path'), needs: ['pattern'] };

/** Our tools in Claude Code. */
export const tools = toolTable([
  { ours: 'run_shell_command', name: 'Bash', needs: ['command'] },
  { ours: 'write_file', name: 'Write', renamed, needs: ['file_path', 'content'] },
  {
    ours: 'replace',
    name: 'Edit',
    aliases: ['MultiEdit'],
    // None of our tools takes the arguments of an edit of several texts.
    onlyMatched: ['MultiEdit'],
    renamed,
    needs: ['file_path', 'old_string', 'new_string'],
  },
  { ours: 'read_file', name: 'Read', renamed, needs: ['file_path'] },
  { ours: 'glob', name: 'Glob', ...inFolder },
  {
    ours: 'search_file_content',
    name: 'Grep',
    ...inFolder,
    renamed: [...inFolder.renamed, ['include', 'glob']],
  },
  { ours: 'list_directory', name: 'LS', renamed: inFolder.renamed },
  { ours: 'task', name: 'Agent', aliases: ['Task'] },
  { ours: 'web_fetch', name: 'WebFetch' },
  { ours: 'google_web_search', name: 'WebSearch' },
  { ours: 'todo_write', name: 'TodoWrite' },
]);

/** The arguments of its tools that are whole paths. */
const wholePaths: Readonly<Record<string, string>> = {
  Write: 'file_path',
  Edit: 'file_path',
  Read: 'file_path',
  LS: 'path',
};

/** Returns the names that Claude Code's matchers know one of our tools by, its name on stdin first. */
export const claudeNamesOf = (ours: string): readonly string[] => [
  tools.toTheirs(ours),
  ...(tools.of(ours)?.aliases ?? []),
];

/**
 * Returns our arguments as Claude Code's hooks know them; paths are made absolute against `cwd`, if it
 * is given.
 */
export function toClaudeInput(ours: string, input: ToolInput, cwd?: string): ToolInput {
  const tool = tools.of(ours);
  if (tool === undefined) return input;
  const theirs = tools.toInput(ours, input);
  const { [tool.name]: path } = wholePaths;
  const given = path && theirs[path];
  if (path && cwd && typeof given === 'string' && given !== '')
    theirs[path] = wholePath(given, cwd);
  else if (tool.name === 'LS' && cwd && given === undefined) theirs[path!] = cwd;
  if (ours === 'read_file' && typeof theirs['offset'] === 'number') theirs['offset']++;
  if (ours === 'replace' && Number(input['expected_replacements'] ?? 1) > 1)
    theirs['replace_all'] = true;
  return theirs;
}

/** Returns Claude Code's arguments as our tool takes them. */
export function fromClaudeInput(ours: string, input: ToolInput): ToolInput {
  const given = tools.fromInput(ours, input);
  if (ours === 'read_file' && typeof given['offset'] === 'number')
    given['offset'] = Math.max(0, given['offset'] - 1);
  return given;
}

/** The call of an event, as permission rules are compared with it; undefined if it is about none. */
export function ruledCall({ tool_name: tool, tool_input, cwd }: Fields): RuledCall | undefined {
  if (typeof tool !== 'string') return undefined;
  const input = toClaudeInput(tool, fieldsOf(tool_input), String(cwd));
  return { names: [...claudeNamesOf(tool), tool], input, cwd: String(cwd) };
}

/** Returns what a hook receives (as measured on the host). */
export function toStdin(hook: HookDefinition, payload: HookPayload, context: EventContext): object {
  const native = claudeEventOf(hook);
  const { session_id, transcript_path, cwd, timestamp: _, hook_event_name: __, ...own } = payload;
  const { permission_mode, ...fields } = isCall(native)
    ? toldCall(native, own, payload, context)
    : toldFields(native, own);
  return {
    session_id,
    transcript_path: context.transcriptPath ?? transcript_path,
    cwd,
    ...(!withoutMode.has(native) && { permission_mode: permission_mode ?? 'default' }),
    hook_event_name: native,
    ...fields,
  };
}

const isCall = (event: ClaudeEventName): boolean =>
  traitsOf(event).subject === 'tool_name' && event !== 'PermissionDenied';

/** The events without a permission mode. */
const withoutMode: ReadonlySet<string> = new Set<ClaudeEventName>([
  'SessionStart',
  'SessionEnd',
  'MessageDisplay',
]);

/** Fields of the agent that we do not know are passed on unchanged. */
function toldCall(
  event: ClaudeEventName,
  { tool_response: response, ...others }: Fields,
  { tool_name: name, tool_input, cwd: folder }: HookPayload,
  { toolCallId, toolDuration }: EventContext,
): Fields {
  const tool = String(name);
  const cwd = String(folder);
  const input = toClaudeInput(tool, fieldsOf(tool_input), cwd);
  const isAfter = event === 'PostToolUse' || event === 'PostToolUseFailure';
  return {
    ...others,
    tool_name: tools.toTheirs(tool),
    tool_input: input,
    ...(event === 'PostToolUse' && { tool_response: toClaudeResponse(tool, input, response) }),
    ...(event === 'PostToolUseFailure' && failureIn(others, response)),
    ...(event !== 'PermissionRequest' && { tool_use_id: toolCallId ?? '' }),
    ...(isAfter && others['duration_ms'] === undefined && durationOf(toolDuration)),
  };
}

/** Describes how a tool failed. */
function failureIn({ error: said, is_interrupt: given }: Fields, response: unknown): Fields {
  const { llmContent, error } = fieldsOf(response);
  const { type, message } = fieldsOf(error);
  return {
    error: [message, said].find((text) => typeof text === 'string') ?? textsIn(llmContent),
    is_interrupt: given ?? type === 'cancelled',
  };
}

function toldFields(event: ClaudeEventName, own: Fields): Fields {
  const { subject = '' } = traitsOf(event);
  const inTheirWords = { [subject]: toClaudeWord(event, String(own[subject])) };
  switch (event) {
    case 'Stop': {
      const { prompt: _, prompt_response: said, ...rest } = own;
      return { ...rest, ...(typeof said === 'string' && { last_assistant_message: said }) };
    }
    case 'PreCompact':
      return { ...own, custom_instructions: own['custom_instructions'] ?? null };
    case 'Notification': {
      const { details: _, ...rest } = own;
      return { ...rest, ...inTheirWords };
    }
    case 'SessionStart':
    case 'SessionEnd':
      return { ...own, ...inTheirWords };
    default:
      return own;
  }
}

/** What an event's own fields must be when they come from outside. Extra fields are tolerated. */
const shapes: Readonly<Partial<Record<ClaudeEventName, Shape>>> = {
  ...claudeShapes,
  PostToolUse: { ...call, tool_response: anything },
  SessionStart: { source: oneOf(['startup', 'resume', 'clear', 'compact', 'fork']) },
};

/** Reads an event from an agent that speaks Claude Code into canonical form. */
export function readCall(event: string, given: Fields): CheckedCall {
  const native = event as ClaudeEventName;
  return checkedCall(shapes[native] ?? {}, given, (fields) => inCanonicalForm(native, fields));
}

function inCanonicalForm(event: ClaudeEventName, fields: Fields): ReadCall {
  const { own, made } = ownFields(fields);
  if (isCall(event)) {
    const tool_name = tools.fromTheirs(own['tool_name'] as string);
    return made({
      tool_name,
      tool_input: fromClaudeInput(tool_name, own['tool_input'] as Fields),
      ...(event === 'PostToolUse' && {
        tool_response: fromClaudeResponse(tool_name, own['tool_response']),
      }),
      ...(event === 'PostToolUseFailure' && { tool_response: failureOf(own['error'] as string) }),
    });
  }
  switch (event) {
    case 'Stop':
      return made({ prompt: '', prompt_response: own['last_assistant_message'] ?? '' });
    case 'Notification':
      return made({ details: {} });
    case 'SessionStart':
      return made({ source: fromClaudeWord(event, own['source'] as string) });
    default:
      return made({});
  }
}

/** Returns what such an agent is told: the final arguments and a replaced result, in Claude Code's form. */
export const reportCall = ({ toolName = '', toolInput, toolResponse, followUps }: CallResult) => ({
  toolInput: toolInput && toClaudeInput(toolName, toolInput),
  toolOutput: toolResponse
    ? toClaudeResponse(toolName, toClaudeInput(toolName, toolInput ?? {}), toolResponse)
    : null,
  followUps,
});
