import { fieldsOf, isRecord } from '../../base/json.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { resultOf } from '../parts/tool-facts.ts';
import { filePathAs, folderPathAs, toolTable, type ToolInput } from '../parts/tool-table.ts';

type Fields = Readonly<Record<string, unknown>>;

const filePath = filePathAs('path');
const inFolder = { renamed: folderPathAs('path'), needs: ['pattern'] };

/** Our tools in Copilot. */
export const tools = toolTable([
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
  { ours: 'list_directory', name: 'view', onlyMatched: ['view'], renamed: inFolder.renamed },
  { ours: 'glob', name: 'glob', ...inFolder },
  {
    ours: 'search_file_content',
    name: 'grep',
    ...inFolder,
    renamed: [...inFolder.renamed, ['include', 'glob']],
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
export const { toTheirs: toCopilotTool } = tools;

/** Returns the name by which hooks in Pascal case know one of our tools. */
export const toPascalTool = (ours: string): string =>
  claudeNames.get(toCopilotTool(ours)) ?? toCopilotTool(ours);

/** Returns our name for one of Copilot's tools, given either of its names; any other tool keeps its name. */
export function fromCopilotTool(theirs: string): string {
  const ours = tools.fromTheirs(theirs);
  if (ours !== theirs) return ours;
  const [own] = [...claudeNames].find(([, claude]) => claude === theirs) ?? [];
  return tools.fromTheirs(own ?? (theirs === 'Task' ? 'task' : theirs));
}

/** Returns our arguments as Copilot's hooks know them. */
export function toCopilotInput(ours: string, input: ToolInput): ToolInput {
  if (ours !== 'read_file') return tools.toInput(ours, input);
  const { offset, limit, ...rest } = input;
  const theirs = tools.toInput(ours, rest);
  if (typeof offset !== 'number' && typeof limit !== 'number') return theirs;
  const first = Number(offset ?? 0) + 1;
  const last = typeof limit === 'number' ? first + limit - 1 : -1;
  return { ...theirs, view_range: [first, last] };
}

/** Returns Copilot's arguments as our tool takes them. */
export function fromCopilotInput(ours: string, input: ToolInput): ToolInput {
  const given = tools.fromInput(ours, input);
  const { view_range: range, ...rest } = given;
  const [first, last] = Array.isArray(range) ? (range as unknown[]) : [];
  if (ours !== 'read_file' || typeof first !== 'number') return given;
  const isBounded = typeof last === 'number' && last >= first;
  return {
    ...rest,
    offset: Math.max(0, first - 1),
    ...(isBounded && { limit: last - first + 1 }),
  };
}

/** Returns a tool's result as Copilot's hooks receive it; those in Pascal case receive it in snake case. */
export function toCopilotResult(response: unknown) {
  const { llmContent, error } = fieldsOf(response);
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
  const fields = fieldsOf(given);
  const text = fields['textResultForLlm'] ?? fields['text_result_for_llm'];
  if (typeof text !== 'string') return undefined;
  const type = fields['resultType'] ?? fields['result_type'];
  const hasFailed = type === 'failure' || type === 'denied' || type === 'rejected';
  return { ...resultOf(text), ...(hasFailed && { error: { message: text } }) };
}
