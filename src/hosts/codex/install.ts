import { join } from 'node:path';
import { userFolder } from '../parts/host-places.ts';
import { inGroups, type EntriesInstallation } from '../../core/dialects/installation.ts';
import { users } from './places.ts';
import { codexEvents } from './events.ts';
import { speaker } from './speak.ts';
import { codexDoubts } from './doubts.ts';

/** How hooks are installed in Codex's `hooks.json`. */
export const installation: EntriesInstallation = {
  kind: 'entries',
  programs: ['codex'],
  measured: '0.171.0',
  pluginFolder: (site) => join(userFolder(users, site), 'plugins/cache/hookmachine'),
  ownDoubts: codexDoubts,
  switches: ['hooks', 'codex_hooks'].map((key) => ({
    path: ['features', key],
    off: false,
    files: (site) => [
      join(userFolder(users, site), 'config.toml'),
      join(site.cwd, '.codex', 'config.toml'),
    ],
  })),
  fresh: '{\n  "hooks": {}\n}\n',
  isStrict: true,
  trustsByPlace: true,
  file: (scope, site) =>
    join(scope === 'user' ? userFolder(users, site) : join(site.cwd, '.codex'), 'hooks.json'),
  entries: (call) =>
    inGroups(codexEvents.shared, (event) => ({
      type: 'command',
      command: call(),
      timeout: speaker.timeoutAt(event) / 1_000,
    })),
  gateway: [
    {
      provider: 'openai',
      file: (site) => join(userFolder(users, site), 'config.toml'),
      at: 'openai_base_url',
      isQuoted: true,
    },
  ],
  after: (scope) => [
    'start codex, review the hooks with /hooks and trust them: Codex silently skips untrusted hooks',
    ...(scope === 'project'
      ? ['trust the project in Codex: it reads .codex only in trusted projects']
      : []),
  ],
};
