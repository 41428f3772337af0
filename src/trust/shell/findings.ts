import { resolve } from 'node:path';
import type { Disk } from './disk.ts';
import type { Followed, Started } from './followed.ts';
import type { Places } from './places.ts';

/** Collects the files that a command turns out to use, and what cannot be followed. */
export class Findings implements Followed {
  readonly scripts = new Set<string>();
  readonly data = new Set<string>();
  readonly written = new Set<string>();
  readonly beyond = new Set<string>();
  readonly started: Started[] = [];
  readonly disk: Disk;
  readonly #unfollowed = new Set<string>();
  readonly #places: Places;

  constructor(places: Places) {
    this.#places = places;
    this.disk = places.disk;
  }

  get unfollowed(): readonly string[] {
    return [...this.#unfollowed];
  }

  /** Reports something that cannot be followed. */
  lost(what: string): void {
    this.#unfollowed.add(what.length > 200 ? `${what.slice(0, 200)}…` : what);
  }

  /** Records a file under each name that a word may contain. */
  names(text: string, kind: 'script' | 'data' | 'written', isGuess = false): void {
    const into = { script: this.scripts, data: this.data, written: this.written }[kind];
    if (text.length > 4_096 || text.includes('\0')) return;
    const { folders, home } = this.#places;
    const isFile = this.#places.pathsOf(text).some((path) => this.disk.isFile(path));
    const parts =
      kind === 'written' || isFile
        ? [text]
        : [
            text,
            text.slice(text.indexOf('=') + 1),
            ...text.split(/[=:,@\s]/),
            text.replace(/^-\w/, ''),
          ];
    for (const part of parts) {
      const name = part.startsWith('~/') && home ? home + part.slice(1) : part;
      if (name === '' || name === '/') continue;
      if (!name.startsWith('/') || this.disk.isInProject(name))
        for (const path of this.#places.pathsOf(name)) into.add(path);
      // The unknown part before it may be something that only the shell can know, such as `$(dirname "$0")`.
      if (isGuess && name.startsWith('/')) for (const base of folders) into.add(base + name);
    }
  }

  /** Records what is started, `by` an interpreter or on its own. */
  starts(name: string, by?: string): void {
    const isSearched = by === undefined && !name.includes('/');
    this.started.push({
      name,
      paths: isSearched ? [] : this.#places.pathsOf(name),
      ...(by !== undefined && { by }),
    });
  }

  /** Records a folder outside the project that a relative path leads to. */
  leadsBeyond(start: string): void {
    if (start.startsWith('/') || !start.includes('/')) return;
    for (const base of this.#places.folders) {
      const folder = resolve(base, start.slice(0, start.lastIndexOf('/')));
      if (!this.disk.isInProject(folder) && this.disk.isFolder(folder)) this.beyond.add(folder);
    }
  }
}
