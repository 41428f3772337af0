import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, posix, relative, resolve, sep } from 'node:path';
import { isMissing } from '../../base/errors.ts';
import { wholePath } from '../../base/folders.ts';
import { errorResult, type ToolResult } from '../../core/protocol/tool-result.ts';

/** A place inside the project; it need not exist yet. */
export interface Place {
  /** Its real path, with every link followed. */
  readonly path: string;
  /** Its name for output: relative to the project folder, with forward slashes; `.` is the folder itself. */
  readonly name: string;
}

export type Confined =
  | { readonly kind: 'inside'; readonly place: Place }
  | { readonly kind: 'refused'; readonly result: ToolResult };

/** Resolves a path to its real target, and refuses it if that is not inside the project. */
export async function confine(cwd: string, path: string): Promise<Confined> {
  const root = await realpath(cwd);
  const target = await followLinks(wholePath(path, cwd));
  if (target === undefined) {
    return refused(
      `${path} goes through a link that leads nowhere, so it cannot be kept inside the project ${cwd}. Remove the link, or create what it points to.`,
    );
  }
  if (!isInside(root, target)) {
    return refused(
      `${path} is outside the project ${cwd}${isInside(resolve(cwd), wholePath(path, cwd)) ? ' (a link leads out of it)' : ''}. Give a path inside the project.`,
    );
  }
  const name = relative(root, target).replaceAll(sep, '/') || '.';
  return { kind: 'inside', place: { path: target, name } };
}

/** The name for output of a file that a walk found below a folder. */
export function nameWithin(folder: Place, path: string): string {
  return folder.name === '.' ? path : `${folder.name}/${path}`;
}

/** The folder that a file is in. */
export function folderOf({ path, name }: Place): Place {
  return { path: dirname(path), name: posix.dirname(name) };
}

const refused = (message: string): Confined => ({
  kind: 'refused',
  result: errorResult(message, 'path_outside_project'),
});

/** Returns undefined for a dangling link: a write through it would land wherever it points. */
async function followLinks(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  if (await isLink(path)) return undefined;
  const folder = await followLinks(dirname(path));
  return folder === undefined ? undefined : join(folder, basename(path));
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch {
    return false;
  }
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
