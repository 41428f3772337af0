import type { Command } from 'commander';
import {
  addHostOptions,
  durableHost,
  type HostOptions,
  reported,
} from '../parts/durable-options.ts';
import { untilInterrupted } from '../parts/inspect-option.ts';
import { print } from '../parts/print.ts';
import { printable } from '../parts/printable.ts';

interface Options extends HostOptions {
  readonly json?: true;
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
    .addHelpText(
      'after',
      `
SIGTERM and Ctrl-C drain it: it finishes what it is working on, and begins nothing else.

Example:
  hookmachine worker --name host-1 --workspace shop-backend`,
    )
    .action((options: Options) => reported(() => work(options)));
}

async function work(options: Options): Promise<void> {
  const stop = new AbortController();
  const joining = durableHost(options, true);
  // A worker that cannot join ends.
  const failed = new Promise<void>((resolve) => void joining.catch(() => resolve()));
  const interrupted = untilInterrupted(failed).then(() => stop.abort());
  const durable = await joining;
  const { name, workspace } = durable;
  print(
    options.json
      ? `${JSON.stringify({ event: 'ready', name, workspace, pid: process.pid })}\n`
      : printable(`host ${name} works on the calls of ${workspace}, until Ctrl-C\n`),
  );
  await durable.work(stop.signal);
  await durable.close();
  await interrupted;
  process.exit();
}
