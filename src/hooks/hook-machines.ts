import { fromCallback } from 'xstate';
import { hookEventMachine } from '../../machines/hook-event.ts';
import { hookProcessMachine, type HookProcessOutcome } from '../../machines/hook-process.ts';
import { startHandler } from '../handlers/index.ts';
import { runMachine } from './run-machine.ts';

/** The machines of hooks with their actors provided, once for all runs. */
export const hookProcess = hookProcessMachine.provide({
  actors: { process: fromCallback(startHandler) },
});

export const hookEvent = hookEventMachine.provide({ actors: { hookProcess } });

/** Runs a program to its end, with a deadline in ms. */
export type RunProgram = (
  command: string,
  args: readonly string[],
  cwd: string,
  timeout: number,
) => Promise<HookProcessOutcome>;

/** Runs a program as a hook is run, to learn what it is. */
export const runProgram: RunProgram = (command, args, cwd, timeout) =>
  runMachine(
    hookProcess,
    {
      name: command,
      timeout,
      command: { command, args, cwd, env: {}, stdin: () => '' },
    },
    {},
  );
