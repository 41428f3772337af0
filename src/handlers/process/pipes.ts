import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { withoutStacks } from './processes.ts';
import { findProgram, isExecutable, ownFolders } from '../../base/programs.ts';
import { removeAtExit, tellToMake } from './watchdog.ts';

/*
 * Standard streams that a script can open by name.
 *
 * Node's own pipes are sockets, and on Linux `echo no > /dev/stderr` or `cat /dev/stdin` fails on a socket
 * (ENXIO): a guard written that way loses its reason, or under `set -e` its denial. So stdout and stderr are
 * FIFOs. stdin is an unlinked file, because a FIFO opened by name after its writer has gone waits for
 * another. If none can be made, callers fall back to Node's pipes.
 */

const { O_RDONLY, O_RDWR, O_WRONLY, O_NONBLOCK } = constants;

let inputs = 0;

/** The stdin of a hook: a file, or a FIFO if the hook waits for it. */
export interface HookStdin {
  /** The hook's end; close it once the hook has it. */
  readonly reader: number;
  /**
   * Writes the whole input, once; its reader then finds the end of it. A file is filled before its
   * reader is closed.
   */
  fill(text: string): void;
  /** Releases what the host still holds of it; absent if that is nothing. */
  close?(): void;
}

/** Creates an input that is filled before the hook opens it. */
export function openInput(): HookStdin {
  const reader = inScratch((folder) => {
    const file = join(folder, `input-${inputs++}`);
    const opened = openSync(file, 'wx+', 0o600);
    try {
      unlinkSync(file);
      return opened;
    } catch (error) {
      closeSync(opened);
      throw error;
    }
  });
  return { reader, fill };

  /** Writes at positions, so that the hook, which shares the descriptor's own position, reads from the start. */
  function fill(text: string): void {
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length;)
      written += writeSync(reader, bytes, written, bytes.length - written, written);
  }
}

/**
 * Creates an input that is filled after the hook has begun to wait for it.
 *
 * It is a FIFO. A reader that opens it by name after its writer has gone waits for another writer, so from
 * time to time one comes and goes.
 */
export function openInputPipe(): HookStdin {
  let nudging: NodeJS.Timeout | undefined;
  let rest: Socket | undefined;
  const opened = openFifo(openBothEnds);
  const { path, reader } = opened;
  let writer: number | undefined = opened.writer;
  return { reader, fill, close };

  function fill(text: string): void {
    const bytes = Buffer.from(text);
    const written = writeNow(writer!, bytes);
    if (written === bytes.length) closeSync(writer!);
    else {
      rest = new Socket({ fd: writer!, readable: false, writable: true });
      // A hook need not read its input: EPIPE is not a failure.
      rest.on('error', () => undefined).end(bytes.subarray(written));
    }
    writer = undefined;
    nudgeAfter(2);
  }

  function nudgeAfter(ms: number): void {
    nudging = setTimeout(() => {
      if (touch()) nudgeAfter(Math.min(2 * ms, 200));
    }, ms).unref();
  }

  /** Opens and closes it for writing; returns whether anybody has it open for reading. */
  function touch(): boolean {
    return withoutStacks(() => {
      try {
        closeSync(openSync(path, O_WRONLY | O_NONBLOCK));
        return true;
      } catch (error) {
        return (error as NodeJS.ErrnoException).code !== 'ENXIO';
      }
    });
  }

  function close(): void {
    clearTimeout(nudging);
    if (writer !== undefined) closeSync(writer);
    writer = undefined;
    rest?.destroy();
    returnFifo(path, rest === undefined && !touch());
  }
}

/** Opens a FIFO for reading and for writing, neither of which waits for the other. */
function openBothEnds(path: string): { path: string; reader: number; writer: number } {
  // Opened for both reading and writing, so that neither of the other two waits for its counterpart.
  const both = openSync(path, O_RDWR);
  try {
    const reader = openSync(path, O_RDONLY);
    try {
      return { path, reader, writer: openSync(path, O_WRONLY | O_NONBLOCK) };
    } catch (error) {
      closeSync(reader);
      throw error;
    }
  } finally {
    closeSync(both);
  }
}

/** Writes as much as there is room for right now; returns the number of bytes. */
function writeNow(writer: number, bytes: Buffer): number {
  return withoutStacks(() => {
    try {
      return writeSync(writer, bytes);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 0 : bytes.length;
    }
  });
}

