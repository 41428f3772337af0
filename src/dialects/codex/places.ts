import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HookSource } from '../../protocol/events.ts';
import { realPath } from '../../settings/levels.ts';
import { settingsAtFirstSight, type FirstSight } from '../../settings/read-files.ts';
import { mayHold, userFolder, type HostPlace } from '../host-places.ts';

/** Codex's folder of the user's. */
export const users = { folder: '.codex', variable: 'CODEX_HOME' };

/** The administrator's folder. */
export const systemFolder = '/etc/codex';

/** The files of a folder, in their order. */
const both = (source: HookSource, folder: string): HostPlace[] =>
  ['hooks.json', 'config.toml'].map((name) => ({ source, file: join(folder, name) }));

/** The files that may hold Codex's hooks for a working folder, in the order in which they count: the user's go before the project's. */
export function codexFiles(cwd: string, system = systemFolder): HostPlace[] {
  const user = userFolder(users);
  const isUsers = (folder: string): boolean =>
    user !== undefined && realPath(folder) === realPath(user);
  const own = projectFolders(cwd)
    .map((folder) => join(folder, '.codex'))
    .filter((folder) => !isUsers(folder));
  return [
    { source: 'system', file: join(system, 'requirements.toml') },
    ...both('system', system),
    ...(user === undefined ? [] : both('user', user)),
    ...own.flatMap((folder) => both('project', folder)),
  ];
}

/** From the root of the repository down to the working folder; outside of a repository that folder alone. */
function projectFolders(cwd: string): string[] {
  const folders = [cwd];
  for (let folder = cwd; ; folder = folders[0]!) {
    if (existsSync(join(folder, '.git'))) return folders;
    const outer = dirname(folder);
    if (outer === folder) return [cwd];
    folders.unshift(outer);
  }
}

/** Whether any of these files seems to hold hooks, of sources that count. */
export const mayBeIn = (
  cwd: string,
  counts: (source: HookSource) => boolean = () => true,
  system = systemFolder,
): boolean => codexFiles(cwd, system).some((place) => counts(place.source) && mayHoldHooks(place));

/** Whether a file seems to say anything of hooks. One of the administrator's that is broken holds nothing that could be seen, and denies. */
export const mayHoldHooks = ({ source, file }: HostPlace): boolean =>
  source === 'system' ? existsSync(file) : mayHold(sightOf(file));

/** What a look at the project's files tells; undefined where none of them has any hooks. */
export function projectAtFirstSight(cwd: string, system: string): FirstSight | undefined {
  const sights = codexFiles(cwd, system)
    .filter(({ source }) => source === 'project')
    .map(({ file }) => sightOf(file));
  return sights.find((sight) => 'fault' in sight) ?? sights.find(mayHold);
}

/** In TOML keys need no quotes; a file of hooks that says nothing of "hooks" may lack what is around them. */
const sightOf = (file: string): FirstSight =>
  settingsAtFirstSight(file, file.endsWith('.toml') ? ['hooks'] : ['"hooks"', '"command"']);
