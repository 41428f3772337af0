import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FirstSight } from '../../core/definitions/settings.ts';
import type { HookSource } from '../../core/protocol/events.ts';
import { realPath } from '../../settings/files/levels.ts';
import { isThere, settingsAtFirstSight } from '../../settings/files/read-files.ts';
import { mayHold, userFolder, type HostPlace } from '../parts/host-places.ts';

/** The user's folder for Codex. */
export const users = { folder: '.codex', variable: 'CODEX_HOME' };

/** A folder's files, in their order. */
const both = (source: HookSource, folder: string): HostPlace[] =>
  ['hooks.json', 'config.toml'].map((name) => ({ source, file: join(folder, name) }));

/**
 * Returns the files that may hold Codex's hooks for a working folder, in the order in which they count:
 * the user's come before the project's.
 */
export function codexFiles(cwd: string, system: string): HostPlace[] {
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

/**
 * Returns the folders from the root of the repository down to the working folder; outside a repository,
 * that folder alone.
 */
function projectFolders(cwd: string): string[] {
  const folders = [cwd];
  for (let folder = cwd; ; folder = folders[0]!) {
    if (existsSync(join(folder, '.git'))) return folders;
    const outer = dirname(folder);
    if (outer === folder) return [cwd];
    folders.unshift(outer);
  }
}

/**
 * Whether a file seems to mention hooks. An administrator's file counts as soon as it exists: a broken
 * one shows no hooks, and denies.
 */
export const mayHoldHooks = ({ source, file }: HostPlace): boolean =>
  source === 'system' ? isThere(file) : mayHold(sightOf(file));

/** TOML keys need no quotes. A JSON file without "hooks" may hold hooks that lack the key around them. */
export const sightOf = (file: string): FirstSight =>
  settingsAtFirstSight(file, file.endsWith('.toml') ? ['hooks'] : ['"hooks"', '"command"']);
