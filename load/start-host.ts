import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundledHost } from '../scripts/bundle-host.ts';

/** A host that waits for its order. */
export interface StartedHost {
  readonly child: ChildProcess;
  /** Resolves with its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Its own folder, in which it runs; removed by the caller. */
  readonly folder: string;
  readonly remove: () => void;
}

/** Starts this module as a host, away from the settings of whoever starts it. */
export async function startHost(
  module: 'host.ts' | 'recording-host.ts',
  plain: boolean,
): Promise<StartedHost> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookmachine-load-')));
  const child = fork(await bundledHost(new URL(module, import.meta.url)), {
    cwd: folder,
    // Code that is optimised while it runs often makes the heap grow for hours, and would hide what is kept.
    execArgv: ['--no-opt', '--no-maglev', '--expose-gc'],
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      VITEST: '',
      HOME: folder,
      LLXPRT_SYSTEM_SETTINGS_PATH: join(folder, 'none.json'),
      HOOKMACHINE_PLAIN_START: plain ? '1' : '',
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string);
  await Promise.race([once(child, 'message'), ended]);
  return { child, ended, folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
