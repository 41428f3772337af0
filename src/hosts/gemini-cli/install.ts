import { join } from 'node:path';
import { inGroups, type EntriesInstallation } from '../../core/dialects/installation.ts';
import { speaker } from './speak.ts';
import { folderDoubts } from '../install/trusted-folders.ts';

const events = [
  'BeforeTool',
  'AfterTool',
  'BeforeAgent',
  'AfterAgent',
  'BeforeModel',
  'AfterModel',
  'BeforeToolSelection',
  'SessionStart',
  'SessionEnd',
  'PreCompress',
  'Notification',
];

/** Gemini CLI's settings. */
export const installation: EntriesInstallation = {
  kind: 'entries',
  programs: ['gemini'],
  measured: '0.61.0',
  pluginFolder: ({ home }) => join(home, '.gemini/extensions/hookmachine'),
  // There the last answer counts.
  undoneAt: ['BeforeModel', 'AfterModel'],
  ownDoubts: folderDoubts('.gemini', 'Gemini CLI'),
  switches: [
    {
      path: ['hooksConfig', 'enabled'],
      off: false,
      files: ({ cwd, home }) => [home, cwd].map((at) => join(at, '.gemini', 'settings.json')),
    },
  ],
  fresh: '{}\n',
  runsInProject: true,
  file: (scope, { cwd, home }) => join(scope === 'user' ? home : cwd, '.gemini', 'settings.json'),
  entries: (call) =>
    // In ms; hooks have their own timeouts.
    inGroups(events, (event) => ({
      type: 'command',
      command: call(),
      timeout: speaker.timeoutAt(event),
    })),
  gateway: [
    {
      provider: 'gemini',
      file: ({ home }) => join(home, '.gemini', '.env'),
      at: 'GOOGLE_GEMINI_BASE_URL',
    },
  ],
  after: (scope) =>
    scope === 'project'
      ? [
          'trust the folder in Gemini CLI (/permissions): it runs project hooks only in trusted folders',
        ]
      : [],
  notes: () => ['over the editor protocol (--acp), Gemini CLI runs no hooks around tools'],
};
