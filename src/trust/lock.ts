import { closeSync, openSync, rmSync, statSync } from 'node:fs';

const patienceMs = 3_000;
/** The locked work takes milliseconds: a process that holds the lock for longer must have died. */
const abandonedAfterMs = 10_000;

/**
 * Runs `work` while holding a lock file, so that two commands at once lose nothing of what the other wrote.
 *
 * @throws if the lock cannot be acquired, or whatever `work` throws
 */
export function withLock<Result>(lock: string, work: () => Result): Result {
  take(lock);
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function take(lock: string): void {
  const until = Date.now() + patienceMs;
  for (;;)
    try {
      closeSync(openSync(lock, 'wx', 0o600));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
      if (since !== undefined && Date.now() - since > abandonedAfterMs)
        rmSync(lock, { force: true });
      else if (Date.now() > until)
        throw new Error(`another hookmachine is using it; if none is, remove ${lock}`, {
          cause: error,
        });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
}
