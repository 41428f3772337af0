import { dirname, join } from 'node:path';
import type { HookSource } from '../../core/protocol/events.ts';
import { homeFolder, realPath } from '../../settings/files/levels.ts';
import { mayHoldHooks, type HostPlace } from '../parts/host-places.ts';

/** The administrator's file. */
export const enterpriseFile =
  process.platform === 'darwin'
    ? '/Library/Application Support/Cursor/hooks.json'
    : '/etc/cursor/hooks.json';

/**
 * Returns the files that may hold Cursor's hooks for a project, in the order in which they count. In
 * the home folder, the project's file is the user's.
 */
export function cursorFiles(cwd: string, enterprise = enterpriseFile): HostPlace[] {
  const home = homeFolder();
  const user = home && join(home, '.cursor', 'hooks.json');
  const own = join(cwd, '.cursor', 'hooks.json');
  const isUsers = user !== undefined && realPath(dirname(user)) === realPath(dirname(own));
  return [
    { source: 'system', file: enterprise },
    ...(isUsers ? [] : [{ source: 'project', file: own } as const]),
    ...(user === undefined ? [] : [{ source: 'user', file: user } as const]),
  ];
}

/** Whether any of these files, of a source that counts, seems to hold hooks. */
export const mayBeIn = (
  cwd: string,
  counts: (source: HookSource) => boolean = () => true,
  enterprise = enterpriseFile,
): boolean => mayHoldHooks(cursorFiles(cwd, enterprise), counts);
