import type { ChildProcess } from 'node:child_process';
import { closeSync, readSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { HookExit } from '../../machines/hook-process.ts';
import { type Kept, OutputHead } from './kept-output.ts';
import { type InputFile, openInput, openOutput, streamOf } from './pipes.ts';
import { withoutStacks } from './processes.ts';

/** What is kept of each output stream, in bytes (10 MiB, G-01). */
export const outputLimit = 10 * 1024 * 1024;

/**
 * How long a hook's outputs are left alone, in ms. Most hooks are over by then and have written what
 * fits into a pipe; to follow a pipe takes the host longer than to read it.
 */
const patience = 10;

const outputNames = ['stdout', 'stderr'] as const;

/** The standard streams of one process: filled, handed over to it, then read, in the end released. */
export class HookStreams {
  #input: InputFile | undefined;
  readonly #outputs = outputNames.map(() => orNodesPipe(openOutput));
  #text = '';
  #collectors: OutputCollector[] = [];
  readonly #kept: readonly Kept[];
  #child: ChildProcess | undefined;
  #reading: NodeJS.Timeout | undefined;
  #isHandedOver = false;
  #isReleased = false;

  /** The input is a file, unless a process is to wait for it. */
  constructor(
    makeInput: () => InputFile = openInput,
    makeKept: () => Kept = () => new OutputHead(outputLimit),
  ) {
    this.#input = orNodesPipe(makeInput);
    this.#kept = outputNames.map(makeKept);
  }

  /** Whether none of them is one of Node's pipes. */
  get areFiles(): boolean {
    return this.#input !== undefined && !this.#outputs.includes(undefined);
  }

  /** Whether the process has written something already, which is then lost. */
  get haveBegun(): boolean {
    return this.#outputs.some(
      (output) => output !== undefined && (readNow(output.reader)?.length ?? 0) > 0,
    );
  }

  /** Puts the input in place: before the process starts, or before it is told what to run. */
  fill(text: string): void {
    this.#text = text;
    try {
      this.#input?.fill(text);
    } catch (error) {
      if (this.#isHandedOver) throw error;
      // A pipe needs no room for what it carries.
      closeSync(this.#input!.reader);
      this.#input = undefined;
    }
  }

  /** Starts a process with these streams; afterwards it alone holds its ends of them. */
  handOver<Started>(start: (stdio: (number | 'pipe')[]) => Started): Started {
    try {
      return start(this.#theirs.map((fd) => fd ?? 'pipe'));
    } finally {
      this.#closeTheirs();
    }
  }

  get #theirs(): (number | undefined)[] {
    return [this.#input?.reader, ...this.#outputs.map((output) => output?.writer)];
  }

  #closeTheirs(): void {
    if (this.#isHandedOver) return;
    this.#isHandedOver = true;
    for (const fd of this.#theirs) if (fd !== undefined) closeSync(fd);
  }

  /** Begins to read the process, and feeds it where its input is a pipe; `onEnd` is called as an output ends that is read as it comes. */
  attach(child: ChildProcess, onEnd: () => void): void {
    this.#child = child;
    this.#collectors = outputNames.map((name, index) => {
      const output = this.#outputs[index]?.reader ?? child[name]!;
      return new OutputCollector(output, this.#kept[index]!, onEnd);
    });
    // Who is told much may answer as much.
    if (this.#text.length > pipeSize) this.readOn();
    else this.#reading = setTimeout(() => this.readOn(), patience).unref();
    // A hook need not read its input: EPIPE is no failure (HOOK-192).
    child.stdin?.on('error', () => undefined).end(this.#text);
  }

  /** Reads all outputs to their ends: at once if those are there already, else as they come. */
  readOn(): void {
    clearTimeout(this.#reading);
    for (const collector of this.#collectors) collector.readOn();
  }

  /** Whether all writers have closed both outputs. */
  get ended(): boolean {
    return this.#collectors.every(({ ended }) => ended);
  }

  /** What was read so far. */
  read(): Pick<HookExit, 'stdout' | 'stderr' | 'truncated'> {
    const [stdout = '', stderr = ''] = this.#kept.map((kept) => kept.text());
    return {
      stdout,
      stderr,
      truncated: outputNames.filter((_, index) => this.#kept[index]!.truncated),
    };
  }

  /** Leaves the outputs to whatever still holds them, which a closed pipe would kill. */
  leave(): void {
    for (const collector of this.#collectors) if (!collector.ended) collector.leave();
  }

  /** Lets go of everything, whoever still holds the other ends. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    clearTimeout(this.#reading);
    this.#closeTheirs();
    this.#input?.close();
    for (const [index, output] of this.#outputs.entries()) {
      const collector = this.#collectors[index];
      output?.release(collector?.ended ?? true);
      if (output !== undefined && collector === undefined) closeSync(output.reader);
      collector?.destroy();
    }
    this.#child?.stdin?.destroy();
  }
}

/** Without a stream of our making the hook still runs, with one that it cannot open by name. */
function orNodesPipe<Stream>(open: () => Stream): Stream | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}

/** How much fits into a pipe, in bytes. */
const pipeSize = 64 * 1024;

/** Holds what is read in one go: all that a pipe can hold. */
let buffer: Buffer | undefined;

/**
 * What comes out of a pipe's end that never waits, at most what fits into one: nothing at its end, undefined
 * where more may come. It is overwritten by the next.
 */
function readNow(reader: number): Buffer | undefined {
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

/** Reads one output of a process to its end. */
class OutputCollector {
  readonly #kept: Kept;
  readonly #onEnd: () => void;
  #reader: number | undefined;
  #stream: Readable | undefined;
  #ended = false;
  #isKept = true;

  /**
   * A stream is read from the beginning, a pipe's end from `readOn()` on. `onEnd` is called where the
   * last writer has closed it, or it was destroyed, unless `readOn()` has seen the end.
   */
  constructor(output: number | Readable, kept: Kept, onEnd: () => void) {
    this.#kept = kept;
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

  #keep(chunk: Buffer): void {
    if (this.#isKept) this.#kept.add(chunk);
  }
}
