import { closeSync, readSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { streamOf } from './pipes.ts';
import { withoutStacks } from './processes.ts';

/** The part of an output that is kept, however much is written. */
export interface Kept {
  add(chunk: Buffer): void;
  /** All of it, decoded as one text, so that no character is cut at a chunk's end. */
  text(): string;
  /** Whether there was more output than is kept. */
  readonly truncated: boolean;
}

/** Keeps the first bytes of an output. */
export class OutputHead implements Kept {
  readonly #chunks: Buffer[] = [];
  #room: number;
  #truncated = false;

  constructor(limit: number) {
    this.#room = limit;
  }

  /**
   * Anything beyond the limit is discarded, but still read: a hook that waits for its reader would never end.
   */
  add(chunk: Buffer): void {
    if (chunk.length > this.#room) this.#truncated = true;
    if (this.#room === 0) return;
    const kept = chunk.subarray(0, this.#room);
    this.#chunks.push(kept);
    this.#room -= kept.length;
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  /** A character cut by the limit is left out. */
  text(): string {
    const kept = Buffer.concat(this.#chunks);
    if (!this.#truncated) return kept.toString();
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(kept, { stream: true });
  }
}

/**
 * Keeps the first and the last bytes of an output, so that memory is bounded and the end, where errors
 * usually are, is kept.
 */
export class OutputWindow implements Kept {
  readonly #half: number;
  readonly #head: Buffer[] = [];
  #headRoom: number;
  #tail: Buffer[] = [];
  #tailSize = 0;
  #seen = 0;

  constructor(limit: number) {
    this.#half = Math.floor(limit / 2);
    this.#headRoom = this.#half;
  }

  get truncated(): boolean {
    return this.#seen > 2 * this.#half;
  }

  add(chunk: Buffer): void {
    this.#seen += chunk.length;
    const first = chunk.subarray(0, this.#headRoom);
    if (first.length > 0) this.#head.push(first);
    this.#headRoom -= first.length;
    const rest = chunk.subarray(first.length);
    this.#tail.push(rest);
    this.#tailSize += rest.length;
    // Copying at twice the size keeps the cost of each byte constant, however small the chunks are.
    if (this.#tailSize > 2 * this.#half) this.#trim();
  }

  /**
   * What was kept, decoded as a whole, so that no character is cut at a chunk's end; a note marks the gap.
   */
  text(): string {
    this.#trim();
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    const leftOut = this.#seen - head.length - tail.length;
    if (leftOut === 0) return Buffer.concat([head, tail]).toString('utf8');
    // In stream mode the decoder holds back a character that the cut left incomplete.
    const start = new TextDecoder('utf-8', { ignoreBOM: true }).decode(head, { stream: true });
    const end = tail.subarray(firstCharacter(tail)).toString('utf8');
    return `${start}\n[… ${leftOut} bytes left out …]\n${end}`;
  }

  #trim(): void {
    if (this.#tailSize <= this.#half) return;
    this.#tail = [Buffer.from(Buffer.concat(this.#tail).subarray(-this.#half))];
    this.#tailSize = this.#half;
  }
}

/** A UTF-8 character has at most three bytes after its first. */
function firstCharacter(bytes: Buffer): number {
  let first = 0;
  while (first < 3 && (bytes[first]! & 0xc0) === 0x80) first++;
  return first;
}

/** The capacity of a pipe, in bytes. */
export const pipeSize = 64 * 1024;

/** Holds what is read in one go: as much as a pipe can hold. */
let buffer: Buffer | undefined;

/**
 * Reads from our non-blocking end of a pipe, at most what fits into the pipe: an empty result at its end,
 * undefined if more may come. The next read overwrites the result.
 */
export function readNow(reader: number): Buffer | undefined {
  buffer ??= Buffer.allocUnsafeSlow(pipeSize);
  const into = buffer;
  return withoutStacks(() => {
    try {
      return into.subarray(0, readSync(reader, into, 0, pipeSize, null));
    } catch (error) {
      // A pipe that can no longer be read has come to its end.
      return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? undefined : into.subarray(0, 0);
    }
  });
}

/** Streams that daemons still hold, the oldest first, and how many of them are still read. */
const leftStreams = new Set<Readable>();
const mostLeft = 64;

/** Reads one output of a process until it ends. */
export class OutputCollector {
  readonly #kept: Kept;
  readonly #onEnd: () => void;
  #reader: number | undefined;
  #stream: Readable | undefined;
  #ended = false;
  #isKept = true;

  /**
   * A stream is read from the beginning, our end of a pipe from `readOn()` on. `onEnd` is called when the
   * last writer has closed it, or it was destroyed, unless `readOn()` has already seen the end.
   */
  constructor(output: number | Readable, kept: Kept, onEnd: () => void) {
    this.#kept = kept;
    this.#onEnd = onEnd;
    if (typeof output === 'number') this.#reader = output;
    else this.#follow(output);
  }

  /** Reads to the end: at once if the end is there already, otherwise as output arrives. */
  readOn(): void {
    if (this.#reader === undefined) return;
    // Twice the pipe's capacity: usually that is everything, and a flood must not hold up the host.
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
      // An output that cannot be followed is read again when the hook has exited.
    }
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Keeps reading, but keeps nothing more and does not hold up the host. */
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

  /** Stops reading, even if something still writes. */
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

  #keep(chunk: Buffer): void {
    if (this.#isKept) this.#kept.add(chunk);
  }
}
