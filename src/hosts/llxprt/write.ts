import { join } from 'node:path';
import {
  entryWriter,
  inMilliseconds,
  unanchored,
  type Writer,
} from '../../core/dialects/writer.ts';

/** How LLxprt's settings describe a hook. */
export const writer: Writer = {
  ...unanchored,
  fresh: '{}\n',
  file: (scope, { cwd, home }) => join(scope === 'user' ? home : cwd, '.llxprt', 'settings.json'),
  toolName: (ours) => ours,
  write: entryWriter({
    runs: { command: 'command' },
    inGroups: true,
    sequential: 'said',
    fields: {
      name: 'name',
      description: 'description',
      leftBehind: 'leftBehind',
      prestart: 'prestart',
    },
    onBlock: { onFailure: 'block' },
    onAllow: { onFailure: 'allow' },
    timeout: inMilliseconds,
  }),
};
