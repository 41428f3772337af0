import type { HookDefinition } from '../../settings/hook-definition.ts';
import { copilotEventOf, traitsOf } from './events.ts';
import { pascalToolNames } from './tools.ts';

/** Copilot's tools. */
const names =
  'bash powershell read_bash write_bash stop_bash list_bash view create edit str_replace_editor apply_patch glob grep rg task read_agent list_agents web_fetch web_search update_todo ask_user report_intent store_memory skill sql fetch_copilot_cli_documentation'.split(
    ' ',
  );

/** The names that a hook's matcher may fit; undefined where it is not for tools. */
export function toolNames(hook: HookDefinition): readonly string[] | undefined {
  const event = copilotEventOf(hook);
  if (traitsOf(event).subject !== 'tool_name') return undefined;
  return event.isPascal ? [...pascalToolNames, ...names] : names;
}
