import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { setImmediate as afterReading, setTimeout as sleep } from 'node:timers/promises';
import { openOutput, type OutputPipe, streamOf } from './pipes.ts';
import { OutputWindow } from './output-window.ts';

/** Without a byte for so long after the exit, what still holds a stream is in the background, in ms. */
const quietTime = 50;

/** The drain's end, even if the background keeps writing, in ms. */
const drainLimit = 500;

/** A pipe for an output of a command, which is read as it comes. */
interface CommandPipe extends OutputPipe {
  readonly stream: Socket;
}

/** The pipes for a command's stdout and stderr; none where the system cannot make them, then Node's own serve. */
export function openPipes(): readonly CommandPipe[] {
  const pipes: CommandPipe[] = [];
  try {
    pipes.push(openPipe());
    pipes.push(openPipe());
    return pipes;
  } catch {
    for (const pipe of pipes) {
      closeSync(pipe.writer);
      pipe.stream.destroy();
      pipe.release(false);
    }
    return [];
  }
}

function openPipe(): CommandPipe {
  const pipe = openOutput();
  try {
    return { ...pipe, stream: streamOf(pipe.reader) };
  } catch (error) {
    closeSync(pipe.writer);
    closeSync(pipe.reader);
    pipe.release(true);
    throw error;
  }
}

/** Reads one output stream of a command for as long as the command runs. */
export class CommandStream {
  readonly window: OutputWindow;
  readonly #stream: Readable;
  readonly #read: (chunk: Buffer) => void;
  readonly #ended: Promise<void>;
  ended = false;

  constructor(stream: Readable, limit: number) {
    this.window = new OutputWindow(limit);
    this.#stream = stream;
    this.#read = (chunk) => this.window.add(chunk);
    stream.on('data', this.#read);
    stream.on('error', () => stream.destroy());
    this.#ended = new Promise((resolve) => {
      stream.once('close', () => {
        this.ended = true;
        resolve();
      });
    });
  }

  /** Resolves when the last writer has closed the stream. */
  whenEnded(): Promise<void> {
    return this.#ended;
  }

  /** Keeps reading for what runs on in the background, which a closed pipe would kill, but keeps nothing and holds up nobody. */
  leave(): void {
    this.#stream.off('data', this.#read);
    this.#stream.resume();
    (this.#stream as Socket).unref();
  }
}

/** Waits after a command's exit until its streams have ended, or nothing more comes. */
export async function drain(streams: readonly CommandStream[]): Promise<void> {
  const deadline = performance.now() + drainLimit;
  const allEnded = Promise.all(streams.map((stream) => stream.whenEnded()));
  const seen = () => streams.reduce((sum, { window }) => sum + window.seen, 0);
  let before: number;
  do {
    before = seen();
    await Promise.race([allEnded, sleep(quietTime)]);
    // After a stalled event loop the timer fires before the pipes were read.
    await afterReading();
  } while (
    streams.some((stream) => !stream.ended) &&
    seen() > before &&
    performance.now() < deadline
  );
}
