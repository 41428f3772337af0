import { dirname, join } from 'node:path';
import { onDemand } from '../../base/on-demand.ts';
import type { Dialect, Host } from '../../core/dialects/dialect.ts';
import { homeFolder, realPath } from '../../settings/files/levels.ts';
import { hostDialect } from '../parts/host-dialect.ts';
import { mayHoldHooks, projectSight, type HostPlace } from '../parts/host-places.ts';
import { cursorEvents } from './events.ts';

const loadTable = onDemand(() => import('./table.ts'));

/** Options for where Cursor's hooks are found. */
export interface CursorOptions {
  /** An administrator's file to use instead of the machine's, for tests. */
  readonly enterprise?: string;
}

const enterpriseFile =
  process.platform === 'darwin'
    ? '/Library/Application Support/Cursor/hooks.json'
    : '/etc/cursor/hooks.json';

/** Returns Cursor's dialect, with the administrator's hooks in a given file. */
export const cursorWith = ({ enterprise = enterpriseFile }: CursorOptions = {}): Dialect & Host =>
  hostDialect(
    {
      name: 'cursor',
      events: cursorEvents.ours,
      approves: true,
      order: ['system', 'project', 'user', 'extension'],
      guarded: ['.cursor/hooks.json', '.cursor/hooks/'],
      mayBeIn: (cwd, counts = () => true) => mayHoldHooks(filesOf(cwd, enterprise), counts),
      atFirstSight: (cwd) => projectSight(filesOf(cwd, enterprise)),
      givesHooksOf: (host, given) => host === 'claude-code' && 'cursor_version' in given,
      isWritable: true,
    },
    async () => (await loadTable()).tableIn((cwd) => filesOf(cwd, enterprise)),
  );

/** Cursor's hooks, from the files named `hooks.json`. */
export const cursor: Dialect & Host = cursorWith();

/**
 * Returns the files that may hold Cursor's hooks for a project, in the order in which they count. In
 * the home folder, the project's file is the user's.
 */
function filesOf(cwd: string, enterprise: string): HostPlace[] {
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
