import { onDemand } from '../../base/on-demand.ts';
import type { Dialect, Host } from '../../core/dialects/dialect.ts';
import { hostDialect } from '../parts/host-dialect.ts';
import { mayHold } from '../parts/host-places.ts';
import { codexEvents } from './events.ts';
import { codexFiles, mayHoldHooks, sightOf } from './places.ts';

const loadTable = onDemand(() => import('./table.ts'));

/** Options for where Codex's hooks are found. */
export interface CodexOptions {
  /** An administrator's folder to use instead of the machine's, for tests. */
  readonly system?: string;
}

/** Returns Codex's dialect, with the administrator's files in a given folder. */
export const codexWith = ({ system = '/etc/codex' }: CodexOptions = {}): Dialect & Host =>
  hostDialect(
    {
      name: 'codex',
      events: codexEvents.ours,
      order: ['system', 'user', 'project', 'extension'],
      guarded: ['.codex/hooks.json', '.codex/config.toml', '.codex/hooks/'],
      mayBeIn: (cwd, counts = () => true) =>
        codexFiles(cwd, system).some((place) => counts(place.source) && mayHoldHooks(place)),
      atFirstSight(cwd) {
        const sights = codexFiles(cwd, system)
          .filter(({ source }) => source === 'project')
          .map(({ file }) => sightOf(file));
        return sights.find((sight) => 'fault' in sight) ?? sights.find(mayHold);
      },
      isWritable: true,
    },
    async () => (await loadTable()).tableIn((cwd) => codexFiles(cwd, system)),
  );

/** Codex's hooks, from `hooks.json` and `config.toml`. */
export const codex: Dialect & Host = codexWith();
