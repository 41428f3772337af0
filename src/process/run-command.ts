import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { setImmediate as afterReading, setTimeout as sleep } from 'node:timers/promises';
import { isError } from '../errors.ts';
import { openOutput, type OutputPipe, streamOf } from './pipes.ts';
import { isGroupAlive, killGroups, livingGroups, signalGroup } from './processes.ts';
import { findShell } from './programs.ts';
import { forget, watch } from './watchdog.ts';

/** What is kept of each output stream, in bytes. */
export const outputLimit = 64 * 1024;

/** How long after SIGKILL a command is waited for, in ms: one of another user, or in the kernel's hold, does not end. */
const lastWait = 500;

/** What became of a shell command. */
export type CommandRun =
  | { readonly kind: 'notStarted'; readonly reason: string }
  | {
      readonly kind: 'exited' | 'cancelled';
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly stdout: string;
      readonly stderr: string;
      /** The process group, when something of it runs on in the background. */
      readonly group: number | undefined;
    };

/**
 * Runs a command in a shell that leads its own process group, with nothing to read on stdin.
 *
 * It settles on the shell's exit plus a short drain, whoever still holds its streams. When the
 * signal is aborted the whole group is ended; what does not end is not waited for.
 */
export async function runCommand(
  command: string,
  cwd: string,
  signal: AbortSignal,
): Promise<CommandRun> {
  const pipes = openPipes();
  const [stdout = 'pipe', stderr = 'pipe'] = pipes.map((pipe) => pipe.writer);
  const started = startShell(command, cwd, [stdout, stderr]);
  for (const pipe of pipes) closeSync(pipe.writer);
  if ('reason' in started) {
    for (const pipe of pipes) {
      pipe.stream.destroy();
      pipe.release(true);
    }
    return { kind: 'notStarted', reason: (await started.reason).message };
  }
  const { subprocess, group } = started;
  watch(group);
  const streams = [
    new CommandStream(pipes[0]?.stream ?? subprocess.stdout!, outputLimit),
    new CommandStream(pipes[1]?.stream ?? subprocess.stderr!, outputLimit),
  ] as const;
  let ending: Promise<void> | undefined;
  const over = new AbortController();
  const exited = new Promise<[number | null, string | null]>((resolve) => {
    subprocess.once('exit', (code, name) => resolve([code, name]));
    const cancel = (): void => {
      ending = endGroup(group);
      void ending
        .then(() => sleep(lastWait, undefined, { ref: false }))
        .then(() => resolve([null, null]));
    };
    signal.addEventListener('abort', cancel, { once: true, signal: over.signal });
    if (signal.aborted) cancel();
  });
  const [exitCode, exitSignal] = await exited;
  over.abort();
  // What was given up on must not keep the host alive.
  subprocess.unref();
  await ending;
  await drain(streams);
  for (const [index, stream] of streams.entries()) {
    if (!stream.ended) stream.leave();
    pipes[index]?.release(stream.ended);
  }
  // What the command left running is the user's wish; only a running command ends with the host.
  forget(group);
  return {
    kind: ending === undefined ? 'exited' : 'cancelled',
    exitCode,
    signal: exitSignal,
    stdout: streams[0].window.text(),
    stderr: streams[1].window.text(),
    group: isGroupAlive(group) ? group : undefined,
  };
}

type Output = 'pipe' | number;

/** The shell, as the leader of a process group, or what it could not be started for. */
function startShell(
  command: string,
  cwd: string,
  outputs: readonly Output[],
): { subprocess: ChildProcess; group: number } | { reason: Promise<Error> } {
  try {
    const stdio = ['ignore' as const, ...outputs];
    const subprocess = spawn(findShell(), ['-c', command], { cwd, stdio, detached: true });
    // Heard from the beginning: an error that nobody hears ends the host.
    const reason = new Promise<Error>((resolve) => subprocess.once('error', resolve));
    return subprocess.pid === undefined ? { reason } : { subprocess, group: subprocess.pid };
  } catch (error) {
    return { reason: Promise.resolve(isError(error) ? error : new Error(String(error))) };
  }
}

/** Without a byte for so long after the exit, what still holds a stream is in the background, in ms. */
const quietTime = 50;

/** The drain's end, even if the background keeps writing, in ms. */
const drainLimit = 500;

/** A pipe for an output of a command, which is read as it comes. */
interface CommandPipe extends OutputPipe {
  readonly stream: Socket;
}

/** The pipes for a command's stdout and stderr; none where the system cannot make them, then Node's own serve. */
function openPipes(): readonly CommandPipe[] {
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
class CommandStream {
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
async function drain(streams: readonly CommandStream[]): Promise<void> {
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

/** Keeps the first and the last bytes of an output, so that its memory is bounded and the end, where errors stand, is kept. */
export class OutputWindow {
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

  /** How many bytes came by. */
  get seen(): number {
    return this.#seen;
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

  /** What was kept, decoded as a whole, so that no character is cut at a chunk's end; a gap is told in its place. */
  text(): string {
    this.#trim();
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    const leftOut = this.#seen - head.length - tail.length;
    if (leftOut === 0) return Buffer.concat([head, tail]).toString('utf8');
    // In stream mode the decoder keeps back a character that the cut left incomplete.
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

/** How long a process group may take to end by itself, in ms. */
const grace = 2000;

/** How often the group is looked at, in ms. */
const lookAgain = 20;

/** Ends a whole process group: asks first, then kills what is left. */
async function endGroup(group: number): Promise<void> {
  const deadline = performance.now() + grace;
  signalGroup(group, 'SIGTERM');
  // A stopped process sees SIGTERM only once it goes on.
  signalGroup(group, 'SIGCONT');
  const groups = new Set([group]);
  while (livingGroups(groups).size > 0) {
    if (performance.now() >= deadline) return killGroups(groups);
    await sleep(lookAgain);
  }
}
