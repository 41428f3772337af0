import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { homeFolder, realPath } from '../../settings/files/levels.ts';
import { type HostPlace, userFolder } from '../parts/host-places.ts';
import type { TablePlaces } from './host-table.ts';

/** Returns the files that may hold hooks for a project; in the home folder, the project's are the user's. */
export function filesOf(
  { project, user, names, userFolder: named }: TablePlaces,
  cwd: string,
): HostPlace[] {
  const home = homeFolder();
  const inFolder = (folder: string, path: string): string[] =>
    names === undefined
      ? expanded(folder, path)
      : existsSync(join(folder, path))
        ? names.map((name) => join(folder, path, name))
        : [];
  const atHome = (path: string): string[] => {
    const folder = named && path.startsWith(`${named.folder}/`) ? userFolder(named) : undefined;
    if (folder !== undefined) return inFolder(folder, path.slice(named!.folder.length + 1));
    return home === undefined ? [] : inFolder(home, path);
  };
  const isHome = project.length > 0 && home !== undefined && realPath(cwd) === realPath(home);
  return [
    ...user.flatMap(atHome).map((file) => ({ source: 'user', file }) as const),
    ...project
      .filter((path) => !(isHome && user.includes(path)))
      .flatMap((path) => inFolder(cwd, path))
      .map((file) => ({ source: 'project', file }) as const),
  ];
}

/** The path below a folder; for a `*`, one for each folder at that place. */
function expanded(folder: string, path: string): string[] {
  const [before, after] = path.split('/*/') as [string, string?];
  if (after === undefined) return [join(folder, path)];
  try {
    return readdirSync(join(folder, before))
      .toSorted()
      .map((name) => join(folder, before, name, after));
  } catch {
    return [];
  }
}
