/**
 * Runs work that regular expressions may slow down, in bounded time: V8 backtracks, and an `(a+)+$` that
 * somebody wrote in haste would otherwise freeze the agent. Each call costs a watchdog thread.
 *
 * @throws an error for which `tookTooLong` returns true, if the work is abandoned
 */
export function inTime<Result>(work: () => Result, limit: number): Result {
  watched ??= watchdog();
  const { context, script } = watched;
  const before = context['work'];
  context['work'] = work;
  try {
    return script.runInContext(context, { timeout: limit }) as Result;
  } finally {
    // The work would otherwise keep everything it refers to in memory.
    context['work'] = before;
  }
}

/** Whether work was abandoned. The error comes from the other context, whose `Error` is not ours. */
export const tookTooLong = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

function watchdog() {
  const { createContext, Script } = process.getBuiltinModule('node:vm');
  const context: Record<string, unknown> = createContext({});
  return { context, script: new Script('work()') };
}

let watched: ReturnType<typeof watchdog> | undefined;
