import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { userHome } from './surroundings.ts';

/** How many folders are created at most. */
const mostMissing = 64;

/**
 * Creates a folder and the missing folders on the way to it, each with this mode. Node's own way to do that
 * never returns for some folders, such as one in `/proc`.
 *
 * @throws an error with the system's `code` if the folder cannot be created
 */
export function makeFolder(folder: string, mode?: number): void {
  const missing: string[] = [];
  for (let at = resolve(folder); !isFolder(at); at = dirname(at)) {
    if (missing.length === mostMissing) throw failure(folder, 'ENAMETOOLONG');
    missing.unshift(at);
  }
  for (const path of missing)
    try {
      mkdirSync(path, mode);
    } catch (cause) {
      // Another process may have created it in the meantime.
      if (!isFolder(path)) throw failure(path, (cause as NodeJS.ErrnoException).code!, cause);
    }
}

/** Whether there is a folder at this path, as far as this user can see. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // A path that cannot be examined cannot be created either, which `mkdirSync` reports.
    return false;
  }
}

const failure = (folder: string, code: string, cause?: unknown): NodeJS.ErrnoException =>
  Object.assign(new Error(`the folder ${folder} cannot be created (${code})`, { cause }), {
    code,
    syscall: 'mkdir',
    path: folder,
  });

/**
 * Returns the absolute path that a tool's argument means: `~` is the user's home folder, as most agents have
 * it (also before several slashes), and any other path is relative to `folder`.
 */
export const wholePath = (path: string, folder: string): string =>
  path === '~' || path.startsWith('~/')
    ? resolve(userHome(), `.${path.slice(1)}`)
    : resolve(folder, path);
