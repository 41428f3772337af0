import { join } from 'node:path';
import { realPath } from '../../settings/files/levels.ts';
import { entriesIn, userFolder, type HostPlace } from '../parts/host-places.ts';

/** The user's folder for Claude Code. */
export const users = { folder: '.claude', variable: 'CLAUDE_CONFIG_DIR' };

/** Returns the settings files that count for a project, the strongest first, whether or not they exist. */
export function settingsFiles(cwd: string, managed: string): HostPlace[] {
  const user = userFolder(users);
  const own = join(cwd, '.claude');
  // In the home folder, the project's settings are the user's.
  const isUsers = user !== undefined && realPath(user) === realPath(own);
  return [
    { source: 'system', file: join(managed, 'managed-settings.json') },
    ...managedParts(join(managed, 'managed-settings.d')),
    ...(user === undefined ? [] : [{ source: 'user', file: join(user, 'settings.json') } as const]),
    ...(isUsers ? [] : [{ source: 'project', file: join(own, 'settings.json') } as const]),
    { source: isUsers ? 'user' : 'project', file: join(own, 'settings.local.json') },
  ];
}

/** Returns the parts of the administrator's settings, in the order of their names. */
function managedParts(folder: string): HostPlace[] {
  const entries = entriesIn(folder);
  if ('fault' in entries) return [{ source: 'system', file: folder, fault: entries.fault }];
  return entries
    .filter(({ name }) => name.endsWith('.json') && !name.startsWith('.'))
    .map(({ name }) => ({ source: 'system', file: join(folder, name) }));
}

/** Returns the file that lists the plugins the user has installed. */
export function installedPlugins(): string | undefined {
  const user = userFolder(users);
  return user && join(user, 'plugins', 'installed_plugins.json');
}
