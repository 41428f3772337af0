import { join } from 'node:path';
import type { FilesInstallation, OwnFile, RelayCall } from '../../core/dialects/installation.ts';
import { pluginText } from './plugin.ts';

/** The plugin file that calls the relay, below a folder that OpenCode, or an agent made from it, reads. */
export const pluginFiles = (folder: string, call: RelayCall): readonly OwnFile[] => [
  { file: join(folder, 'plugin', 'hookmachine.js'), mode: 0o644, text: pluginText(call()) },
];

/** A plugin file. */
export const installation: FilesInstallation = {
  kind: 'files',
  programs: ['opencode'],
  measured: '1.18.33',
  files: (scope, { cwd, home, env: { XDG_CONFIG_HOME: config } }, call) =>
    pluginFiles(
      scope === 'user' ? join(config || join(home, '.config'), 'opencode') : join(cwd, '.opencode'),
      call,
    ),
  after: () => ['restart OpenCode: it reads plugins only when it starts'],
};
