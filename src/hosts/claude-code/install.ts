import { join } from 'node:path';
import { userFolder } from '../parts/host-places.ts';
import { inGroups, type EntriesInstallation } from '../../core/dialects/installation.ts';
import { users } from './places.ts';
import { claudeEvents, type ClaudeEventName } from './events.ts';

/** The events at which a hook that fails may deny. */
const guarded: readonly ClaudeEventName[] = [
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'UserPromptSubmit',
];

/** How hooks are installed in Claude Code's settings. */
export const installation: EntriesInstallation = {
  kind: 'entries',
  programs: ['claude'],
  measured: '2.1.332',
  pluginFolder: (site) => join(userFolder(users, site), 'plugins/cache/hookmachine'),
  // The first of several answers counts.
  undoneAt: ['PermissionRequest'],
  switches: [
    {
      path: ['disableAllHooks'],
      off: true,
      files: (site) => [
        join(userFolder(users, site), 'settings.json'),
        join(site.cwd, '.claude', 'settings.json'),
        join(site.cwd, '.claude', 'settings.local.json'),
      ],
    },
  ],
  fresh: '{}\n',
  isStrict: true,
  runsInProject: true,
  file: (scope, site) =>
    join(scope === 'user' ? userFolder(users, site) : join(site.cwd, '.claude'), 'settings.json'),
  entries: (call) => inGroups(claudeEvents.shared, () => ({ type: 'command', command: call() })),
  overHttp: {
    entries: (request, call) =>
      inGroups(claudeEvents.shared, (event) =>
        // Claude Code has no HTTP hooks for this event.
        event === 'SessionStart'
          ? { type: 'command', command: call() }
          : {
              type: 'http',
              ...request(),
              ...(guarded.includes(event) && { onFailure: 'block' }),
            },
      ),
  },
  gateway: [
    {
      provider: 'anthropic',
      file: (site) => join(userFolder(users, site), 'settings.json'),
      at: ['env', 'ANTHROPIC_BASE_URL'],
    },
  ],
  after: () => ['start a new Claude Code session: hooks are read when a session starts'],
};
