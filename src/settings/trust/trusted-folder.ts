import { realpathSync } from 'node:fs';
import { trustFile } from '../files/levels.ts';
import { isFault, readTrustFile } from './read-trust.ts';
import { currentFolder } from '../../base/surroundings.ts';

/**
 * Whether the user has trusted the project at `cwd`, even if its hooks have changed since. An unusable record
 * is reported elsewhere.
 */
export function isFolderTrusted(cwd: string): boolean {
  const file = trustFile();
  if (file === undefined) return false;
  const projects = readTrustFile(file);
  return !isFault(projects) && projects.has(realpathSync(cwd));
}

/** Returns the command with which a user trusts the project at `cwd`. */
export function trustCommand(cwd: string, option = ''): string {
  const isHere = realpathSync(cwd) === realpathSync(currentFolder());
  return [
    'hookmachine trust',
    ...(option === '' ? [] : [option]),
    ...(isHere ? [] : [`--cwd ${JSON.stringify(cwd)}`]),
  ].join(' ');
}
