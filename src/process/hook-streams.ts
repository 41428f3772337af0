import type { ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { HookExit } from '../../machines/hook-process.ts';
import { OutputCollector } from './output-collector.ts';
import { openInput, openOutput } from './pipes.ts';

/** What is kept of each output stream, in bytes (10 MiB, G-01). */
export const outputLimit = 10 * 1024 * 1024;

const outputNames = ['stdout', 'stderr'] as const;

/** The standard streams of one hook: filled, handed over to it, then read, in the end released. */
export class HookStreams {
  #input = orNodesPipe(openInput);
  readonly #outputs = outputNames.map(() => orNodesPipe(openOutput));
  #text = '';
  #collectors: OutputCollector[] = [];
  #child: ChildProcess | undefined;
  #isHandedOver = false;

  /** Whether none of them is one of Node's pipes. */
  get areFiles(): boolean {
    return this.#input !== undefined && !this.#outputs.includes(undefined);
  }

  /** Whether the process has written something already. */
  get haveBegun(): boolean {
    return this.#outputs.some((output) => (output?.reader.readableLength ?? 0) > 0);
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

  /** Does not keep the host alive any more, until `ref` is called. */
  unref(): void {
    for (const output of this.#outputs) output?.reader.unref();
  }

  ref(): void {
    for (const output of this.#outputs) output?.reader.ref();
  }

  /** Reads the process, and feeds it where its input is a pipe; `onEnd` is called as each output ends. */
  attach(child: ChildProcess, onEnd: () => void): void {
    this.#child = child;
    this.#collectors = outputNames.map((name, index) => {
      const stream = this.#outputs[index]?.reader ?? child[name]!;
      return new OutputCollector(stream, outputLimit, onEnd);
    });
    // A hook need not read its input: EPIPE is no failure (HOOK-192).
    child.stdin?.on('error', () => undefined).end(this.#text);
  }

  /** Whether all writers have closed both outputs. */
  get ended(): boolean {
    return this.#collectors.every(({ ended }) => ended);
  }

  /** What was read so far. */
  read(): Pick<HookExit, 'stdout' | 'stderr' | 'truncated'> {
    const [stdout = '', stderr = ''] = this.#collectors.map((collector) => collector.text());
    return {
      stdout,
      stderr,
      truncated: outputNames.filter((_, index) => this.#collectors[index]?.truncated),
    };
  }

  /** Lets go of everything, whoever still holds the other ends. */
  release(): void {
    this.#closeTheirs();
    this.#input?.close();
    for (const [index, output] of this.#outputs.entries()) {
      output?.release(this.#collectors[index]?.ended ?? true);
      output?.reader.destroy();
    }
    for (const collector of this.#collectors) collector.destroy();
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
