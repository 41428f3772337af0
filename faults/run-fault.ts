import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundledHost } from '../scripts/bundle-host.ts';
import type { Fault } from './fault.ts';
import type { Order } from './host.ts';
import type { Observed } from './observed.ts';

const host = new URL('host.ts', import.meta.url);

/** Runs a fault in a separate host, away from the settings of whoever runs it. */
export async function runFault(
  { name }: Fault,
  { policy, fate, peer }: Omit<Order, 'fault'>,
): Promise<Observed> {
  const home = mkdtempSync(join(tmpdir(), 'hookmachine-home-'));
  const child = fork(await bundledHost(host), {
    execArgv: [],
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      VITEST: '',
      HOME: home,
      LLXPRT_SYSTEM_SETTINGS_PATH: join(home, 'none.json'),
    },
    stdio: ['ignore', 'ignore', peer === undefined ? 'inherit' : 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  const ended = once(child, 'exit');
  // The last message of a process may arrive after its end has been reported, but not after this.
  const gone = once(child, 'disconnect');
  try {
    await once(child, 'message');
    const observed = once(child, 'message');
    child.send({ fault: name, policy, fate, ...(peer && { peer }) } satisfies Order);
    const first = await Promise.race([observed, gone.then(() => [theHostIsGone])]);
    return first[0] as Observed;
  } finally {
    await ended;
    rmSync(home, { recursive: true, force: true });
  }
}

/** A host that takes itself down has not settled anything. */
const theHostIsGone: Observed = {
  ms: 0,
  processes: 0,
  descriptors: 0,
  reported: [],
  uncaught: ['the host ended'],
};
