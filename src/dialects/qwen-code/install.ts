import { join } from 'node:path';
import { inGroups, type EntriesInstallation } from '../installation.ts';

const events = [
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

/** Qwen Code's settings. */
export const installation: EntriesInstallation = {
  kind: 'entries',
  fresh: '{}\n',
  runsInProject: true,
  file: (scope, { cwd, home }) => join(scope === 'user' ? home : cwd, '.qwen', 'settings.json'),
  entries: (call) =>
    // In seconds. Before a tool, Qwen Code always waits 60 s, whatever is written here.
    inGroups(events, () => ({ type: 'command', command: call(), timeout: 60 })),
  overHttp: {
    failsOpen: 'where "hookmachine serve" does not answer',
    entries: (request) => inGroups(events, () => ({ type: 'http', ...request(), timeout: 60 })),
  },
  after: (scope) =>
    scope === 'project'
      ? ['trust the folder in Qwen Code: it runs project hooks only in trusted folders']
      : [],
  notes: (scope) => [
    ...(scope === 'project'
      ? [
          'an "allow" from one of your own hooks overrides a denial from the project\'s hooks: --scope user comes later and wins',
        ]
      : []),
    'before a tool, Qwen Code waits 60 s for its hooks and then runs the tool',
  ],
};
