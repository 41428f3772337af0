import { join } from 'node:path';
import type { FilesInstallation } from '../../core/dialects/installation.ts';
import { pluginText } from './plugin.ts';

/** A plugin file that calls the relay. */
export const installation: FilesInstallation = {
  kind: 'files',
  programs: ['opencode'],
  measured: '1.18.33',
  files: (scope, { cwd, home, env: { XDG_CONFIG_HOME: config } }, call) => [
    {
      file: join(
        scope === 'user'
          ? join(config || join(home, '.config'), 'opencode')
          : join(cwd, '.opencode'),
        'plugin',
        'hookmachine.js',
      ),
      mode: 0o644,
      text: pluginText(call()),
    },
  ],
  after: () => ['restart OpenCode: it reads plugins only when it starts'],
};
