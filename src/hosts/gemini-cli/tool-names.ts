import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { toolNames as ourToolNames } from '../plain/tool-names.ts';

/** Gemini CLI's tools (packages/core/src/tools/tool-names.ts), and those that call its agents. */
const names =
  'run_shell_command write_file replace read_file glob grep_search list_directory write_todos google_web_search web_fetch save_memory read_many_files ask_user activate_skill enter_plan_mode exit_plan_mode get_internal_docs codebase_investigator cli_help complete_task update_topic tracker_create_task tracker_update_task tracker_get_task tracker_list_tasks tracker_add_dependency tracker_visualize'.split(
    ' ',
  );

/** Returns the names that a hook's matcher may match, including ours; undefined if it is not for tools. */
export function toolNames(hook: HookDefinition): readonly string[] | undefined {
  const ours = ourToolNames(hook);
  return ours && [...names, ...ours];
}
