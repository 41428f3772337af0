import { onDemand } from '../../base/on-demand.ts';
import type { Dialect, Host } from '../../core/dialects/dialect.ts';
import { hostDialect } from '../parts/host-dialect.ts';
import { mayHoldHooks, projectSight } from '../parts/host-places.ts';
import { claudeEvents } from './events.ts';
import { installedPlugins, settingsFiles } from './places.ts';

const loadTable = onDemand(() => import('./table.ts'));

/** Options for where Claude Code's hooks are found. */
export interface ClaudeCodeOptions {
  /** An administrator's folder to use instead of the machine's, for tests. */
  readonly managed?: string;
}

const managedFolder =
  process.platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code';

/** Returns Claude Code's dialect, with the administrator's settings in a given folder. */
export const claudeCodeWith = ({ managed = managedFolder }: ClaudeCodeOptions = {}): Dialect &
  Host =>
  hostDialect(
    {
      name: 'claude-code',
      events: claudeEvents.ours,
      approves: true,
      guarded: ['settings.json', 'settings.local.json', 'hooks/', 'plugins/'].map(
        (path) => `.claude/${path}`,
      ),
      mayBeIn: (cwd, counts = () => true) =>
        mayHoldHooks(settingsFiles(cwd, managed), counts, {
          file: installedPlugins(),
          sign: '"plugins"',
        }),
      atFirstSight: (cwd) => projectSight(settingsFiles(cwd, managed)),
      endsLine: true,
      isWritable: true,
    },
    async () => (await loadTable()).tableIn((cwd) => settingsFiles(cwd, managed)),
  );

/** Claude Code's hooks, from its settings and plugins. */
export const claudeCode: Dialect & Host = claudeCodeWith();
