import { closeSync, openSync, rmSync, statSync } from 'node:fs';

const patienceMs = 3_000;
/** What is locked takes milliseconds: whoever holds it for longer has died. */
const abandonedAfterMs = 10_000;

/**
 * Does something while nobody else does it under the same lock file, so that two commands at once
 * lose nothing of what the other wrote.
 *
 * @throws when the lock cannot be had, or what `work` throws
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
        throw new Error(`another hookmachine is at it; if none is, remove ${lock}`, {
          cause: error,
        });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
}
