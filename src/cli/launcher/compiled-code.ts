import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  type Stats,
} from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { writeAtomically } from '../../base/atomic-file.ts';
import { makeFolder } from '../../base/folders.ts';
import { hasAdministrator } from '../../settings/files/levels.ts';

/*
 * The storage of what V8 has compiled. V8 runs it unchecked, so whoever can write the file can do whatever
 * the user can. It is stored and loaded only where nobody but the user can write: beside the bundle if that
 * folder is the user's own, otherwise (root installed the package) in the user's own cache folder. On a
 * machine with an administrator's settings, users could store other code there in place of guards: only what
 * lies beside the bundle counts, which root may have stored for everyone. A file's owner is checked once it
 * is open, so that nothing can be swapped in between.
 */

/** The bundle as compiled by V8. */
export interface Compiled {
  readonly code: Buffer;
  /** Whether it was compiled by a run with a hook, which needs more of it. */
  readonly withHook: boolean;
}

/** The folders that compiled code may be stored in, the better one first. */
export function foldersForCode(
  besideBundle: string,
  env: Readonly<Record<string, string | undefined>>,
  isManaged = hasAdministrator(),
): readonly string[] {
  const caches = isManaged ? undefined : cacheFolder(env);
  return [
    ...(isSafe(() => lstatSync(besideBundle), 'directory') ? [besideBundle] : []),
    ...(caches === undefined ? [] : [join(caches, 'hookmachine')]),
  ];
}

/**
 * The user's cache folder. A relative path is not a folder of the user's (XDG Base Directory Specification).
 */
function cacheFolder({ XDG_CACHE_HOME, HOME }: Readonly<Record<string, string | undefined>>) {
  if (XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME)) return XDG_CACHE_HOME;
  return HOME && isAbsolute(HOME) ? join(HOME, '.cache') : undefined;
}

/** Whether something belongs to the user or to root, and nobody else may write it. */
const isSafe = (look: () => Stats, kind: 'directory' | 'file'): boolean =>
  isOwn(look, kind, [process.geteuid?.(), 0]);

/** Whether something belongs to the user, and nobody else may write it. */
function isOwn(
  look: () => Stats,
  kind: 'directory' | 'file',
  owners = [process.geteuid?.()],
): boolean {
  try {
    const found = look();
    const isKind = kind === 'file' ? found.isFile() : found.isDirectory();
    return isKind && owners.includes(found.uid) && (found.mode & 0o022) === 0;
  } catch {
    return false;
  }
}

/**
 * The storage format: the code twice, because V8 crashes the process on damaged code, and one byte for
 * `withHook`. A checksum would cost more than it seems: `node:zlib` loads half of Node.
 */
const packed = ({ code, withHook }: Compiled): Buffer =>
  Buffer.concat([code, code, Buffer.of(withHook ? 1 : 0)]);

/** Undefined if it was damaged. */
function unpacked(file: Buffer): Compiled | undefined {
  const size = (file.length - 1) / 2;
  if (!Number.isInteger(size) || size === 0) return undefined;
  const code = file.subarray(0, size);
  return code.equals(file.subarray(size, -1)) ? { code, withHook: file.at(-1) === 1 } : undefined;
}

/**
 * Returns the code of this name that was stored in one of the folders; never a file that another user could
 * have written.
 */
export function readCompiled(folders: readonly string[], name: string): Compiled | undefined {
  for (const folder of folders) {
    const compiled = readFile(folder, join(folder, name));
    if (compiled !== undefined) return compiled;
  }
  return undefined;
}

function readFile(folder: string, path: string): Compiled | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const open = fd;
    if (!isSafe(() => lstatSync(folder), 'directory')) return undefined;
    // In a user's folder, a file of root's is not the user's.
    const { uid } = lstatSync(folder);
    if (!isOwn(() => fstatSync(open), 'file', [uid])) return undefined;
    const compiled = unpacked(readFileSync(open));
    if (compiled !== undefined) return compiled;
    rmSync(path);
  } catch {
    // There is no such file, or it cannot be read.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
  return undefined;
}

/**
 * Stores code under this name in the first folder that accepts it; if none does, the next run compiles again.
 */
export function keepCompiled(folders: readonly string[], name: string, compiled: Compiled): void {
  folders.some((folder) => keepIn(folder, name, compiled));
}

function keepIn(folder: string, name: string, compiled: Compiled): boolean {
  try {
    makeOwn(folder);
    if (!isOwn(() => lstatSync(folder), 'directory')) return false;
    writeAtomically(join(folder, name), packed(compiled), {
      // Whoever may read the folder may use the code.
      mode: 0o600 | (lstatSync(folder).mode & 0o044),
    });
    dropOld(folder);
    return true;
  } catch {
    return false;
  }
}

/** Creates the user's folder if it does not exist; not in somebody else's home, as `sudo` may leave it. */
function makeOwn(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })) return;
  const caches = join(folder, '..');
  const home = join(caches, '..');
  const around = [caches, home].find((path) => statSync(path, { throwIfNoEntry: false }));
  if (around !== undefined && isOwn(() => statSync(around), 'directory')) makeFolder(folder, 0o700);
}

/** How long the code of builds that are gone is kept, in ms. */
const longestKept = 30 * 24 * 60 * 60 * 1000;

/** Builds come and go; a build that is still in use and loses its code here compiles it once more. */
function dropOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith('compiled-')) continue;
    const path = join(folder, name);
    const { mtimeMs } = lstatSync(path);
    if (Date.now() - mtimeMs > longestKept) rmSync(path, { force: true });
  }
}
