import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { toolNames as ourToolNames } from '../plain/tool-names.ts';
import { cursorEventOf, traitsOf } from './events.ts';

/** Cursor's types of tools. */
const names = 'Shell Read Write Grep Delete Task Glob WebFetch WebSearch'.split(' ');

/**
 * Returns the names that a hook's matcher may match; undefined if it does not match tools, or only one
 * kind of call.
 */
export function toolNames(hook: HookDefinition): readonly string[] | undefined {
  const { calls, matched } = traitsOf(cursorEventOf(hook));
  if (matched !== 'tool' || calls !== undefined) return undefined;
  return [...names, ...(ourToolNames({ ...hook, event: 'BeforeTool' }) ?? [])];
}
