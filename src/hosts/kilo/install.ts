import { join } from 'node:path';
import type { FilesInstallation } from '../../core/dialects/installation.ts';
import { pluginFiles } from '../opencode/install.ts';

/** The same plugin file as OpenCode's. */
export const installation: FilesInstallation = {
  kind: 'files',
  programs: ['kilo', 'kilocode'],
  measured: '7.7.9',
  files: (scope, { cwd, home, env: { XDG_CONFIG_HOME: config } }, call) =>
    pluginFiles(
      scope === 'user' ? join(config || join(home, '.config'), 'kilo') : join(cwd, '.kilo'),
      call,
    ),
  after: () => ['restart Kilo: it reads plugins only when it starts'],
};
