import { resolve } from 'node:path';
import { isFolder } from '../make-folder.ts';
import { CommandFailure } from './failure.ts';

/**
 * Returns the folder that a command works in.
 *
 * @throws {CommandFailure} if it is not a folder
 */
export function projectFolder(cwd: string): string {
  const folder = resolve(cwd);
  if (!isFolder(folder)) throw new CommandFailure(`--cwd ${cwd}: there is no such folder`);
  return folder;
}
