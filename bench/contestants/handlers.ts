import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { llxprt } from '../../dist/src/hosts/llxprt/index.js';
import type { defineHooks } from '../../dist/src/settings/files/define-hooks.js';
import { distFolder } from '../engine.ts';
import type { EventScenario } from '../scenario.ts';

const load = async <Module>(path: string): Promise<Module> =>
  (await import(pathToFileURL(`${distFolder}/src/${path}`).href)) as Module;

/** LLxprt's protocol for hooks of every kind. */
export async function handlersDialect(): Promise<typeof llxprt> {
  const [base, reader] = await Promise.all([
    load<{ llxprt: typeof llxprt }>('hosts/llxprt/index.js'),
    load<{ defineHooks: typeof defineHooks }>('settings/files/define-hooks.js'),
  ]);
  const kinds = ['command', 'module', 'live', 'function'] as const;
  return {
    ...base.llxprt,
    find: (site) => ({
      definitions: site
        .settings()
        .flatMap((from) => reader.defineHooks(from, { kinds }).definitions),
      problems: [],
      unasked: [],
    }),
  };
}

const live = `
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { id } = JSON.parse(line);
  process.stdout.write(JSON.stringify({ id, output: { reason: '1' } }) + '\\n');
}`;

/** Creates a hook of this kind that answers as the command does. */
export function handlerHook(handler: NonNullable<EventScenario['handler']>, cwd: string): object {
  writeFileSync(join(cwd, 'hook.mjs'), "export default () => ({ reason: '1' });");
  writeFileSync(join(cwd, 'live.mjs'), live);
  return {
    module: { type: 'module', module: './hook.mjs' },
    live: { type: 'live', command: process.execPath, args: ['live.mjs'] },
    function: { type: 'function', call: () => ({ reason: '1' }) },
  }[handler];
}
