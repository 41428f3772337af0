import type { HookDefinition } from './hook-definition.ts';

const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Whether a list of names and commands, which may be as long as the list of all hooks, has a hook. */
export function isListed(
  names: readonly string[],
  { name, command }: Pick<HookDefinition, 'name' | 'command'>,
): boolean {
  const listed = sets.get(names) ?? new Set(names);
  sets.set(names, listed);
  return listed.has(name) || listed.has(command);
}
