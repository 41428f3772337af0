import { basename, dirname, isAbsolute, join, normalize } from 'node:path';
import { matchesPattern } from './glob.ts';
import { anyMark, isGlob, isKnown, starMark, unknownMark } from './marks.ts';
import type { ShellState } from './state.ts';

/** Returns a path as the shell's folder makes it: absolute, without `.` and `..`; the folder may be unknown. */
export function absolute(text: string, folder: string): string {
  const path = text.replace(/^\/proc\/(?:self|\d+|\$\$)\/root(?=\/|$)/, '') || '/';
  const inFolder = path.replace(/^\/proc\/self\/cwd(?=\/|$)/, folder);
  if (isAbsolute(inFolder)) return trimmed(normalize(inFolder));
  if (text.startsWith(unknownMark)) return text;
  return trimmed(normalize(join(folder, inFolder)));
}

const trimmed = (path: string): string => (path.length > 1 ? path.replace(/\/+$/, '') : path);

const mostLinks = 20;

/** Follows the links of a path: those on the disk, and those that the command made. */
export function followed(path: string, state: ShellState, isLastToo: boolean): string {
  let at = mounted(path, state);
  for (let count = 0; count < mostLinks; count++) {
    const made = [...state.links].find(
      ([link]) => at.startsWith(`${link}/`) || (isLastToo && at === link),
    );
    if (made === undefined) break;
    at = absolute(made[1] + at.slice(made[0].length), dirname(made[0]));
  }
  if (!isKnown(at) || isGlob(at) || !isAbsolute(at)) return at;
  return isLastToo ? realOf(at, state) : join(realOf(dirname(at), state), basename(at));
}

function mounted(path: string, { mounts }: ShellState): string {
  const mount = [...mounts].find(
    ([name]) => path === name || path.startsWith(name === '/' ? '/' : `${name}/`),
  );
  return mount === undefined ? path : absolute(mount[1] + path.slice(mount[0].length), '/');
}

const longestPath = 4_096;

function realOf(path: string, state: ShellState): string {
  // No file has such a name.
  if (path.length > longestPath) return path;
  const real = state.around.disk.real(path);
  if (real !== undefined) return real;
  const above = dirname(path);
  return above === path ? path : join(realOf(above, state), basename(path));
}

const mostFound = 200;

/** Returns the files that a word with active pattern characters matches; undefined if there is none. */
export function filesOf(word: string, folder: string, state: ShellState): string[] | undefined {
  if (!isKnown(word) || !isKnown(folder)) return undefined;
  const { disk } = state.around;
  const isRooted = word.startsWith('/');
  let found = [isRooted ? '/' : ''];
  for (const part of word.split('/').filter(Boolean)) {
    const next: string[] = [];
    for (const base of found) {
      const path = (name: string): string =>
        (base === '' || base === '/' ? base : `${base}/`) + name;
      if (!isGlob(part)) next.push(path(part));
      else {
        const names = disk.list(base === '' ? folder : absolute(base, folder));
        const isHidden = part.startsWith('.');
        for (const name of names)
          if (matchesPattern(name, part) && (isHidden || !name.startsWith('.')))
            next.push(path(name));
      }
      if (next.length > mostFound) return undefined;
    }
    found = next;
  }
  const there = found.filter((path) => disk.kindOf(absolute(path, folder)) !== undefined);
  return there.length === 0 ? undefined : there;
}

/** Returns the folder above the first pattern of a path. */
export function aboveGlob(path: string): string {
  const parts = path.split('/');
  const first = parts.findIndex((part) => part.includes(starMark) || part.includes(anyMark));
  return first === -1 ? path : parts.slice(0, first).join('/') || '/';
}
