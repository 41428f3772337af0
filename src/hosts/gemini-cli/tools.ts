import { filePathAs, folderPathAs, shellFolderAs, toolTable } from '../parts/tool-table.ts';

const file = { renamed: filePathAs('file_path') };
const folder = { renamed: folderPathAs('dir_path') };

/** Our tools in Gemini CLI. */
export const tools = toolTable([
  { ours: 'run_shell_command', name: 'run_shell_command', renamed: shellFolderAs('dir_path') },
  { ours: 'write_file', name: 'write_file', ...file },
  { ours: 'replace', name: 'replace', ...file },
  { ours: 'read_file', name: 'read_file', ...file },
  { ours: 'glob', name: 'glob', ...folder },
  {
    ours: 'search_file_content',
    name: 'grep_search',
    renamed: [...folder.renamed, ['include', 'include_pattern']],
  },
  { ours: 'list_directory', name: 'list_directory', ...folder },
  { ours: 'todo_write', name: 'write_todos' },
]);
