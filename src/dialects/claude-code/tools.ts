import { resolve } from 'node:path';

type ToolInput = Readonly<Record<string, unknown>>;

/** One of our tools as Claude Code has it. */
interface ClaudeTool {
  readonly ours: string;
  /** Its name on stdin. */
  readonly name: string;
  /** Other names that matchers may use for it. */
  readonly aliases?: readonly string[];
  /** Our arguments and theirs, where the names differ; of several of ours for one of theirs the first is what theirs becomes. */
  readonly renamed?: readonly (readonly [ours: string, theirs: string])[];
  /** The argument of theirs that is a whole path. */
  readonly path?: string;
  /** Arguments of theirs without which it cannot run, each a string. */
  readonly needs?: readonly string[];
}

const filePath = [
  ['file_path', 'file_path'],
  ['absolute_path', 'file_path'],
  ['path', 'file_path'],
] as const;
const folderPath = [
  ['path', 'path'],
  ['dir_path', 'path'],
] as const;

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

const byOurs: ReadonlyMap<string, ClaudeTool> = new Map(tools.map((tool) => [tool.ours, tool]));
const byTheirs: ReadonlyMap<string, ClaudeTool> = new Map(
  tools.flatMap((tool) =>
    // What an edit of several texts is given, no tool of ours takes.
    [tool.name, ...(tool.aliases ?? []).filter((alias) => alias !== 'MultiEdit')].map(
      (name) => [name, tool] as const,
    ),
  ),
);

/** Claude Code's name of a tool of ours; any other keeps its name. */
export const toClaudeTool = (ours: string): string => byOurs.get(ours)?.name ?? ours;

/** Our name of a tool of Claude Code; any other keeps its name. */
export const fromClaudeTool = (theirs: string): string => byTheirs.get(theirs)?.ours ?? theirs;

/** The names by which Claude Code's matchers know a tool of ours, its name on stdin first. */
export const claudeNamesOf = (ours: string): readonly string[] => {
  const tool = byOurs.get(ours);
  return tool ? [tool.name, ...(tool.aliases ?? [])] : [ours];
};

/** Our arguments as Claude Code's hooks know them; paths are whole there, as `cwd` makes them where it is given. */
export function toClaudeInput(ours: string, input: ToolInput, cwd?: string): ToolInput {
  const tool = byOurs.get(ours);
  if (tool === undefined) return input;
  const told: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    const [, theirs = name] = tool.renamed?.find(([own]) => own === name) ?? [];
    // What a tool of ours takes under two names stays there twice.
    told[theirs !== name && theirs in told ? name : theirs] = value;
  }
  const path = cwd && tool.path && wholePath(told[tool.path], tool, cwd);
  if (tool.path && path) told[tool.path] = path;
  if (ours === 'read_file' && typeof told['offset'] === 'number') told['offset']++;
  if (ours === 'replace' && Number(input['expected_replacements'] ?? 1) > 1)
    told['replace_all'] = true;
  return told;
}

function wholePath(given: unknown, { name }: ClaudeTool, cwd: string): unknown {
  if (typeof given === 'string' && given !== '') return resolve(cwd, given);
  return given === undefined && name === 'LS' ? cwd : given;
}

/** Claude Code's arguments as our tool takes them. */
export function fromClaudeInput(ours: string, input: ToolInput): ToolInput {
  const tool = byOurs.get(ours);
  if (tool === undefined) return input;
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    const [own = name] = tool.renamed?.find(([, theirs]) => theirs === name) ?? [];
    given[own] = value;
  }
  if (ours === 'read_file' && typeof given['offset'] === 'number')
    given['offset'] = Math.max(0, given['offset'] - 1);
  return given;
}

/** Why a tool cannot run with arguments of Claude Code's form; undefined where it can. */
export function inputFault(ours: string, input: ToolInput): string | undefined {
  const missing = byOurs.get(ours)?.needs?.find((name) => typeof input[name] !== 'string');
  if (missing === undefined) return undefined;
  const what = input[missing] === undefined ? 'is missing' : 'is no string';
  return `"${missing}" ${what}`;
}
