import { isAbsolute, resolve } from 'node:path';
import { isFolder } from '../../base/folders.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { demandFolder } from './run-command.ts';
import { currentFolder } from '../../base/surroundings.ts';

/**
 * Returns the folder that a command works in.
 *
 * @throws {CommandFailure} if it is not a folder
 */
export function projectFolder(cwd: string): string {
  if (!isAbsolute(cwd)) demandFolder();
  const folder = isAbsolute(cwd) ? resolve(cwd) : resolve(currentFolder(), cwd);
  if (!isFolder(folder)) throw new CommandFailure(`--cwd ${cwd}: there is no such folder`);
  return folder;
}

/**
 * Does the same; if the folder that this process was started in is gone, it works in the other one from now
 * on.
 */
export function folderToWorkIn(cwd = '.'): string {
  const folder = projectFolder(cwd);
  try {
    currentFolder();
  } catch {
    process.chdir(folder);
  }
  return folder;
}
