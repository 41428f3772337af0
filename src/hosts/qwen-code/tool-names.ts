import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { toolNames as ourToolNames } from '../plain/tool-names.ts';
import { qwenEventOf, traitsOf } from './events.ts';
import { exactNamesOf } from './tools.ts';

/** Qwen Code's tools that we do not have (packages/core/src/tools/tool-names.ts). */
const names =
  'ask_user_question exit_plan_mode monitor notebook_edit save_memory skill read_many_files structured_output task_create task_get task_list task_output task_stop task_update'.split(
    ' ',
  );

/** Returns the names that a matcher may match, with aliases and ours; undefined if it is not for tools. */
export function toolNames(hook: HookDefinition): readonly string[] | undefined {
  if (traitsOf(qwenEventOf(hook)).subject !== 'tool_name') return undefined;
  const ours = ourToolNames({ ...hook, event: 'BeforeTool' }) ?? [];
  return [...new Set([...ours, ...names].flatMap(exactNamesOf))];
}
