import type { HookProcessOutcome } from '../../../machines/hook-process.ts';
import type { RunnableCommand } from '../../core/host/handlers.ts';
import { hookProcess, runMachine } from '../../core/run/run-machine.ts';
import { runHook } from '../../handlers/index.ts';
import type { Handlers } from '../../core/host/handlers.ts';
import { onDemand } from '../../base/on-demand.ts';
import { faultBehind } from '../../handlers/process/index.ts';

const loadScriptFiles = onDemand(() => import('../../settings/trust/script-files.ts'));

/** What runs the hooks of a hook system. */
export const handlers: Handlers = {
  run: runHook,
  faultBehind,
  filesBehind: async (hook, cwd) => (await loadScriptFiles()).filesBehind(hook, cwd),
};

/** Runs a program until it ends, with a deadline in ms. */
export type RunProgram = (
  command: string,
  args: readonly string[],
  cwd: string,
  timeout: number,
) => Promise<HookProcessOutcome>;

/** Runs a program as a hook is run, to learn what it is. */
export const runProgram: RunProgram = (name, args, cwd, timeout) => {
  const command: RunnableCommand = {
    command: name,
    args,
    cwd,
    env: {},
    stdin: () => '',
    run: runHook,
  };
  return runMachine(hookProcess, { name, timeout, command }, {});
};
