import type { Command } from 'commander';
import { tellUser } from './has-no-hook.ts';
import { managedHere } from './managed-here.ts';
import { keptInProcess } from '../../base/surroundings.ts';

/** What the administrator manages, and which words were reported. */
const known = keptInProcess(() => ({ managed: managedHere(), reported: new Set<string>() }));

/**
 * Whether the administrator forbids a given option or variable; it then has no effect, which is reported
 * once.
 */
export function isForbidden(word: string): boolean {
  const { managed, reported } = known();
  const file = managed.forbid.get(word);
  if (file === undefined) return false;
  if (!reported.has(word))
    tellUser(`${word} has no effect: ${file} forbids it; only an administrator can change that`);
  reported.add(word);
  return true;
}

/** Resets the forbidden options among those that a command was given. */
export function withoutForbidden(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    const isGiven = command.getOptionValueSource(name) === 'cli';
    if (isGiven && isForbidden(option.long ?? ''))
      command.setOptionValueWithSource(name, option.negate || option.defaultValue, 'default');
  }
}
