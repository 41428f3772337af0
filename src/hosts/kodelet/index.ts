import { onDemand } from '../../base/on-demand.ts';
import type { Dialect, Host } from '../../core/dialects/dialect.ts';
import { folderAtFirstSight } from '../../settings/files/read-files.ts';
import { hostDialect, type KnownHost } from '../parts/host-dialect.ts';
import { kodeletEvents } from './events.ts';
import { hookFolders, runArgs } from './places.ts';

const loadTable = onDemand(() => import('./table.ts'));

const known: KnownHost = {
  name: 'kodelet',
  events: kodeletEvents,
  guarded: [
    '.kodelet/hooks/',
    '.kodelet/plugins/',
    '.kodelet/extensions/',
    '.kodelet/config.y*ml',
    'kodelet-config.y*ml',
  ],
  mayBeIn: (cwd, counts = () => true) => hookFolders(cwd).some(({ source }) => counts(source)),
  atFirstSight(cwd) {
    const sights = hookFolders(cwd)
      .filter(({ source }) => source === 'project')
      .map(({ folder }) => folderAtFirstSight(folder));
    return sights.find((sight) => 'fault' in sight || sight.hasHooks) ?? sights[0];
  },
  replacesByName: true,
  runArgs,
  missingProgram: 'noted',
  plainDenial: (reason) => ({ blocked: true, reason }),
};

/**
 * Kodelet's protocol: executables that print their own type. Its hooks run one after another,
 * and each sees what earlier ones changed; any block blocks.
 */
export const kodelet: Dialect & Host = hostDialect(known, async () => (await loadTable()).table);

/**
 * Kodelet's hooks as ADR 021's own executor ran them: each receives the same input as the first, and the
 * last one that exits with 0 decides alone, even with the empty answer of a logger. It undoes denials of
 * other Kodelet hooks, never those of another dialect.
 */
export const kodeletStrict: Dialect & Host = hostDialect(
  { ...known, name: 'kodelet-strict', family: 'kodelet' },
  async () => (await loadTable()).strictTable,
);