export interface OutputPipe {
  /** Our end; reading from it never waits. */
  readonly reader: number;
  /** The hook's end; close it once the hook has it. */
  readonly writer: number;
  /** Returns the pipe to the pool. A pipe that something may still hold open must not serve another hook. */
  release(isClean: boolean): void;
}

/** A pipe for stdout or stderr. */
export function openOutput(): OutputPipe {
  // Bun's sockets mistake a FIFO that is still empty for one that has ended: a denial would be lost.
  if (process.versions['bun'] !== undefined) throw new Error('Bun cannot follow a FIFO.');
  return openFifo((path) => {
    // Opened for reading first and without waiting, so that opening for writing need not wait either.
    const reader = openSync(path, O_RDONLY | O_NONBLOCK);
    try {
      const writer = openSync(path, O_WRONLY);
      return { reader, writer, release: (isClean) => returnFifo(path, isClean) };
    } catch (error) {
      closeSync(reader);
      throw error;
    }
  });
}

/** Streams what comes out of a pipe, and closes our end when done. */
export const streamOf = (reader: number): Socket =>
  new Socket({ fd: reader, readable: true, writable: false });

/** How many FIFOs are made at once; more and more, because each batch costs a process. */
const [fewest, most] = [8, 512];

let made = 0;
let free: string[] = [];
let ordered: string[] = [];

/** Has the first FIFOs made while the host does something else. */
export function orderFifos(): void {
  try {
    const inside = scratchFolder();
    const names = nextNames(fewest);
    ordered = names.map((name) => join(inside, name));
    tellToMake(names);
  } catch {
    // If there is no folder for them, hooks get Node's pipes.
  }
}

/** Opens a FIFO that nobody else has open; one that cannot be opened serves no other hook. */
const openFifo = <Opened>(open: (path: string) => Opened): Opened =>
  inScratch(() => {
    const path = takeFifo();
    try {
      return open(path);
    } catch (error) {
      returnFifo(path, false);
      throw error;
    }
  });

/** Returns the path of a FIFO that nobody has open; throws if none can be made. */
function takeFifo(): string {
  if (free.length === 0 && ordered.length > 0 && ordered.every((path) => existsSync(path)))
    free = ordered.splice(0);
  if (free.length === 0) makeMore(scratchFolder());
  return free.pop()!;
}

/** Returns a FIFO to the pool. One that something may still have open must not serve another hook. */
function returnFifo(path: string, isClean: boolean): void {
  // A cleaner may have removed the folder, so that another has taken its place.
  if (isClean && dirname(path) === scratch) {
    free.push(path);
    return;
  }
  try {
    unlinkSync(path);
  } catch {
    // It is gone with its folder.
  }
}

function makeMore(inside: string): void {
  const paths = nextNames(Math.max(fewest, Math.min(made, most))).map((name) => join(inside, name));
  const mkfifo =
    ['/usr/bin/mkfifo', '/bin/mkfifo'].find(isExecutable) ?? findProgram('mkfifo', ownFolders());
  if (mkfifo === undefined) throw new Error('The PATH has no mkfifo.');
  const { status, error } = spawnSync(mkfifo, ['-m', '600', ...paths], { stdio: 'ignore' });
  if (error !== undefined || status !== 0) throw error ?? new Error('mkfifo failed');
  free.push(...paths);
}

const nextNames = (count: number): string[] =>
  Array.from({ length: count }, () => `pipe-${made++}`);

let scratch: string | undefined;

/**
 * A folder of our own. Payloads may hold secrets, so it is kept off the disk if the system has a memory file
 * system.
 */
export function scratchFolder(): string {
  // A cleaner of temporary files may have removed the folder.
  if (scratch === undefined || !existsSync(scratch)) {
    scratch = makeFolder();
    [free, ordered] = [[], []];
    removeAtExit(scratch);
  }
  return scratch;
}

/** Makes something in the scratch folder, and only if that fails checks whether the folder is still there. */
function inScratch<Made>(make: (folder: string) => Made): Made {
  const folder = scratch ?? scratchFolder();
  try {
    return make(folder);
  } catch (error) {
    const current = scratchFolder();
    if (current === folder) throw error;
    return make(current);
  }
}

function makeFolder(): string {
  try {
    return mkdtempSync('/dev/shm/hookmachine-');
  } catch {
    return mkdtempSync(join(tmpdir(), 'hookmachine-'));
  }
}
