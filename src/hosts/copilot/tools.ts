import { isRecord } from '../../base/json.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import {
  filePathAs,
  folderPathAs,
  toolTable,
  type HostTool,
  type ToolInput,
} from '../parts/tool-table.ts';

/** One of our tools and its counterpart in Copilot. */
interface CopilotTool extends HostTool {
  /** Copilot's arguments that the tool cannot run without, each a string. */
  readonly needs?: readonly string[];
}

const filePath = filePathAs('path');
const folderPath = folderPathAs('path');

const table = toolTable<CopilotTool>([
  { ours: 'run_shell_command', name: 'bash', needs: ['command'] },
  {
    ours: 'write_file',
    name: 'create',
    renamed: [...filePath, ['content', 'file_text']],
    needs: ['path', 'file_text'],
  },
  {
    ours: 'replace',
    name: 'edit',
    renamed: [...filePath, ['old_string', 'old_str'], ['new_string', 'new_str']],
    needs: ['path', 'old_str', 'new_str'],
  },
  { ours: 'read_file', name: 'view', renamed: filePath, needs: ['path'] },
  // Copilot lists a folder with the tool that shows a file.
  { ours: 'list_directory', name: 'view', onlyMatched: ['view'], renamed: folderPath },
  { ours: 'glob', name: 'glob', renamed: folderPath, needs: ['pattern'] },
  {
    ours: 'search_file_content',
    name: 'grep',
    renamed: [...folderPath, ['include', 'glob']],
    needs: ['pattern'],
  },
  { ours: 'web_fetch', name: 'web_fetch' },
  { ours: 'google_web_search', name: 'web_search' },
  { ours: 'todo_write', name: 'update_todo' },
  { ours: 'task', name: 'task' },
]);

/** By Copilot's own name, what it calls a tool in events in Pascal case. */
const claudeNames: ReadonlyMap<string, string> = new Map([
  ['bash', 'Bash'],
  ['powershell', 'Bash'],
  ['view', 'Read'],
  ['create', 'Write'],
  ['edit', 'Edit'],
  ['str_replace_editor', 'Edit'],
  ['apply_patch', 'Edit'],
  ['grep', 'Grep'],
  ['rg', 'Grep'],
  ['glob', 'Glob'],
  ['web_fetch', 'WebFetch'],
  ['web_search', 'WebSearch'],
  ['ask_user', 'AskUserQuestion'],
  ['update_todo', 'TodoWrite'],
  ['task', 'Agent'],
]);

/** The names of tools in events in Pascal case. */
export const pascalToolNames: ReadonlySet<string> = new Set([...claudeNames.values(), 'Task']);

/** Returns Copilot's name for one of our tools; any other tool keeps its name. */
export const toCopilotTool: (ours: string) => string = table.toTheirs;

/** Returns the name by which hooks in Pascal case know one of our tools. */
export const toPascalTool = (ours: string): string => {
  const theirs = table.toTheirs(ours);
  return claudeNames.get(theirs) ?? theirs;
};

/** Returns our name for one of Copilot's tools, given either of its names; any other tool keeps its name. */
export function fromCopilotTool(theirs: string): string {
  const ours = table.fromTheirs(theirs);
  if (ours !== theirs) return ours;
  const [own] = [...claudeNames].find(([, claude]) => claude === theirs) ?? [];
  return own === undefined
    ? table.fromTheirs(theirs === 'Task' ? 'task' : theirs)
    : table.fromTheirs(own);
}

/** Returns our arguments as Copilot's hooks know them. */
export function toCopilotInput(ours: string, input: ToolInput): ToolInput {
  if (ours !== 'read_file') return table.toInput(ours, input);
  const { offset, limit, ...rest } = input;
  const theirs = table.toInput(ours, rest);
  if (typeof offset !== 'number' && typeof limit !== 'number') return theirs;
  const first = Number(offset ?? 0) + 1;
  const last = typeof limit === 'number' ? first + limit - 1 : -1;
  return { ...theirs, view_range: [first, last] };
}

/** Returns Copilot's arguments as our tool takes them. */
export function fromCopilotInput(ours: string, input: ToolInput): ToolInput {
  const given = table.fromInput(ours, input);
  const { view_range: range, ...rest } = given;
  if (ours !== 'read_file' || !Array.isArray(range)) return given;
  const [first, last] = range as unknown[];
  if (typeof first !== 'number') return given;
  const isBounded = typeof last === 'number' && last >= first;
  return {
    ...rest,
    offset: Math.max(0, first - 1),
    ...(isBounded && { limit: last - first + 1 }),
  };
}

/** Why a tool cannot run with arguments in Copilot's form; undefined if it can. */
export function inputFault(ours: string, input: ToolInput): string | undefined {
  const missing = table.of(ours)?.needs?.find((name) => typeof input[name] !== 'string');
  if (missing === undefined) return undefined;
  const what = input[missing] === undefined ? 'is missing' : 'is not a string';
  return `"${missing}" ${what}`;
}

type Fields = Readonly<Record<string, unknown>>;

/** A tool's result; hooks in Pascal case receive the same fields in snake case. */
export interface CopilotResult {
  readonly resultType: string;
  readonly textResultForLlm: string;
}

/** Returns a tool's result as Copilot's hooks receive it. */
export function toCopilotResult(response: unknown): CopilotResult {
  const { llmContent, error } = isRecord(response) ? response : ({} as Fields);
  return {
    resultType: isRecord(error) ? 'failure' : 'success',
    textResultForLlm: textsIn(llmContent),
  };
}

/**
 * Returns a result in Copilot's form, in either case, as a `tool_response`; undefined if it is not a
 * result.
 */
export function fromCopilotResult(given: unknown): Fields | undefined {
  if (!isRecord(given)) return undefined;
  const text = given['textResultForLlm'] ?? given['text_result_for_llm'];
  if (typeof text !== 'string') return undefined;
  const type = given['resultType'] ?? given['result_type'];
  const hasFailed = type === 'failure' || type === 'denied' || type === 'rejected';
  return {
    llmContent: text,
    returnDisplay: text,
    ...(hasFailed && { error: { message: text } }),
  };
}
