import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { HookCommand } from '../../../machines/hook-process.ts';
import { programOf } from './plain-start.ts';
import { environmentOf } from './programs.ts';
import { killRun, terminateRun } from './run-end.ts';
import { marked, newMark, type Run } from './strays.ts';
import { forgetRun, loseLeader, watchRun } from './watchdog.ts';

/** How long a process has to react to SIGTERM, in ms. */
const grace = 5_000;

/** A process that stays alive and exchanges lines with us. */
export interface LiveProcess {
  send(line: string): void;
  /** Ends it with all that it started: with SIGTERM, then with SIGKILL. Nothing more of it is read. */
  end(): void;
}

/** Receives what the process does. */
export interface LiveListener {
  line(line: string): void;
  /** A line exceeded the limit of bytes. */
  overlong(): void;
  stderr(text: string): void;
  /** The process is gone, or could not be started; `how` continues "it …". */
  ended(how: string): void;
}

/**
 * Starts a command that outlives the event it is started for. Nothing of it survives the host, and it does
 * not keep the host alive.
 */
export function startLive(
  command: HookCommand,
  longestLine: number,
  listener: LiveListener,
): LiveProcess {
  const [program, args] = programOf(command);
  const mark = newMark();
  const child = spawn(program, args, {
    cwd: command.cwd,
    env: marked(environmentOf(command), mark),
    stdio: 'pipe',
    detached: true,
  });
  const run: Run = { mark, after: undefined, leader: child.pid ?? 0 };
  let killing: NodeJS.Timeout | undefined;
  child.once('error', (error) => listener.ended(`could not be started: ${error.message}`));
  if (child.pid === undefined) return { send: () => undefined, end: () => undefined };
  watchRun(run);
  child.once('exit', (exitCode, signal) => {
    clearTimeout(killing);
    loseLeader(run);
    killRun(run, 'all');
    forgetRun(run);
    // What it has written is read first.
    setImmediate(() => listener.ended(`ended with ${signal ?? `exit code ${exitCode}`}`));
  });
  const lines = onLines(child.stdout, longestLine, listener);
  child.stderr.setEncoding('utf8').on('data', (text: string) => listener.stderr(text));
  // An end is reported by the process's exit.
  for (const stream of [child.stdin, child.stdout, child.stderr])
    stream.on('error', () => undefined);
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as Socket).unref();
  return {
    send: (line) => void child.stdin.write(`${line}\n`),
    end: () => {
      lines.stop();
      for (const stream of [child.stdout, child.stderr])
        stream.removeAllListeners('data').destroy();
      if (killing !== undefined || child.exitCode !== null || child.signalCode !== null) return;
      terminateRun(run, 'all');
      killing = setTimeout(() => killRun(run, 'all'), grace).unref();
    },
  };
}

/**
 * Splits what a process prints into lines, until `stop` is called: a flood is read in large pieces, and each
 * may hold thousands of lines.
 */
function onLines(stream: Readable, longest: number, listener: LiveListener): { stop: () => void } {
  const reading = { isStopped: false };
  // It grows by doubling, so that a line that comes byte by byte costs no more than others.
  let begun = Buffer.alloc(0);
  let size = 0;
  const keep = (bytes: Buffer): void => {
    if (size + bytes.length > begun.length)
      begun = Buffer.concat(
        [begun.subarray(0, size)],
        Math.max(2 * begun.length, size + bytes.length),
      );
    bytes.copy(begun, size);
    size += bytes.length;
  };
  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    for (
      let end = chunk.indexOf(10);
      end !== -1 && !reading.isStopped;
      end = chunk.indexOf(10, from)
    ) {
      keep(chunk.subarray(from, end));
      from = end + 1;
      const line = begun.toString('utf8', 0, size);
      size = 0;
      listener.line(line);
    }
    if (reading.isStopped) return;
    if (size + chunk.length - from > longest) listener.overlong();
    else keep(chunk.subarray(from));
  });
  return { stop: () => void (reading.isStopped = true) };
}
