import { lstatSync, readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';

/** The disk, as far as the reader looks at it: it never runs anything, and nothing it asks throws. */
export interface Disk {
  kindOf(path: string): 'file' | 'folder' | 'link' | undefined;
  /** Returns a text file's content; undefined if there is none, or it is too large. */
  read(path: string): string | undefined;
  list(folder: string): readonly string[];
  /** Resolves all links of a path that exists; undefined if it does not. */
  real(path: string): string | undefined;
}

const largestFile = 262_144;
const mostNames = 2_000;

/** The real disk. */
export const disk: Disk = {
  kindOf(path) {
    const stats = tried(() => lstatSync(path));
    if (stats === undefined) return undefined;
    if (stats.isSymbolicLink()) return 'link';
    return stats.isDirectory() ? 'folder' : 'file';
  },
  read(path) {
    const stats = tried(() => statSync(path));
    if (!stats?.isFile() || stats.size > largestFile) return undefined;
    const text = tried(() => readFileSync(path, 'utf8'));
    return text?.includes('\0') ? undefined : text;
  },
  list: (folder) => (tried(() => readdirSync(folder)) ?? []).slice(0, mostNames),
  real: (path) => tried(() => realpathSync(path)),
};

function tried<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}
