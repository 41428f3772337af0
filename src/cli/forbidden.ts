import type { Command } from 'commander';
import { settingsPlaces } from '../settings/levels.ts';
import { type Managed, managedBy } from '../settings/managed.ts';
import { settingsReader } from '../settings/read-files.ts';
import { tellUser } from './has-no-hook.ts';

let known: Managed | undefined;

/** What the administrator of this machine manages; a file that cannot be read denies elsewhere. */
function managed(): Managed {
  if (known !== undefined) return known;
  const read = settingsReader();
  const places = settingsPlaces('/').filter(({ source }) => source === 'system');
  return (known = managedBy(places.flatMap(({ file }) => read(file) ?? [])));
}

const reported = new Set<string>();

/** Whether the administrator forbids an option or a variable that is given, which then has no effect; that is reported. */
export function isForbidden(word: string): boolean {
  const file = managed().forbid.get(word);
  if (file === undefined) return false;
  if (!reported.has(word))
    tellUser(`${word} has no effect: ${file} forbids it; only an administrator can change that`);
  reported.add(word);
  return true;
}

/** Takes away what is forbidden of the options that a command was given. */
export function withoutForbidden(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    const isGiven = command.getOptionValueSource(name) === 'cli';
    if (isGiven && isForbidden(option.long ?? ''))
      command.setOptionValueWithSource(name, option.negate || option.defaultValue, 'default');
  }
}
