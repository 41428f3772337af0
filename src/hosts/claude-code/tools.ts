import { wholePath } from '../../base/folders.ts';
import {
  filePathAs,
  folderPathAs,
  toolTable,
  type HostTool,
  type ToolInput,
} from '../parts/tool-table.ts';

/** One of our tools and its counterpart in Claude Code. */
interface ClaudeTool extends HostTool {
  /** Their argument that is an absolute path. */
  readonly path?: string;
  /** Their arguments that the tool cannot run without, each a string. */
  readonly needs?: readonly string[];
}

const filePath = filePathAs('file_path');
const folderPath = folderPathAs('path');

const tools: readonly ClaudeTool[] = [
  { ours: 'run_shell_command', name: 'Bash', needs: ['command'] },
  {
    ours: 'write_file',
    name: 'Write',
    renamed: filePath,
    path: 'file_path',
    needs: ['file_path', 'content'],
  },
  {
    ours: 'replace',
    name: 'Edit',
    aliases: ['MultiEdit'],
    // None of our tools takes the arguments of an edit of several texts.
    onlyMatched: ['MultiEdit'],
    renamed: filePath,
    path: 'file_path',
    needs: ['file_path', 'old_string', 'new_string'],
  },
  {
    ours: 'read_file',
    name: 'Read',
    renamed: filePath,
    path: 'file_path',
    needs: ['file_path'],
  },
  { ours: 'glob', name: 'Glob', renamed: folderPath, needs: ['pattern'] },
  {
    ours: 'search_file_content',
    name: 'Grep',
    renamed: [...folderPath, ['include', 'glob']],
    needs: ['pattern'],
  },
  { ours: 'list_directory', name: 'LS', renamed: folderPath, path: 'path' },
  { ours: 'task', name: 'Agent', aliases: ['Task'] },
  { ours: 'web_fetch', name: 'WebFetch' },
  { ours: 'google_web_search', name: 'WebSearch' },
  { ours: 'todo_write', name: 'TodoWrite' },
];

const table = toolTable(tools);

/** Returns Claude Code's name for one of our tools; any other tool keeps its name. */
export const toClaudeTool: (ours: string) => string = table.toTheirs;

/** Returns our name for one of Claude Code's tools; any other tool keeps its name. */
export const fromClaudeTool: (theirs: string) => string = table.fromTheirs;

/** Returns the names that Claude Code's matchers know one of our tools by, its name on stdin first. */
export const claudeNamesOf = (ours: string): readonly string[] => {
  const tool = table.of(ours);
  return tool ? [tool.name, ...(tool.aliases ?? [])] : [ours];
};

/**
 * Returns our arguments as Claude Code's hooks know them; paths are made absolute against `cwd`, if it
 * is given.
 */
export function toClaudeInput(ours: string, input: ToolInput, cwd?: string): ToolInput {
  const tool = table.of(ours);
  if (tool === undefined) return input;
  const theirs = table.toInput(ours, input);
  const path = cwd && tool.path && pathGiven(theirs[tool.path], tool, cwd);
  if (tool.path && path) theirs[tool.path] = path;
  if (ours === 'read_file' && typeof theirs['offset'] === 'number') theirs['offset']++;
  if (ours === 'replace' && Number(input['expected_replacements'] ?? 1) > 1)
    theirs['replace_all'] = true;
  return theirs;
}

function pathGiven(given: unknown, { name }: ClaudeTool, cwd: string): unknown {
  if (typeof given === 'string' && given !== '') return wholePath(given, cwd);
  return given === undefined && name === 'LS' ? cwd : given;
}

/** Returns Claude Code's arguments as our tool takes them. */
export function fromClaudeInput(ours: string, input: ToolInput): ToolInput {
  const given = table.fromInput(ours, input);
  if (ours === 'read_file' && typeof given['offset'] === 'number')
    given['offset'] = Math.max(0, given['offset'] - 1);
  return given;
}

/** Why a tool cannot run with arguments in Claude Code's form; undefined if it can. */
export function inputFault(ours: string, input: ToolInput): string | undefined {
  const missing = table.of(ours)?.needs?.find((name) => typeof input[name] !== 'string');
  if (missing === undefined) return undefined;
  const what = input[missing] === undefined ? 'is missing' : 'is not a string';
  return `"${missing}" ${what}`;
}
