import { join } from 'node:path';
import { userFolder } from '../parts/host-places.ts';
import type { EntriesInstallation } from '../../core/dialects/installation.ts';
import { projectSettings, users } from './places.ts';
import { speaker } from './speak.ts';

const events = [
  'preToolUse',
  'permissionRequest',
  'postToolUse',
  'userPromptSubmitted',
  'agentStop',
  'subagentStart',
  'subagentStop',
  'sessionStart',
  'sessionEnd',
  'preCompact',
  'notification',
];

const secondsAt = (event: string): number => speaker.timeoutAt(event) / 1_000;

/** How hooks are installed: in a file of our own in Copilot's folder of hooks. */
export const installation: EntriesInstallation = {
  kind: 'entries',
  programs: ['copilot'],
  measured: '1.0.102',
  pluginFolder: (site) => join(userFolder(users, site), 'installed-plugins/hookmachine'),
  switches: [
    {
      path: ['disableAllHooks'],
      off: true,
      files: (site) => [
        join(userFolder(users, site), 'settings.json'),
        ...projectSettings(site.cwd),
      ],
    },
  ],
  fresh: '{\n  "version": 1,\n  "hooks": {}\n}\n',
  file: (scope, site) =>
    join(
      scope === 'user' ? userFolder(users, site) : join(site.cwd, '.github'),
      'hooks',
      'hookmachine.json',
    ),
  entries: (call) =>
    events.map((event) => ({
      event,
      // The command names the event, because its input does not.
      entry: { type: 'command', bash: call(event), timeoutSec: secondsAt(event) },
    })),
  overHttp: {
    failsOpen: 'where COPILOT_HOOK_ALLOW_LOCALHOST=1 is not set',
    entries: (request) =>
      events.map((event) => ({
        event,
        entry: { type: 'http', ...request(event), timeoutSec: secondsAt(event) },
      })),
    after: [
      'set COPILOT_HOOK_ALLOW_LOCALHOST=1 where Copilot runs: without it, Copilot ignores pre-tool hooks that do not post to https://',
    ],
  },
  after: (scope) =>
    scope === 'project'
      ? ['trust the folder in Copilot: it runs repository hooks only in trusted folders']
      : [],
};
