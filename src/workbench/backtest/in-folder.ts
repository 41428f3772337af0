import { homedir } from 'node:os';
import { isAbsolute, relative } from 'node:path';

/**
 * Returns a value of a session that ran in one folder as if it had run in another: paths in the one become
 * paths in the other. Hooks compare paths with the folder they run in, and the original one is not there any
 * more, or not on this machine.
 */
export function inFolder<Value>(value: Value, from: string, to: string): Value {
  const place = new RegExp(String.raw`(?<![\w./-])${escaped(from)}(?![\w.-])`, 'g');
  const moved = (one: unknown): unknown => {
    if (typeof one === 'string') return one.includes(from) ? one.replaceAll(place, () => to) : one;
    if (Array.isArray(one)) return one.map(moved);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, moved(inner)]));
  };
  return moved(value) as Value;
}

/**
 * Whether a session's paths mean something else in the project. A session in a folder around the project, or
 * around the home folder, has no folder of its own.
 */
export const isElsewhere = (folder: string | undefined, project: string): folder is string =>
  folder !== undefined &&
  isAbsolute(folder) &&
  !isWithin(folder, project) &&
  !isWithin(project, folder) &&
  !isWithin(homedir(), folder);

const isWithin = (path: string, folder: string): boolean => {
  const way = relative(folder, path);
  return way === '' || (!way.startsWith('..') && !isAbsolute(way));
};

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
