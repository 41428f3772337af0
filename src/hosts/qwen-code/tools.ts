import {
  filePathAs,
  folderPathAs,
  shellFolderAs,
  toolTable,
  type HostTool,
} from '../parts/tool-table.ts';

const filePath = filePathAs('file_path');
const folderPath = folderPathAs('path');

const tools: readonly HostTool[] = [
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
    renamed: filePath,
  },
  { ours: 'replace', name: 'edit', aliases: ['Edit', 'EditTool'], renamed: filePath },
  {
    ours: 'read_file',
    name: 'read_file',
    aliases: ['ReadFile', 'ReadFileTool', 'Read'],
    renamed: filePath,
  },
  {
    ours: 'search_file_content',
    name: 'grep_search',
    aliases: ['Grep', 'GrepTool', 'search_file_content', 'SearchFiles'],
    renamed: [...folderPath, ['include', 'glob']],
  },
  { ours: 'glob', name: 'glob', aliases: ['Glob', 'GlobTool', 'FindFiles'], renamed: folderPath },
  {
    ours: 'list_directory',
    name: 'list_directory',
    aliases: ['ListFiles', 'ListFilesTool', 'ReadFolder'],
    renamed: folderPath,
  },
  { ours: 'todo_write', name: 'todo_write', aliases: ['TodoList', 'TodoWrite', 'TodoWriteTool'] },
  { ours: 'web_fetch', name: 'web_fetch', aliases: ['WebFetch', 'WebFetchTool'] },
  { ours: 'google_web_search', name: 'web_search', aliases: ['WebSearch', 'WebSearchTool'] },
  { ours: 'task', name: 'agent', aliases: ['Agent', 'AgentTool', 'task', 'Task', 'TaskTool'] },
  { ours: 'lsp', name: 'lsp', aliases: ['LSP', 'Lsp', 'LspTool'] },
];

const table = toolTable(tools);

/** The names of our tools and their arguments in Qwen Code. */
export const {
  toTheirs: toQwenTool,
  fromTheirs: fromQwenTool,
  toInput: toQwenInput,
  fromInput: fromQwenInput,
} = table;

/** Returns the names of one of our tools that a matcher can match exactly, not as a regular expression. */
export const exactNamesOf = (ours: string): readonly string[] => [
  table.toTheirs(ours),
  ours,
  ...(table.of(ours)?.aliases ?? displayNames(ours)),
];

/** Returns a tool's usual display name, without and with "Tool". */
function displayNames(name: string): string[] {
  if (!/^[a-z]+(?:_[a-z]+)*$/.test(name)) return [];
  const display = name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
  return [display, `${display}Tool`];
}
