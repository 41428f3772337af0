import {
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  type BigIntStats,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import picomatch from 'picomatch';
import { homeFolder, realPath } from '../../settings/levels.ts';
import { trustedFiles } from '../../trust/project-trust.ts';
import { absolutePlaces, guardedPlaces } from './guarded-places.ts';

/** A path that something is about to write. */
export interface WrittenPath {
  /** Absolute; a pattern where it is a glob. */
  readonly path: string;
  /** Whether what is below it goes too, as when it is moved or removed. */
  readonly isTree?: boolean;
  readonly isGlob?: boolean;
}

/** Those of these paths that lead to where guards are written down, as the agent named them. */
export function findGuarded(cwd: string, written: readonly WrittenPath[]): string[] {
  if (written.length === 0) return [];
  const guards = new Guards(cwd);
  return [...new Set(written.filter((path) => guards.hold(path)).map(({ path }) => path))];
}

/** Links are followed no further than the system does. */
const mostLinks = 40;
/** How much of a guarded folder is looked at for files that have a second name. */
const mostFiles = 2_000;

/** What is guarded around one project, as it is now. */
class Guards {
  readonly #places: readonly string[];
  readonly #real: ReadonlySet<string>;

  constructor(cwd: string) {
    const home = homeFolder();
    const folders = new Set([...upwards(cwd), ...upwards(realPath(cwd)), ...(home ? [home] : [])]);
    const scripts = trustedIn(cwd);
    this.#places = [
      ...[...folders].flatMap((folder) => guardedPlaces.map((place) => join(folder, place))),
      ...absolutePlaces().filter(isAbsolute),
      ...scripts,
    ];
    // Where a settings folder is a link, what it leads to is the settings folder.
    this.#real = new Set(
      this.#places.flatMap((place) => existing(place).map((path) => canonical(realPath(path)))),
    );
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
    const places = [...this.#real, ...this.#places.map(canonical)];
    return places.some(
      (place) => isWithin(place, path) || (isTree && isWithin(path, place) && this.#isThere(place)),
    );
  }

  #isThere(place: string): boolean {
    return this.#real.has(place);
  }

  /** A glob can only lead to what is there. */
  #matches(pattern: string, isTree: boolean): boolean {
    const matches = picomatch(pattern, { nocase: true });
    const there = this.#places.flatMap(existing);
    return there.some(
      (place) =>
        matches(place) ||
        filesIn(place).some((file) => matches(file)) ||
        (upwards(dirname(place)) as readonly string[])
          // A folder that is named takes its guards with it where it is moved or removed.
          .some((folder) => (isTree || guardFolders.has(basename(folder))) && matches(folder)),
    );
  }

  /** Two names of one file: a hard link. */
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

/** The names of folders in which guards stand. */
const guardFolders = new Set(
  guardedPlaces.filter((place) => place.includes('/')).map((place) => place.split('/')[0]!),
);

/** Letters that some file systems take for one. */
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

/** Whether a path ends like a guarded place, below whatever folder: an agent may be started there. */
function isShaped(path: string, isTree: boolean): boolean {
  const parts = canonical(path).split(sep).filter(Boolean);
  return shapes.some(({ folder, parts: shape }) =>
    parts.some((_, start) => {
      const rest = parts.slice(start);
      const common = Math.min(rest.length, shape.length);
      if (!shape.slice(0, common).every((matches, index) => matches(rest[index]!))) return false;
      if (rest.length >= shape.length) return folder || rest.length === shape.length;
      // `.claude` itself: whoever moves, links or removes it, moves what is in it.
      return isTree;
    }),
  );
}

const isWithin = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
};

const upwards = (folder: string): string[] => {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upwards(above)];
};

/** What there is of a place; more than one where a name has a star. */
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

/** Where a path leads, through links that lead nowhere yet too: what is written through them lands there. */
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
    // A record that cannot be read trusts nothing.
    return [];
  }
}

const statOf = (path: string): BigIntStats | undefined =>
  tried(() => statSync(path, { bigint: true }));

/** Undefined for what is not there, is below what is no folder, or that nobody may look at. */
function tried<Found>(look: () => Found): Found | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
