import { closeSync, readSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { streamOf } from './pipes.ts';
import { withoutStacks } from './without-stacks.ts';

/** How much fits into a pipe, in bytes. */
export const pipeSize = 64 * 1024;

/** Holds what is read in one go: all that a pipe can hold. */
let buffer: Buffer | undefined;

/**
 * What comes out of a pipe's end that never waits, at most what fits into one: nothing at its end, undefined
 * where more may come. It is overwritten by the next.
 */
export function readNow(reader: number): Buffer | undefined {
  buffer ??= Buffer.allocUnsafeSlow(pipeSize);
  const into = buffer;
  return withoutStacks(() => {
    try {
      return into.subarray(0, readSync(reader, into, 0, pipeSize, null));
    } catch (error) {
      // A pipe that cannot be read any more has come to its end.
      return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? undefined : into.subarray(0, 0);
    }
  });
}

/** Streams that daemons still hold, the oldest first, and how many of them are read on. */
const leftStreams = new Set<Readable>();
const mostLeft = 64;

/** Reads one output of a hook to its end, keeping at most `limit` bytes of it. */
export class OutputCollector {
  readonly #limit: number;
  readonly #onEnd: () => void;
  readonly #chunks: Buffer[] = [];
  #reader: number | undefined;
  #stream: Readable | undefined;
  #kept = 0;
  #ended = false;
  #truncated = false;
  #isKept = true;

  /**
   * A stream is read from the beginning, a pipe's end from `readOn()` on. `onEnd` is called where the
   * last writer has closed it, or it was destroyed, unless `readOn()` has seen the end.
   */
  constructor(output: number | Readable, limit: number, onEnd: () => void) {
    this.#limit = limit;
    this.#onEnd = onEnd;
    if (typeof output === 'number') this.#reader = output;
    else this.#follow(output);
  }

  /** Reads to the end: at once if it is there already, else as it comes. */
  readOn(): void {
    if (this.#reader === undefined) return;
    // Twice as much as fits into it: mostly that is all, and a flood must not hold the host.
    for (let portions = 0; portions < 2; portions++) {
      const chunk = readNow(this.#reader);
      if (chunk === undefined) break;
      if (chunk.length === 0) {
        this.destroy();
        this.#ended = true;
        return;
      }
      this.#keep(Buffer.from(chunk));
    }
    try {
      this.#follow(streamOf(this.#reader));
      this.#reader = undefined;
    } catch {
      // What cannot be followed is read again when the hook has exited.
    }
  }

  get ended(): boolean {
    return this.#ended;
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  /** All that was kept, decoded as one text, so that no character is cut at a chunk's end (C-36); one cut by the limit is left out. */
  text(): string {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return decoder.decode(Buffer.concat(this.#chunks), { stream: this.#truncated });
  }

  /** Keeps reading, but keeps nothing more and holds up nobody. */
  leave(): void {
    this.#isKept = false;
    if (this.#reader !== undefined) this.readOn();
    const stream = this.#stream;
    if (stream === undefined || this.#ended) return;
    (stream as Socket).unref();
    leftStreams.add(stream);
    stream.once('close', () => leftStreams.delete(stream));
    this.#stream = undefined;
    if (leftStreams.size > mostLeft) leftStreams.values().next().value!.destroy();
  }

  /** Stops reading, whoever still writes. */
  destroy(): void {
    if (this.#reader !== undefined) closeSync(this.#reader);
    this.#reader = undefined;
    this.#stream?.destroy();
  }

  #follow(stream: Readable): void {
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => this.#keep(chunk));
    stream.once('close', () => {
      this.#ended = true;
      this.#onEnd();
    });
    stream.on('error', () => stream.destroy());
  }

  /** What goes over the limit is read and thrown away: a hook that waits for its reader would never end. */
  #keep(chunk: Buffer): void {
    if (!this.#isKept) return;
    const room = this.#limit - this.#kept;
    if (chunk.length > room) this.#truncated = true;
    if (room <= 0) return;
    const kept = chunk.subarray(0, room);
    this.#chunks.push(kept);
    this.#kept += kept.length;
  }
}
