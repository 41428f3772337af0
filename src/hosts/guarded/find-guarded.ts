import {
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  type BigIntStats,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import picomatch from 'picomatch';
import { foldersAbove } from '../../base/folders-above.ts';
import { homeFolder, realPath } from '../../settings/files/levels.ts';
import { trustedFiles } from '../../settings/trust/project-trust.ts';
import { absolutePlaces, guardedPlaces } from './guarded-places.ts';

/** A path that something is about to write. */
export interface WrittenPath {
  /** Absolute; a pattern if it is a glob. */
  readonly path: string;
  /** Whether everything below it is affected too, as when it is moved or removed. */
  readonly isTree?: boolean;
  readonly isGlob?: boolean;
}

/** Returns those of these paths that lead to guarded places, as the agent named them. */
export function findGuarded(cwd: string, written: readonly WrittenPath[]): string[] {
  if (written.length === 0) return [];
  const guards = new Guards(cwd);
  return [...new Set(written.filter((path) => guards.hold(path)).map(({ path }) => path))];
}

/** How long the places around a project are taken to be where they were, in ms. */
const freshFor = 1_000;

/** Returns what tells whether a path leads to a guarded place. */
export function guardedIn(cwd: string): (path: string, isTree: boolean) => boolean {
  let guards: Guards | undefined;
  let madeAt = 0;
  return (path, isTree) => {
    const now = performance.now();
    if (guards === undefined || now - madeAt > freshFor) {
      guards = new Guards(cwd);
      madeAt = now;
    }
    return guards.hold({ path, isTree });
  };
}

/** The same limit for following links as the system has. */
const mostLinks = 40;
/** How many files of a guarded folder are checked for a second name. */
const mostFiles = 2_000;

/** The guarded places around one project, as they are now. */
class Guards {
  readonly #places: readonly string[];
  readonly #real: ReadonlySet<string>;
  /** The canonical forms of the places, and of what they lead to. */
  readonly #known: readonly string[];

  constructor(cwd: string) {
    const home = homeFolder();
    const folders = new Set([
      ...foldersAbove(cwd),
      ...foldersAbove(realPath(cwd)),
      ...(home ? [home] : []),
    ]);
    const scripts = trustedIn(cwd);
    this.#places = [
      ...[...folders].flatMap((folder) => guardedPlaces.map((place) => join(folder, place))),
      ...absolutePlaces().filter(isAbsolute),
      ...scripts,
    ];
    // If a settings folder is a link, its target is the settings folder.
    this.#real = new Set(
      this.#places.flatMap((place) => existing(place).map((path) => canonical(realPath(path)))),
    );
    this.#known = [...new Set([...this.#real, ...this.#places.map(canonical)])];
  }

  hold({ path, isTree = false, isGlob = false }: WrittenPath): boolean {
    if (isGlob) return this.#matches(path, isTree);
    const ways = [path, followed(path)];
    return (
      ways.some((way) => isShaped(way, isTree)) ||
      ways.some((way) => this.#isKnown(canonical(way), isTree)) ||
      this.#isSecondName(path)
    );
  }

  #isKnown(path: string, isTree: boolean): boolean {
    return this.#known.some(
      (place) => isWithin(place, path) || (isTree && isWithin(path, place) && this.#isThere(place)),
    );
  }

  #isThere(place: string): boolean {
    return this.#real.has(place);
  }

  /** A glob can match only paths that exist. */
  #matches(pattern: string, isTree: boolean): boolean {
    const matches = picomatch(pattern, { nocase: true });
    const there = this.#places.flatMap(existing);
    return there.some(
      (place) =>
        matches(place) ||
        filesIn(place).some((file) => matches(file)) ||
        foldersAbove(dirname(place))
          // Moving or removing a folder takes its guards along.
          .some((folder) => (isTree || guardFolders.has(basename(folder))) && matches(folder)),
    );
  }

  /** Whether the path is a hard link to a guarded file. */
  #isSecondName(path: string): boolean {
    const stats = statOf(path);
    if (!stats?.isFile() || stats.nlink < 2n) return false;
    return this.#places
      .flatMap(existing)
      .flatMap((place) => [place, ...filesIn(place)])
      .some((file) => {
        const other = statOf(file);
        return other?.ino === stats.ino && other.dev === stats.dev;
      });
  }
}

/** The names of folders that contain guards. */
const guardFolders = new Set(
  guardedPlaces.filter((place) => place.includes('/')).map((place) => place.split('/')[0]!),
);

/** Reduces a path to a form in which names that some file systems treat as the same are equal. */
const canonical = (path: string): string =>
  path
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\u206A-\u206F\uFEFF]/g, '')
    .replace(/(?<=.)\/+$/, '');

const shapes = guardedPlaces.map((place) => {
  const folder = place.endsWith('/');
  const parts = canonical(place).split('/');
  return { folder, parts: parts.map((part) => picomatch(part, { dot: true })) };
});

/** Whether a path ends like a guarded place, below any folder: an agent may be started there. */
function isShaped(path: string, isTree: boolean): boolean {
  const parts = canonical(path).split(sep).filter(Boolean);
  return shapes.some(({ folder, parts: shape }) =>
    parts.some((_, start) => {
      const rest = parts.slice(start);
      const common = Math.min(rest.length, shape.length);
      if (!shape.slice(0, common).every((matches, index) => matches(rest[index]!))) return false;
      if (rest.length >= shape.length) return folder || rest.length === shape.length;
      // `.claude` itself: moving, linking or removing it affects everything in it.
      return isTree;
    }),
  );
}

const isWithin = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder === sep ? sep : folder + sep);

/** The existing paths of a place; there may be several if its name has a star. */
function existing(place: string): string[] {
  const name = basename(place);
  if (!name.includes('*')) return tried(() => lstatSync(place)) ? [place.replace(/\/$/, '')] : [];
  const matches = picomatch(name, { dot: true });
  return namesIn(dirname(place))
    .filter((one) => matches(one))
    .map((one) => join(dirname(place), one));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function filesIn(folder: string): string[] {
  if (!tried(() => statSync(folder))?.isDirectory()) return [];
  const found: string[] = [];
  const open = [folder];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const name of namesIn(next)) {
      if (found.length >= mostFiles) return found;
      const path = join(next, name);
      found.push(path);
      if (tried(() => lstatSync(path))?.isDirectory()) open.push(path);
    }
  return found;
}

/**
 * Returns where a path leads, even through links to targets that do not exist yet: a write through them
 * creates the target.
 */
function followed(path: string, links = 0): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    if (above === path || links > mostLinks) return path;
    const here = join(followed(above, links), basename(path));
    try {
      return followed(resolve(dirname(here), readlinkSync(here)), links + 1);
    } catch {
      return here;
    }
  }
}

function trustedIn(cwd: string): readonly string[] {
  try {
    return trustedFiles(cwd);
  } catch {
    // If the record cannot be read, nothing is trusted.
    return [];
  }
}

const statOf = (path: string): BigIntStats | undefined =>
  tried(() => statSync(path, { bigint: true }));

/** Undefined if the path does not exist, is below something that is not a folder, or may not be read. */
function tried<Found>(look: () => Found): Found | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
