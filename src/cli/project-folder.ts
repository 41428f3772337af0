import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommandFailure } from './failure.ts';

/**
 * The folder a command works in.
 *
 * @throws {CommandFailure} when it is no folder
 */
export function projectFolder(cwd: string): string {
  const folder = resolve(cwd);
  if (!isFolder(folder)) throw new CommandFailure(`--cwd ${cwd}: there is no such folder`);
  return folder;
}

/** Whether a folder is there. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
