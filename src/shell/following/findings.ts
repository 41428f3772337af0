import { dirname, join } from 'node:path';
import type { Disk } from './disk.ts';
import type { Followed, Started } from './followed.ts';
import type { Places } from './places.ts';
import { literally, type ExpandedWord } from './expanded-word.ts';

/** How a command uses a file that it names. */
export type Use =
  /** It runs it, or would if it existed. */
  | 'script'
  /** It may run it, if it exists. */
  | 'maybe'
  /** Like `maybe`, but nothing is added to the name. */
  | 'named'
  | 'data'
  | 'written';

/** Collects the files that a command turns out to use, and what cannot be followed. */
export class Findings implements Followed {
  readonly scripts = new Set<string>();
  readonly data = new Set<string>();
  readonly written = new Set<string>();
  readonly manifests = new Set<string>();
  readonly patterns = new Set<string>();
  readonly started: Started[] = [];
  readonly lookedFor = new Set<string>();
  definesUnknown = false;
  readonly disk: Disk;
  /** Something that it runs is not literal: any file that it names may be that. */
  runsUnknown = false;
  readonly #unfollowed = new Set<string>();
  readonly #places: Places;
  #distance = 0;
  #optional = 0;

  constructor(places: Places) {
    this.#places = places;
    this.disk = places.disk;
  }

  get unfollowed(): readonly string[] {
    return [...this.#unfollowed];
  }

  /** Reports something that cannot be followed. */
  lost(what: string): void {
    if (this.#distance > 0) return;
    this.#unfollowed.add(what.length > 200 ? `${what.slice(0, 200)}…` : what);
  }

  /** Reports that what is run is not literal. */
  runs(what: string): void {
    this.lost(what);
    this.runsUnknown = true;
  }

  /**
   * Follows code that another file holds for a program, such as a target of a Makefile. Only what it certainly
   * runs counts: what it compiles or checks are the project's sources.
   */
  indirectly(follow: () => void): void {
    const { runsUnknown } = this;
    this.#distance++;
    follow();
    this.#distance--;
    this.runsUnknown = runsUnknown;
  }

  /** Records a file under each name that a word may contain. */
  names(text: string, use: Use): void {
    if (text.length > 4_096 || text.includes('\0')) return;
    if (use === 'maybe' || use === 'named') return this.#mayRun(text, use === 'maybe');
    const into = { script: this.scripts, data: this.data, written: this.written }[use];
    const isFile = this.#places.pathsOf(text).some((path) => this.disk.isFile(path));
    const parts =
      use === 'written' || isFile
        ? [text]
        : [
            text,
            text.slice(text.indexOf('=') + 1),
            ...text.split(/[=:,@\s]/),
            text.replace(/^-\w/, ''),
          ];
    for (const part of parts) for (const path of this.#pathsOf(part)) into.add(path);
    return undefined;
  }

  /** Records the existing files that code or a word may mean, for code also with another extension. */
  #mayRun(text: string, isCode: boolean): void {
    if (this.#distance > 0) return;
    const words = [
      ...(text.match(/[\w./%+~-]+/g) ?? []),
      ...(isCode ? (text.match(/[\w.%+~-]+/g) ?? []) : []),
    ];
    for (const word of new Set([text, ...words.slice(0, mostWords)]))
      for (const name of new Set([word, word.replace(/^-[A-Za-z]/, ''), ...inContainer(word)]))
        for (const path of this.#filesNamed(name, isCode)) this.scripts.add(path);
  }

  #filesNamed(name: string, isCode: boolean): readonly string[] {
    const filesOf = (text: string): readonly string[] =>
      this.#pathsOf(text).filter((path) => this.disk.isFile(path));
    const exactly = filesOf(name);
    if (!isCode || exactly.length > 0) return exactly;
    const stem = name.replace(/\.\w*$/, '');
    return [stem, ...[name, stem].flatMap((start) => extensions.map((end) => start + end))].flatMap(
      filesOf,
    );
  }

  #pathsOf(part: string): readonly string[] {
    const { home } = this.#places;
    const name = part.startsWith('~/') && home ? home + part.slice(1) : part;
    if (name === '' || name === '/') return [];
    return !name.startsWith('/') || this.disk.isInProject(name) ? this.#places.pathsOf(name) : [];
  }

  /**
   * Records files that say what a program runs: those of the folder, which count even while they are absent,
   * and those of the folders above it.
   */
  ruledBy(names: readonly string[], folders = this.#places.folders): void {
    for (const folder of folders) for (const name of names) this.manifests.add(join(folder, name));
    this.ruledByExisting(names, folders);
  }

  /** Records files that say what a program runs, but that it may write itself where there are none. */
  ruledByExisting(names: readonly string[], folders = this.#places.folders): void {
    for (const folder of folders)
      for (const above of this.foldersAbove(folder))
        for (const name of names)
          if (this.disk.isFile(join(above, name))) this.manifests.add(join(above, name));
  }

  /** Returns a folder and those above it, up to the root of its repository, or else the project. */
  foldersAbove(folder: string): readonly string[] {
    const root = this.disk.repositoryOf(folder);
    const folders = [folder];
    for (let at = folder; at !== root && at !== dirname(at);) {
      at = dirname(at);
      if (root === undefined && !this.disk.isInProject(at)) break;
      folders.push(at);
    }
    return folders;
  }

  /** Records all files that match a pattern, now or later, as files that are run. */
  selects(pattern: string): void {
    // A pattern without any literal name would mean the whole project.
    if (!/[^*?/.{}[\](),!|@+]/.test(pattern)) return;
    if (!/[*?{[(]/.test(pattern)) return this.names(pattern, 'maybe');
    for (const path of this.#pathsOf(pattern)) this.patterns.add(path);
    return undefined;
  }

  /** Records that the code looks whether there are programs or files of these names. */
  looksFor(names: readonly ExpandedWord[]): void {
    for (const name of names.flatMap((one) => literally(one) ?? [])) this.lookedFor.add(name);
  }

  /** Follows code without which the rest does what it should. */
  optionally(follow: () => void): void {
    this.#optional++;
    follow();
    this.#optional--;
  }

  /** Records what is started, `by` an interpreter or on its own. */
  starts(name: string, by?: string): void {
    if (this.#distance > 0) return;
    const isSearched = by === undefined && !name.includes('/');
    const { script: inside, isLost } = this.#places;
    const isOptional = this.#optional > 0 || (isLost && !isSearched && !name.startsWith('/'));
    this.started.push({
      name,
      paths: isSearched ? [] : this.#places.pathsOf(name),
      ...(by !== undefined && { by }),
      ...(inside !== undefined && { inside }),
      ...(isOptional && { isOptional }),
    });
  }
}

/** Returns what an absolute path may be outside of a container in which a folder is mounted. */
const inContainer = (path: string): readonly string[] =>
  path.startsWith('/') ? [path.replace(/^\/+[^/]*\//, '')] : [];

const mostWords = 200;

/** The ends of names that code leaves out where it loads a file. */
const extensions = ['.sh', '.js', '.mjs', '.cjs', '.ts', '.py', '.rb', '.pm', '.pl', '.jq'];
