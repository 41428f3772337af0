import { existsSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';

const timeoutMs = 15_000;
/** The locked work takes milliseconds: a process that holds the lock for longer must have died. */
const abandonedAfterMs = 10_000;

/**
 * Runs `work` while holding a lock file, so that two processes at once lose nothing of what the other wrote.
 * The lock of a process that was killed does not keep others waiting.
 *
 * @throws if the lock cannot be acquired, or whatever `work` throws
 */
export function withLock<Result>(lock: string, work: () => Result): Result {
  const mark = `${process.pid} ${where()} ${crypto.randomUUID()}`;
  take(lock, mark);
  try {
    return work();
  } finally {
    // Somebody else's by now, if this process was stopped for so long that it counted as dead.
    if (markOf(lock) === mark) rmSync(lock, { force: true });
  }
}

/** Waits until nobody holds a lock, but no longer than a process holds one that lives. */
export function untilFree(lock: string): void {
  const until = Date.now() + abandonedAfterMs;
  while (existsSync(lock) && !isAbandoned(lock) && Date.now() < until) pause();
}

function take(lock: string, mark: string): void {
  const until = Date.now() + timeoutMs;
  while (!isTaken(lock, mark)) {
    if (Date.now() > until)
      throw new Error(`another hookmachine is using it; if none is, remove ${lock}`);
    if (isAbandoned(lock)) clear(lock);
    pause();
  }
}

const pause = (): unknown =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5 + Math.random() * 20);

function isTaken(lock: string, mark: string): boolean {
  try {
    writeFileSync(lock, mark, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

/** Only one process removes an abandoned lock: two could remove one after another, the second a new one. */
function clear(lock: string): void {
  const clearing = `${lock}ing`;
  if (!isTaken(clearing, '')) {
    if (ageOf(clearing) > abandonedAfterMs) rmSync(clearing, { force: true });
    return;
  }
  try {
    if (isAbandoned(lock)) rmSync(lock, { force: true });
  } finally {
    rmSync(clearing, { force: true });
  }
}

function isAbandoned(lock: string): boolean {
  if (ageOf(lock) > abandonedAfterMs) return true;
  const [pid, ...rest] = markOf(lock)?.split(' ') ?? [];
  return rest.length > 1 && rest.slice(0, -1).join(' ') === where() && !isAlive(Number(pid));
}

const ageOf = (lock: string): number =>
  Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Infinity);

function markOf(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8');
  } catch {
    return undefined;
  }
}

/** Where a process id means the same process: a machine, and a container on it. */
function where(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
