import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt } from '../scripts/built-from.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, 'node_modules/.cache/hookmachine');
const lock = join(cache, 'building');

/* Imported by tests that run the built command: builds the package, unless dist/ matches the sources. */

build();

function build(): void {
  mkdirSync(cache, { recursive: true });
  while (!isBuilt()) {
    if (!takeLock()) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      continue;
    }
    try {
      const stdio: ['ignore', 'inherit', 'inherit'] = ['ignore', 'inherit', 'inherit'];
      // Another process may have built it while this one waited for the lock.
      if (!isBuilt()) execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio });
    } finally {
      rmSync(lock, { force: true });
    }
  }
}

/** Whether this process is the one that builds; test files run side by side. */
function takeLock(): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (isLeft()) rmSync(lock, { force: true });
    return false;
  }
}

/** Whether the process that took the lock is gone. */
function isLeft(): boolean {
  try {
    const owner = Number(readFileSync(lock, 'utf8'));
    // The file is empty between its creation and the write; it stays so only if its writer was killed.
    if (owner === 0) return Date.now() - statSync(lock).mtimeMs > 10_000;
    process.kill(owner, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
