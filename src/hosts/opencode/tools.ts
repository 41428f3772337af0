import { toolTable } from '../parts/tool-table.ts';

const filePath = [
  ['file_path', 'filePath'],
  ['absolute_path', 'filePath'],
] as const;

/** OpenCode's names for our tools and their arguments. */
export const tools = toolTable([
  { ours: 'run_shell_command', name: 'bash' },
  { ours: 'read_file', name: 'read', renamed: filePath },
  { ours: 'write_file', name: 'write', renamed: filePath },
  {
    ours: 'replace',
    name: 'edit',
    renamed: [
      ...filePath,
      ['old_string', 'oldString'],
      ['new_string', 'newString'],
      ['replace_all', 'replaceAll'],
    ],
  },
  { ours: 'glob', name: 'glob' },
  { ours: 'search_file_content', name: 'grep' },
  { ours: 'list_directory', name: 'list' },
  { ours: 'web_fetch', name: 'webfetch' },
  { ours: 'todo_write', name: 'todowrite' },
  { ours: 'task', name: 'task' },
]);
