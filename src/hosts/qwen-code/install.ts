import { join } from 'node:path';
import { inGroups, type EntriesInstallation } from '../../core/dialects/installation.ts';
import { qwenEvents } from './events.ts';
import { speaker } from './speak.ts';
import { folderDoubts } from '../install/trusted-folders.ts';

const secondsAt = (event: string): number => speaker.timeoutAt(event) / 1_000;

/** Qwen Code's settings. */
export const installation: EntriesInstallation = {
  kind: 'entries',
  programs: ['qwen'],
  measured: '0.24.0',
  pluginFolder: ({ home }) => join(home, '.qwen/extensions/hookmachine'),
  ownDoubts: folderDoubts('.qwen', 'Qwen Code'),
  switches: [
    {
      path: ['disableAllHooks'],
      off: true,
      files: ({ cwd, home }) => [home, cwd].map((at) => join(at, '.qwen', 'settings.json')),
    },
  ],
  fresh: '{}\n',
  runsInProject: true,
  file: (scope, { cwd, home }) => join(scope === 'user' ? home : cwd, '.qwen', 'settings.json'),
  entries: (call) =>
    inGroups(qwenEvents.shared, (event) => ({
      type: 'command',
      command: call(),
      timeout: secondsAt(event),
    })),
  overHttp: {
    failsOpen: 'where "hookmachine serve" does not answer',
    entries: (request) =>
      inGroups(qwenEvents.shared, (event) => ({
        type: 'http',
        ...request(),
        timeout: secondsAt(event),
      })),
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
