import { join } from 'node:path';
import type { HookSource } from '../../core/protocol/events.ts';
import { realPath } from '../../settings/files/levels.ts';
import type { FirstSight } from '../../core/definitions/settings.ts';
import {
  entriesIn,
  mayHoldHooks as mayHoldHooksIn,
  projectSight,
  userFolder,
  type HostPlace,
} from '../parts/host-places.ts';

/** The user's folder for Claude Code. */
export const users = { folder: '.claude', variable: 'CLAUDE_CONFIG_DIR' };

/** The administrator's folder. */
export const managedFolder =
  process.platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code';

/** Returns the settings files that count for a project, the strongest first, whether or not they exist. */
export function settingsFiles(cwd: string, managed: string): HostPlace[] {
  const user = userFolder(users);
  const own = join(cwd, '.claude');
  // In the home folder, the project's settings are the user's.
  const isUsers = user !== undefined && realPath(user) === realPath(own);
  return [
    { source: 'system', file: join(managed, 'managed-settings.json') },
    ...managedParts(managed),
    ...(user === undefined ? [] : [{ source: 'user', file: join(user, 'settings.json') } as const]),
    ...(isUsers ? [] : [{ source: 'project', file: join(own, 'settings.json') } as const]),
    { source: isUsers ? 'user' : 'project', file: join(own, 'settings.local.json') },
  ];
}

/** Returns the file that lists the plugins the user has installed. */
export function installedPlugins(): string | undefined {
  const user = userFolder(users);
  return user && join(user, 'plugins', 'installed_plugins.json');
}

/** Whether any of these files, of a source that counts, seems to hold hooks. */
export const mayHoldHooks = (
  cwd: string,
  counts: (source: HookSource) => boolean = () => true,
  managed = managedFolder,
): boolean =>
  mayHoldHooksIn(settingsFiles(cwd, managed), counts, {
    file: installedPlugins(),
    sign: '"plugins"',
  });

/** Returns what a first look at the project's files shows; undefined if none of them has any hooks. */
export const projectAtFirstSight = (cwd: string, managed: string): FirstSight | undefined =>
  projectSight(settingsFiles(cwd, managed));

/** Returns the parts of the administrator's settings, in the order of their names. */
function managedParts(managed: string): HostPlace[] {
  const folder = join(managed, 'managed-settings.d');
  const entries = entriesIn(folder);
  if ('fault' in entries) return [{ source: 'system', file: folder, fault: entries.fault }];
  return entries
    .filter(({ name }) => name.endsWith('.json') && !name.startsWith('.'))
    .map(({ name }) => ({ source: 'system', file: join(folder, name) }));
}
