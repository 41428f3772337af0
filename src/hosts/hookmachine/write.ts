import { join } from 'node:path';
import {
  entryWriter,
  inMilliseconds,
  unanchored,
  type Writer,
} from '../../core/dialects/writer.ts';

/** How our own settings describe a hook. */
export const writer: Writer = {
  ...unanchored,
  fresh: '{}\n',
  file: (scope, { cwd, home }) =>
    join(scope === 'user' ? home : cwd, '.hookmachine', 'settings.json'),
  toolName: (ours) => ours,
  write: entryWriter({
    runs: {
      command: 'command',
      live: 'command',
      module: 'module',
      http: 'url',
      prompt: 'prompt',
      cedar: 'policies',
      acs: 'url',
    },
    inGroups: true,
    sequential: 'said',
    fields: {
      args: 'args',
      name: 'name',
      description: 'description',
      if: 'if',
      async: 'async',
      once: 'once',
      idempotent: 'idempotent',
      model: 'model',
      headers: 'headers',
      allowedEnv: 'allowedEnv',
      allowedUrls: 'allowedUrls',
      retries: 'retries',
      tokenFile: 'tokenFile',
      tls: 'tls',
      concurrency: 'concurrency',
      stream: 'stream',
      agent: 'agent',
      secretFile: 'secretFile',
      schema: 'schema',
      entities: 'entities',
      default: 'default',
      request: 'request',
      leftBehind: 'leftBehind',
      prestart: 'prestart',
    },
    onBlock: { onFailure: 'block' },
    onAllow: { onFailure: 'allow' },
    timeout: inMilliseconds,
  }),
};
