import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { HookSource } from '../../protocol/events.ts';
import { homeFolder } from '../../settings/levels.ts';
import { settingsAtFirstSight, type FirstSight } from '../../settings/read-files.ts';

/** The administrator's folder. */
export const managedFolder =
  process.platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code';

/** A settings file that may be there. */
export interface Place {
  readonly source: HookSource;
  readonly file: string;
}

/** The settings files that count for a project, the strongest first, whether or not they are there. */
export function settingsFiles(cwd: string, managed: string): Place[] {
  const user = userFolder();
  const own = join(cwd, '.claude');
  // In the home folder the project's settings are the user's.
  const isUsers = user !== undefined && realPath(user) === realPath(own);
  return [
    { source: 'system', file: join(managed, 'managed-settings.json') },
    ...managedParts(managed).map((file) => ({ source: 'system', file }) as const),
    ...(user === undefined ? [] : [{ source: 'user', file: join(user, 'settings.json') } as const]),
    ...(isUsers ? [] : [{ source: 'project', file: join(own, 'settings.json') } as const]),
    { source: isUsers ? 'user' : 'project', file: join(own, 'settings.local.json') },
  ];
}

/** The list of the plugins that the user has installed. */
export function installedPlugins(): string | undefined {
  const user = userFolder();
  return user && join(user, 'plugins', 'installed_plugins.json');
}

/** Whether any of these files seems to hold hooks, of sources that count. */
export const mayHoldHooks = (
  cwd: string,
  counts: (source: HookSource) => boolean = () => true,
  managed = managedFolder,
): boolean =>
  settingsFiles(cwd, managed).some(
    ({ source, file }) =>
      counts(source) &&
      // One of the administrator's that is broken holds nothing that could be seen, and denies.
      (source === 'system' ? existsSync(file) : mayHold(settingsAtFirstSight(file))),
  ) ||
  (counts('extension') && mayHold(pluginsAtFirstSight()));

const mayHold = (sight: FirstSight): boolean => 'fault' in sight || sight.hasHooks;

/** Plugins bring hooks in files of their own. */
function pluginsAtFirstSight(): FirstSight {
  const file = installedPlugins();
  return file === undefined ? { hasHooks: false } : settingsAtFirstSight(file, ['"plugins"']);
}

/** What a look at the project's files tells; undefined where none of them has any hooks. */
export function projectAtFirstSight(cwd: string, managed: string): FirstSight | undefined {
  const sights = settingsFiles(cwd, managed)
    .filter(({ source }) => source === 'project')
    .map(({ file }) => settingsAtFirstSight(file));
  return sights.find((sight) => 'fault' in sight) ?? sights.find(mayHold);
}

/** The user's folder of settings: at home, or where the host is told that it is. */
function userFolder(): string | undefined {
  const named = process.env['CLAUDE_CONFIG_DIR'];
  if (named !== undefined && isAbsolute(named)) return named;
  const home = homeFolder();
  return home && join(home, '.claude');
}

/** The administrator's settings in parts, in the order of their names. */
function managedParts(managed: string): string[] {
  const folder = join(managed, 'managed-settings.d');
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .toSorted()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
