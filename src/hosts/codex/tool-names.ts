import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { toolNames as ourToolNames } from '../plain/tool-names.ts';
import { codexEventOf, traitsOf } from './events.ts';
import { codexNamesOf } from './tools.ts';

/**
 * The Codex tools that its hooks receive (codex-rs/core/src/tools/spec_plan.rs), including those of
 * earlier versions. Hooks do not receive what is typed into a running shell, nor searches by the
 * model's provider.
 */
const names =
  'Bash apply_patch update_plan view_image get_goal create_goal update_goal request_user_input request_permissions list_available_plugins_to_install request_plugin_install tool_search spawn_agent send_input send_message followup_task resume_agent wait_agent close_agent interrupt_agent list_agents spawn_agents_on_csv report_agent_job_result list_mcp_resources list_mcp_resource_templates read_mcp_resource list_dir grep_files'.split(
    ' ',
  );

/** Returns the names that a hook's matcher may match, ours included; undefined if it does not match tools. */
export function toolNames(hook: HookDefinition): readonly string[] | undefined {
  if (traitsOf(codexEventOf(hook)).subject !== 'tool_name') return undefined;
  const ours = ourToolNames({ ...hook, event: 'BeforeTool' }) ?? [];
  return [...new Set([...names, ...ours.flatMap(codexNamesOf)])];
}
