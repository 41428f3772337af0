import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeAtExit } from './watchdog.ts';

/**
 * Standard streams that a script can open by name.
 *
 * Node's own pipes are sockets, and on Linux `echo no > /dev/stderr` or `cat /dev/stdin` fails on a
 * socket (ENXIO): a guard written that way loses its reason, or under `set -e` its denial. So stdin
 * is an unlinked file, and stdout and stderr are FIFOs. Where none can be made, callers fall back
 * to Node's pipes.
 */

let folder: string | undefined;
let inputs = 0;
let pipes = 0;
const free: string[] = [];

/** A folder of our own. Payloads may hold secrets, so it is kept off the disk where the system has a memory file system. */
function scratchFolder(): string {
  if (folder === undefined) {
    try {
      folder = mkdtempSync('/dev/shm/hookmachine-');
    } catch {
      folder = mkdtempSync(join(tmpdir(), 'hookmachine-'));
    }
    removeAtExit(folder);
  }
  return folder;
}

/** An input that is complete before the hook starts: written once, then end of file (HOOK-061). Returns a descriptor to close. */
export function openInput(text: string): number {
  const file = join(scratchFolder(), `input-${inputs++}`);
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  try {
    return openSync(file, constants.O_RDONLY);
  } finally {
    unlinkSync(file);
  }
}

export interface OutputPipe {
  /** Our end. */
  readonly reader: Socket;
  /** The hook's end; close it once the hook has it. */
  readonly writer: number;
  /** Gives the pipe back. One that something may still hold open must not serve another hook. */
  release(clean: boolean): void;
}

/** A pipe for stdout or stderr. */
export function openOutput(): OutputPipe {
  const path = free.pop() ?? makeMore();
  // Opened for reading first and without waiting, so that opening for writing need not wait either.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let writer: number;
  try {
    writer = openSync(path, constants.O_WRONLY);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  const reader = new Socket({ fd, readable: true, writable: false });
  return {
    reader,
    writer,
    release(clean) {
      if (clean) free.push(path);
      else unlinkSync(path);
    },
  };
}

/** FIFOs are made in growing batches, because each batch costs a process. */
function makeMore(): string {
  const batch = Array.from({ length: Math.max(8, Math.min(pipes, 512)) }, () =>
    join(scratchFolder(), `pipe-${pipes++}`),
  );
  const { status, error } = spawnSync('mkfifo', ['-m', '600', ...batch], { stdio: 'ignore' });
  if (error !== undefined || status !== 0) throw error ?? new Error('mkfifo failed');
  free.push(...batch);
  return free.pop()!;
}
