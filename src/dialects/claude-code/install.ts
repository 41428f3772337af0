import { isAbsolute, join } from 'node:path';
import type { EntriesInstallation } from '../installation.ts';
import type { ClaudeEventName } from './events.ts';

const events: readonly ClaudeEventName[] = [
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'SessionStart',
  'SessionEnd',
  'PreCompact',
  'PostCompact',
  'Notification',
];

/** Where a hook that fails may deny. */
const guarded: readonly ClaudeEventName[] = [
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'UserPromptSubmit',
];

/** Claude Code's settings. */
export const installation: EntriesInstallation = {
  kind: 'entries',
  fresh: '{}\n',
  isStrict: true,
  runsInProject: true,
  file(scope, { cwd, home, env: { CLAUDE_CONFIG_DIR: own } }) {
    const users = own !== undefined && isAbsolute(own) ? own : join(home, '.claude');
    return join(scope === 'user' ? users : join(cwd, '.claude'), 'settings.json');
  },
  entries: (call) =>
    events.map((event) => ({
      event,
      entry: { hooks: [{ type: 'command', command: call() }] },
    })),
  overHttp: {
    entries: (request, call) =>
      events.map((event) => ({
        event,
        entry: {
          hooks: [
            // It has no HTTP hooks for this event.
            event === 'SessionStart'
              ? { type: 'command', command: call() }
              : {
                  type: 'http',
                  ...request(),
                  ...(guarded.includes(event) && { onFailure: 'block' }),
                },
          ],
        },
      })),
  },
  after: () => ['start a new session of Claude Code, which reads its hooks when one starts'],
};
