import { join } from 'node:path';
import type { HookSource } from '../../core/protocol/events.ts';
import { entriesIn, userFolder, type HostPlace } from '../parts/host-places.ts';

/** The user's folder for Copilot. */
export const users = { folder: '.copilot', variable: 'COPILOT_HOME' };

/**
 * Returns the hook files that count for a project, in the order in which Copilot runs them, whether or
 * not they exist.
 */
export function hookFiles(cwd: string, policies: string): HostPlace[] {
  const user = userFolder(users);
  const own = join(cwd, '.github');
  return [
    ...placesIn('system', policies, 0),
    ...(user === undefined
      ? []
      : [
          ...first(placesIn('user', join(user, 'hooks')), join(user, 'hooks')),
          { source: 'user', file: join(user, 'settings.json') } as const,
        ]),
    ...first(placesIn('project', join(own, 'hooks')), join(own, 'hooks')),
    ...projectSettings(cwd).map((file) => ({ source: 'project', file }) as const),
  ];
}

/**
 * Returns a project's settings files, which may hold hooks, and a switch for all hooks that are not
 * stronger.
 */
export const projectSettings = (cwd: string): string[] =>
  ['settings.json', 'settings.local.json'].map((name) => join(cwd, '.github', 'copilot', name));

/** Returns the file that lists the plugins the user has installed. */
export function installedPlugins(): string | undefined {
  const user = userFolder(users);
  return user && join(user, 'config.json');
}

/**
 * How deep hook folders are searched, and how many files of one count: an untrusted project could have
 * any number.
 */
const most = { depth: 4, files: 200 };

/** Returns the first files of a folder, and a fault if there are more. */
const first = (places: readonly HostPlace[], folder: string): HostPlace[] =>
  places.length <= most.files
    ? [...places]
    : [
        ...places.slice(0, most.files),
        {
          source: places[0]!.source,
          file: folder,
          fault: {
            message: `holds more than ${most.files} hook files`,
            fate: `those after the first ${most.files} were ignored`,
            fix: 'put their hooks into fewer files',
          },
        },
      ];

/**
 * Returns the JSON files of a folder and its subfolders, in the order of their names, those of
 * subfolders last.
 */
function placesIn(source: HookSource, folder: string, depth = most.depth): HostPlace[] {
  const entries = entriesIn(folder);
  if ('fault' in entries) return [{ source, file: folder, fault: entries.fault }];
  const own = entries.filter((entry) => !entry.isDirectory() && entry.name.endsWith('.json'));
  const inner = depth === 0 ? [] : entries.filter((entry) => entry.isDirectory());
  return [
    ...own.map(({ name }) => ({ source, file: join(folder, name) })),
    ...inner.flatMap(({ name }) => placesIn(source, join(folder, name), depth - 1)),
  ];
}
