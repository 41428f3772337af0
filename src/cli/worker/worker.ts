import { once } from 'node:events';
import type { Command } from 'commander';
import type { Durable } from '../../durable/connect.ts';
import {
  addHostOptions,
  durableHost,
  type HostOptions,
  reported,
} from '../parts/durable-options.ts';
import { untilInterrupted } from '../parts/inspect-option.ts';
import { print } from '../parts/print.ts';
import { serveHealth } from './health.ts';
import { printable } from '../parts/printable.ts';

interface Options extends HostOptions {
  readonly json?: true;
  readonly health?: string;
}

/** `hookmachine worker`: continues durable calls that were answered, and those of hosts that ended. */
export function addWorker(program: Command): void {
  addHostOptions(program.command('worker'))
    .description(
      'continue the durable calls of a workspace once they are answered or their hosts have ended',
    )
    .option('--concurrency <n>', 'how many calls it works on at once (default: 8)')
    .option(
      '--workspace-concurrency <n>',
      'how many calls of the workspace all workers together work on at once (default: no limit)',
    )
    .option('--json', 'report that it is ready, as one line of JSON')
    .option(
      '--health <address>',
      'serve /livez, /readyz and /metrics at a port of this machine, or at an address and port',
    )
    .addHelpText(
      'after',
      `
SIGTERM and Ctrl-C drain it: it finishes what it is working on, and begins nothing else.

Examples:
  hookmachine worker --name host-1 --workspace shop-backend
  hookmachine worker --workspace shop --health 9090`,
    )
    .action((options: Options) => reported(() => work(options)));
}

async function work(options: Options): Promise<void> {
  const stop = new AbortController();
  const over = new AbortController();
  // A worker that cannot begin ends.
  const ended = once(over.signal, 'abort').then(() => undefined);
  const interrupted = untilInterrupted(ended).then(() => stop.abort());
  try {
    const durable = await durableHost(options, true);
    try {
      await serve(durable, options, stop.signal);
    } finally {
      await durable.close();
    }
  } finally {
    over.abort();
  }
  await interrupted;
  process.exit();
}

async function serve(durable: Durable, { health, json }: Options, signal: AbortSignal) {
  const endHealth = health === undefined ? undefined : await serveHealth(durable, health);
  const { name, workspace } = durable;
  print(
    json
      ? `${JSON.stringify({ event: 'ready', name, workspace, pid: process.pid })}\n`
      : printable(`host ${name} works on the calls of ${workspace}, until Ctrl-C\n`),
  );
  await durable.work(signal);
  await endHealth?.();
}
