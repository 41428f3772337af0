import { closeSync, constants, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { returnFifo, takeFifo } from './fifos.ts';
import { scratchFolder } from './scratch.ts';

/*
 * Standard streams that a script can open by name.
 *
 * Node's own pipes are sockets, and on Linux `echo no > /dev/stderr` or `cat /dev/stdin` fails on a
 * socket (ENXIO): a guard written that way loses its reason, or under `set -e` its denial. So stdout
 * and stderr are FIFOs. stdin is an unlinked file, because a FIFO opened by name after its writer
 * has gone waits for another. Where none can be made, callers fall back to Node's pipes.
 */

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;

let inputs = 0;

export interface InputFile {
  /** The hook's end; close it once the hook has it. */
  readonly reader: number;
  /** Writes all of the input; what reads it then finds its end (HOOK-061). */
  fill(text: string): void;
  close(): void;
}

/** An input that is filled before the hook looks for it. */
export function openInput(): InputFile {
  const file = join(scratchFolder(), `input-${inputs++}`);
  let writer: number | undefined = openSync(file, 'wx', 0o600);
  const close = (): void => {
    if (writer !== undefined) closeSync(writer);
    writer = undefined;
  };
  try {
    return { reader: openSync(file, O_RDONLY), fill, close };
  } catch (error) {
    close();
    throw error;
  } finally {
    unlinkSync(file);
  }

  function fill(text: string): void {
    try {
      writeFileSync(writer!, text);
    } finally {
      close();
    }
  }
}

export interface OutputPipe {
  /** Our end, reading from which never waits. */
  readonly reader: number;
  /** The hook's end; close it once the hook has it. */
  readonly writer: number;
  /** Gives the pipe back. One that something may still hold open must not serve another hook. */
  release(clean: boolean): void;
}

/** A pipe for stdout or stderr. */
export function openOutput(): OutputPipe {
  const path = takeFifo();
  // Opened for reading first and without waiting, so that opening for writing need not wait either.
  const reader = openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    const writer = openSync(path, O_WRONLY);
    return { reader, writer, release: (clean) => returnFifo(path, clean) };
  } catch (error) {
    closeSync(reader);
    throw error;
  }
}

/** What comes out of a pipe, as it comes; it closes our end. */
export const streamOf = (reader: number): Socket =>
  new Socket({ fd: reader, readable: true, writable: false });
