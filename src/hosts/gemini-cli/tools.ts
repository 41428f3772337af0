import {
  filePathAs,
  folderPathAs,
  shellFolderAs,
  toolTable,
  type HostTool,
} from '../parts/tool-table.ts';

const filePath = filePathAs('file_path');
const folderPath = folderPathAs('dir_path');

const tools: readonly HostTool[] = [
  {
    ours: 'run_shell_command',
    name: 'run_shell_command',
    renamed: shellFolderAs('dir_path'),
  },
  { ours: 'write_file', name: 'write_file', renamed: filePath },
  { ours: 'replace', name: 'replace', renamed: filePath },
  { ours: 'read_file', name: 'read_file', renamed: filePath },
  { ours: 'glob', name: 'glob', renamed: folderPath },
  {
    ours: 'search_file_content',
    name: 'grep_search',
    renamed: [...folderPath, ['include', 'include_pattern']],
  },
  { ours: 'list_directory', name: 'list_directory', renamed: folderPath },
  { ours: 'todo_write', name: 'write_todos' },
];

/** The names of our tools and their arguments in Gemini CLI. */
export const {
  toTheirs: toGeminiTool,
  fromTheirs: fromGeminiTool,
  toInput: toGeminiInput,
  fromInput: fromGeminiInput,
} = toolTable(tools);
