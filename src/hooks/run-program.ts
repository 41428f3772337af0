import type { HookProcessOutcome } from '../../machines/hook-process.ts';
import { hookProcess } from './hook-machines.ts';
import { runMachine } from './run-machine.ts';

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
