import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { BundleError } from './bundle-error.ts';
import { most } from './limits.ts';

/** A file of a bundle, wherever it was read from. */
export interface BundleFile {
  readonly bytes: Buffer;
  /** '755' for a program, '644' for any other file. */
  readonly mode: '644' | '755';
}

/** All files of a bundle by their paths, including its manifest and signature. */
export type BundleFiles = ReadonlyMap<string, BundleFile>;

/** How a folder is read. */
export interface FolderOptions {
  /** It is installed, so nobody else may have write access to it. */
  readonly isInstalled?: true;
  /** Top-level folders that are not part of it. */
  readonly without?: readonly string[];
}

/**
 * Reads a folder with everything in it. No link is followed, and only files and folders are opened.
 *
 * @throws {BundleError} if it holds anything else, or too much
 */
export function readFolder(folder: string, options: FolderOptions = {}): BundleFiles {
  const files = new Map<string, BundleFile>();
  const budget = { bytes: most.bytes };
  const { without = [] } = options;
  const walk = (path: string): void => {
    const full = join(folder, path);
    try {
      if (options.isInstalled) {
        const stats = lstatSync(full);
        if (!stats.isDirectory()) throw odd(path || folder);
        demandOwn(path || folder, stats);
      }
      for (const entry of readdirSync(full, { withFileTypes: true })) {
        const inner = path === '' ? entry.name : `${path}/${entry.name}`;
        if (path === '' && without.includes(entry.name)) continue;
        if (inner.split('/').length > most.depth || files.size > most.files + 2)
          throw tooLarge(`more than ${most.files} files, or folders nested too deeply`);
        if (entry.isDirectory()) walk(inner);
        else if (entry.isFile())
          files.set(inner, readFile(join(folder, inner), inner, budget, options));
        else throw odd(inner);
      }
    } catch (error) {
      throw asBundleError(error, path);
    }
  };
  walk('');
  return files;
}

/** How many bytes may still be read. */
interface Budget {
  bytes: number;
}

function readFile(
  file: string,
  path: string,
  budget: Budget,
  { isInstalled }: FolderOptions,
): BundleFile {
  // A link or a pipe that has replaced the file meanwhile is neither followed nor waited for.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const descriptor = openSync(file, flags);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw odd(path);
    if (isInstalled) demandOwn(path, stats);
    const bytes = Buffer.allocUnsafe(Math.min(stats.size, budget.bytes) + 1);
    let length = 0;
    for (let read; (read = readSync(descriptor, bytes, length, bytes.length - length, null)) > 0;)
      length += read;
    budget.bytes -= length;
    if (budget.bytes < 0) throw tooLarge(`more than ${most.bytes / 1024 / 1024} MiB`);
    if (length > stats.size)
      throw new BundleError(`changed while it was read (${path})`, 'try again');
    return { bytes: bytes.subarray(0, length), mode: (stats.mode & 0o100) === 0 ? '644' : '755' };
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Makes sure that nobody but this user and root could have written it, or could write it before it is used.
 */
function demandOwn(path: string, { uid, mode }: Stats): void {
  const own = process.getuid?.();
  if (own === undefined) return;
  if (uid !== own && uid !== 0)
    throw new BundleError(
      `belongs to another user (uid ${uid} owns ${path})`,
      'remove it and add it again',
    );
  if ((mode & 0o022) !== 0)
    throw new BundleError(`can be written by others (${path})`, 'remove it and add it again');
}

const odd = (path: string): BundleError =>
  new BundleError(
    `holds ${JSON.stringify(path)}, which is a link or something else that is not a file`,
    'leave only files and folders in it',
  );

const tooLarge = (what: string): BundleError =>
  new BundleError(`is too large: it has ${what}`, 'leave only hooks and their tests in it');

function asBundleError(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ELOOP') return odd(path);
  return typeof code === 'string' && /^E[A-Z]+$/.test(code)
    ? new BundleError(
        `cannot be read (${code})`,
        'check the path, and give this user read permission',
        { cause: error },
      )
    : error;
}
