import type { Command } from 'commander';
import { hookProcess, runMachine } from '../../core/run/run-machine.ts';
import type { RunnableCommand } from '../../core/host/handlers.ts';
import { runHook } from '../../handlers/index.ts';
import type { HandedHook } from '../../hosts/relay/outlive.ts';
import { readStdin } from '../parts/read-stdin.ts';

/** `hookmachine finish-hook`, which `fire` starts: runs an async hook to its end. */
export function addFinishHook(program: Command): void {
  program.command('finish-hook', { hidden: true }).action(finish);
}

async function finish(): Promise<void> {
  const { stdin, command: handed, ...hook } = JSON.parse(await readStdin()) as HandedHook;
  const command: RunnableCommand = { ...handed, stdin: () => stdin, run: runHook };
  await runMachine(hookProcess, { ...hook, command }, {});
  // Whatever is kept for the hook's next event is useless here: there is none.
  process.exit();
}
