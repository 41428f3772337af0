import type { HookChange } from '../../agent/loop/hook-changes.ts';
import { warn } from '../../base/log.ts';
import { printable } from './printable.ts';

/**
 * Reports on stderr what hooks changed in a call, one line each, without the values, which may be secrets.
 */
export function reportChanges(changes: readonly HookChange[]): void {
  for (const change of changes) warn(undefined, printable(describe(change)));
}

function describe({ hook, tool, of, keys = [] }: HookChange): string {
  const which = keys.length === 0 ? '' : `: ${keys.map((key) => JSON.stringify(key)).join(', ')}`;
  return of === 'arguments'
    ? `hook "${hook}" rewrote the arguments of ${tool}${which}`
    : `hook "${hook}" replaced the result of ${tool}`;
}
