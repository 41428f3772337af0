import { createHash } from 'node:crypto';
import { lstat, readdir, readlink, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { digestFile } from './digest-file.ts';
import type { Once } from './once.ts';

/** The digest of all files in some folders. */
export interface FolderDigest {
  /** The folders, by their real paths. */
  readonly folders: readonly string[];
  /** Files that the command writes to; they are ignored. */
  readonly without: readonly string[];
  readonly files: number;
  readonly bytes: number;
  /** The hash of the list of all files with their own hashes. */
  readonly sha256: string;
}

/** A digest together with the list that it was computed from, one line per file. */
export interface ListedFolder extends FolderDigest {
  readonly list: string;
}

/** The limits beyond which folders are too large to hash at every start of a hook. */
export const folderLimits = { files: 10_000, bytes: 64 * 1024 * 1024, ms: 10_000 };

/** The parts of a folder that are left out, in words for users. */
export const leftOut =
  'without node_modules (except its .bin) and .git (except its configuration and hooks)';

/**
 * Hashes all files in folders: their paths, contents, links, and whether they are executable. Packages and
 * git's own store are left out, but not what the package manager and git run by themselves.
 *
 * @throws an error that says why the folders cannot be hashed: a file cannot be read, or they hold too much
 */
export async function digestFolders(
  folders: readonly string[],
  without: readonly string[],
): Promise<ListedFolder> {
  const walk = new Walk(new Set(without));
  // The first folder is the project.
  for (const [index, folder] of folders.entries())
    await walk.folder(folder, index === 0 ? '' : folder, 'all');
  const list = walk.lines.toSorted().join('');
  const sha256 = createHash('sha256').update(list).digest('hex');
  return { folders, without, files: walk.files, bytes: walk.bytes, sha256, list };
}

/** Like `digestFolders`, but shared by hooks that depend on the same folders. */
export const digestOnce = (
  folders: readonly string[],
  without: readonly string[],
  once: Once,
): Promise<ListedFolder> =>
  once(`folders ${JSON.stringify([folders, without])}`, () => digestFolders(folders, without));

/** Which entries of a folder count. */
type Part = 'all' | 'packages' | 'git';

class Walk {
  readonly lines: string[] = [];
  files = 0;
  bytes = 0;
  readonly #seen = new Set<string>();
  readonly #without: ReadonlySet<string>;
  readonly #until = Date.now() + folderLimits.ms;

  constructor(without: ReadonlySet<string>) {
    this.#without = without;
  }

  async folder(path: string, shown: string, part: Part): Promise<void> {
    const real = await realpath(path);
    if (this.#seen.has(real)) return;
    this.#seen.add(real);
    const entries = await readdir(path).catch((error: Error) => {
      throw new Error(`${shown} cannot be read (${error.message})`);
    });
    for (const entry of entries.toSorted())
      if (counts(entry, part)) await this.#entry(join(path, entry), join(shown, entry), entry);
  }

  async #entry(path: string, shown: string, name: string): Promise<void> {
    const stats = await lstat(path);
    if (stats.isDirectory())
      return this.folder(
        path,
        shown,
        name === 'node_modules' ? 'packages' : name === '.git' ? 'git' : 'all',
      );
    if (this.#without.has(path)) return undefined;
    this.#count(1, 0);
    if (stats.isSymbolicLink()) {
      const target = await readlink(path);
      this.#line(shown, 'link', target);
      const real = await realpath(path).catch(() => undefined);
      if (real === undefined || this.#without.has(real)) return undefined;
      const led = await lstat(real);
      if (led.isDirectory())
        return real.split(sep).includes('node_modules')
          ? undefined
          : this.folder(real, real, 'all');
      if (led.isFile()) return this.#file(real, `${shown} →`);
    } else if (stats.isFile()) return this.#file(path, shown);
    else this.#line(shown, 'special', '');
    return undefined;
  }

  async #file(path: string, shown: string): Promise<void> {
    const digest = await digestFile(path).catch((error: Error) => {
      throw new Error(`${shown} cannot be read (${error.message})`);
    });
    if (digest === undefined) return this.#line(shown, 'special', '');
    this.#count(0, digest.size);
    this.#line(shown, (digest.mode & 0o111) === 0 ? 'file' : 'executable', digest.sha256);
  }

  #line(path: string, kind: string, content: string): void {
    this.lines.push(`${JSON.stringify([path, kind, content])}\n`);
  }

  #count(files: number, bytes: number): void {
    this.files += files;
    this.bytes += bytes;
    if (this.files > folderLimits.files)
      throw new Error(`there are more than ${folderLimits.files} files`);
    if (this.bytes > folderLimits.bytes)
      throw new Error(`there are more than ${folderLimits.bytes} bytes`);
    if (Date.now() > this.#until)
      throw new Error(`reading them takes more than ${folderLimits.ms / 1000} seconds`);
  }
}

function counts(entry: string, part: Part): boolean {
  if (part === 'packages') return entry === '.bin';
  return (
    part === 'all' || ['config', 'config.worktree', 'hooks', 'info', 'modules'].includes(entry)
  );
}

/** Returns the first file that differs between two lists. */
export function changedFile(before: string, now: string): string | undefined {
  const [then, today] = [new Set(before.split('\n')), new Set(now.split('\n'))];
  const line =
    [...today].find((one) => one !== '' && !then.has(one)) ??
    [...then].find((one) => one !== '' && !today.has(one));
  return line === undefined ? undefined : (JSON.parse(line) as [string])[0];
}
