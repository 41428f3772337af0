import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { homeFolder, realPath } from '../../settings/files/levels.ts';
import { type HostPlace, userFolder } from '../parts/host-places.ts';
import type { TablePlaces } from './host-table.ts';

/** Returns the files that may hold hooks for a project; in the home folder, the project's are the user's. */
export function filesOf(
  { project, user, userFolder: named }: TablePlaces,
  cwd: string,
): HostPlace[] {
  const home = homeFolder();
  const atHome = (path: string): string[] => {
    const rest =
      named && path.startsWith(`${named.folder}/`)
        ? path.slice(named.folder.length + 1)
        : undefined;
    const folder = rest === undefined ? undefined : userFolder(named!);
    if (folder !== undefined) return expanded(folder, rest!);
    return home === undefined ? [] : expanded(home, path);
  };
  const users = user.flatMap(atHome);
  const known = new Set(users.map(placeOf));
  return [
    ...users.map((file) => ({ source: 'user', file }) as const),
    ...project
      .flatMap((path) => expanded(cwd, path))
      .filter((file) => !known.has(placeOf(file)))
      .map((file) => ({ source: 'project', file }) as const),
  ];
}

const placeOf = (file: string): string =>
  join(realPath(dirname(file)), file.slice(dirname(file).length));

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
