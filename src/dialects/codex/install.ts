import { isAbsolute, join } from 'node:path';
import type { EntriesInstallation } from '../installation.ts';

const events = [
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'PreCompact',
  'PostCompact',
];

/** Codex's hooks. */
export const installation: EntriesInstallation = {
  kind: 'entries',
  fresh: '{\n  "hooks": {}\n}\n',
  isStrict: true,
  trustsByPlace: true,
  file(scope, { cwd, home, env: { CODEX_HOME: own } }) {
    const users = own !== undefined && isAbsolute(own) ? own : join(home, '.codex');
    return join(scope === 'user' ? users : join(cwd, '.codex'), 'hooks.json');
  },
  entries: (call) =>
    events.map((event) => ({
      event,
      // In seconds, of which Codex gives no more at the end of a session.
      entry: {
        hooks: [{ type: 'command', command: call(), timeout: event === 'SessionEnd' ? 3 : 600 }],
      },
    })),
  after: (scope) => [
    'start codex, look at the hooks with /hooks and trust them: Codex skips others without a word',
    ...(scope === 'project'
      ? ['trust the project in Codex, which reads its .codex only then']
      : []),
  ],
};
