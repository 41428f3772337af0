import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { usesOf } from './matcher.ts';

/** The tools of this engine and of LLxprt. */
export const ourTools =
  'run_shell_command write_file replace read_file list_directory glob search_file_content read_many_files read_line_range insert_at_line delete_line_range apply_patch ast_edit ast_read_file google_web_search google_web_fetch web_fetch direct_web_fetch exa_web_search codesearch todo_read todo_write todo_pause save_memory task list_subagents activate_skill ask_user lsp'.split(
    ' ',
  );

/** Returns the names that a hook's matcher may match; undefined if it is not for tools. */
export const toolNames = ({ event }: HookDefinition): readonly string[] | undefined =>
  usesOf(event) === 'regex' ? ourTools : undefined;
