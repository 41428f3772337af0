import type { HookDefinition } from '../../settings/hook-definition.ts';
import { toolNames as ourToolNames } from '../llxprt/tool-names.ts';
import { cursorEventOf, traitsOf } from './events.ts';

/** Cursor's types of tools. */
const names = 'Shell Read Write Grep Delete Task Glob WebFetch WebSearch'.split(' ');

/** The names that a hook's matcher may fit; undefined where it is not for tools, or for one kind of call alone. */
export function toolNames(hook: HookDefinition): readonly string[] | undefined {
  const { calls, matched } = traitsOf(cursorEventOf(hook));
  if (matched !== 'tool' || calls !== undefined) return undefined;
  return [...names, ...(ourToolNames({ ...hook, event: 'BeforeTool' }) ?? [])];
}
