import { join } from 'node:path';
import type { FilesInstallation } from '../../core/dialects/installation.ts';
import { pluginText } from './plugin.ts';

/** How the plugin file that calls the relay is installed in OpenCode, or in an agent made from it. */
export const inPluginFile = (
  title: string,
  {
    folder,
    ...about
  }: Pick<FilesInstallation, 'programs' | 'measured'> & { readonly folder: string },
): FilesInstallation => ({
  kind: 'files',
  ...about,
  files: (scope, { cwd, home, env: { XDG_CONFIG_HOME: config } }, call) => [
    {
      file: join(
        scope === 'user' ? join(config || join(home, '.config'), folder) : join(cwd, `.${folder}`),
        'plugin',
        'hookmachine.js',
      ),
      mode: 0o644,
      text: pluginText(call()),
    },
  ],
  gateway: [
    ['anthropic', 'anthropic', '/v1'],
    ['openai', 'openai', ''],
    ['gemini', 'google', '/v1beta'],
  ].map(([provider = '', name = '', suffix = '']) => ({
    provider,
    file: ({ home, env: { XDG_CONFIG_HOME: config } }) =>
      join(config || join(home, '.config'), folder, `${folder}.json`),
    at: ['provider', name, 'options', 'baseURL'],
    suffix,
  })),
  after: () => [`restart ${title}: it reads plugins only when it starts`],
});

/** A plugin file. */
export const installation = inPluginFile('OpenCode', {
  folder: 'opencode',
  programs: ['opencode'],
  measured: '1.18.33',
});
