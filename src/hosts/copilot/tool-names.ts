import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { toolNames as ourToolNames } from '../plain/tool-names.ts';
import { copilotEventOf, traitsOf } from './events.ts';
import { pascalToolNames, toCopilotTool } from './tools.ts';

/** Copilot's tools. */
const names =
  'bash read_bash write_bash stop_bash list_bash powershell read_powershell write_powershell stop_powershell list_powershell view create edit str_replace_editor apply_patch glob grep rg task read_agent write_agent list_agents web_fetch web_search update_todo ask_user report_intent store_memory skill sql session_store_sql task_complete exit_plan_mode fetch_copilot_cli_documentation'.split(
    ' ',
  );

/** Returns the names that a hook's matcher may match, ours included; undefined if it does not match tools. */
export function toolNames(hook: HookDefinition): readonly string[] | undefined {
  const event = copilotEventOf(hook);
  if (traitsOf(event).subject !== 'tool_name') return undefined;
  const ours = ourToolNames({ ...hook, event: 'BeforeTool' }) ?? [];
  const all = [...names, ...ours.map(toCopilotTool)];
  return [...new Set(event.isPascal ? [...pascalToolNames, ...all] : all)];
}
