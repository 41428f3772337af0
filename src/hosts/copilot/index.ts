import { onDemand } from '../../base/on-demand.ts';
import type { Dialect, Host } from '../../core/dialects/dialect.ts';
import { hostDialect } from '../parts/host-dialect.ts';
import { mayHoldHooks, projectSight } from '../parts/host-places.ts';
import { copilotEvents } from './events.ts';
import { hookFiles, installedPlugins } from './places.ts';

const loadTable = onDemand(() => import('./table.ts'));

/** Options for where Copilot's hooks are found. */
export interface CopilotOptions {
  /** An administrator's folder of policies to use instead of the machine's, for tests. */
  readonly policies?: string;
}

/**
 * Returns the dialect of GitHub Copilot's command line, with the administrator's policies in a given
 * folder.
 */
export const copilotWith = ({
  policies = '/etc/github-copilot/policy.d',
}: CopilotOptions = {}): Dialect & Host =>
  hostDialect(
    {
      name: 'copilot',
      events: copilotEvents,
      order: ['system', 'user', 'project', 'extension'],
      approves: true,
      guarded: [
        '.github/hooks/',
        '.github/copilot/settings.json',
        '.github/copilot/settings.*.json',
        '.copilot/hooks/',
        '.copilot/settings.json',
        '.copilot/config.json',
        '.copilot/installed-plugins/',
      ],
      mayBeIn: (cwd, counts = () => true) =>
        mayHoldHooks(hookFiles(cwd, policies), counts, {
          file: installedPlugins(),
          sign: '"cache_path"',
        }),
      atFirstSight: (cwd) => projectSight(hookFiles(cwd, policies)),
      // Claude Code itself gives its hooks no timestamp.
      givesHooksOf: (host, given, { COPILOT_CLI: isCopilot }) =>
        host === 'claude-code' && isCopilot === '1' && 'timestamp' in given,
      isWritable: true,
    },
    async () => (await loadTable()).tableIn((cwd) => hookFiles(cwd, policies)),
  );

/** The hooks of GitHub Copilot's command line, from its hook files, its settings and its plugins. */
export const copilot: Dialect & Host = copilotWith();
