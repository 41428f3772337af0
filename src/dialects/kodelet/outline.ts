import type { DialectOutline } from '../dialect.ts';
import { folderAtFirstSight } from '../../settings/read-files.ts';
import { kodeletEvents } from './events.ts';
import { hookFolders } from './hook-folders.ts';

/** Kodelet's protocol before a hook runs. */
export const kodeletOutline: DialectOutline = {
  name: 'kodelet',
  family: 'kodelet',
  events: kodeletEvents,
  needsSwitch: false,
  guarded: [
    '.kodelet/hooks/',
    '.kodelet/plugins/',
    '.kodelet/extensions/',
    '.kodelet/config.y*ml',
    'kodelet-config.y*ml',
  ],
  mayBeIn: (cwd, counts = () => true) => hookFolders(cwd).some(({ source }) => counts(source)),
  atFirstSight(cwd) {
    const own = hookFolders(cwd).find(({ source }) => source === 'project');
    return own && folderAtFirstSight(own.folder);
  },
  find: async (site) => (await import('./find.ts')).findHooks(site),
  identity: ({ name }) => name,
  matcherOf: () => undefined,
  compileMatcher: () => () => true,
  readCall: async (...call) => (await import('./call.ts')).readCall(...call),
  reportCall: async (result) => (await import('./report-call.ts')).reportCall(result),
};

/** The same hooks, run as ADR 021's own executor did. */
export const kodeletStrictOutline: DialectOutline = { ...kodeletOutline, name: 'kodelet-strict' };
