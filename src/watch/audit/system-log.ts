import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { environmentOf } from '../../handlers/process/index.ts';

/** The system's own program that writes to syslog, or to journald where that takes its place. */
const programs = ['/usr/bin/logger', '/bin/logger'];

/** How long a line may wait for a log that does not read, in ms, and how much may wait, in bytes. */
const answerTimeout = 2_000;
const mostWaiting = 1024 * 1024;

/**
 * How long a failed log is left alone, in ms, and how long the end of the process waits to learn whether it
 * failed.
 */
const rest = 30_000;
const closingTime = 250;

/** The longest line that is written, in bytes. */
export const longestLine = 32 * 1024;

/** A writer of lines to the system's log. */
export interface SystemLog {
  write(line: string): void;
  close(): void;
}

type Logger = ChildProcessByStdio<Writable, null, Readable>;

function startLogger(program: string, to: true | string): Logger {
  const isLinux = process.platform === 'linux';
  return spawn(
    program,
    [
      '-t',
      'hookmachine',
      '-p',
      'auth.notice',
      ...(isLinux ? ['--socket-errors=on', '--size', String(longestLine)] : []),
      ...(to === true ? [] : ['-u', to]),
    ],
    {
      stdio: ['pipe', 'ignore', 'pipe'],
      env: environmentOf({ env: {}, isClean: true }),
      cwd: '/',
      detached: true,
    },
  );
}

/**
 * Opens the system's log, or the one behind a socket. `failed` receives the reason why lines are lost. Nobody
 * waits for the log, and it keeps no process alive.
 */
export function openSystemLog(to: true | string, failed: (why: string) => void): SystemLog {
  const program = programs.find((file) => existsSync(file));
  if (program === undefined) throw new Error(`there is no ${programs[0]!}`);
  let logger: Logger | undefined;
  let isClosed = false;
  let restsUntil = 0;
  const start = (): Logger => {
    const child = startLogger(program, to);
    let said = '';
    child.stderr.on('data', (text: Buffer) => (said = (said + text.toString()).slice(0, 300)));
    const gone = (why: string): void => {
      if (logger !== child) return;
      logger = undefined;
      process.off('beforeExit', leave);
      if (isClosed && why === '') return;
      restsUntil = performance.now() + rest;
      failed(why === '' ? `${program} ended` : why);
    };
    // A process may end right after its first line: whether that was written is known only when the logger
    // has ended.
    const leave = (): void => {
      isClosed = true;
      child.ref();
      child.stdin.end();
      setTimeout(() => child.unref(), closingTime).unref();
    };
    process.once('beforeExit', leave);
    child.on('error', ({ message }) => gone(message));
    child.stdin.on('error', () => undefined);
    child.on('close', (code) =>
      gone(code === 0 ? '' : said.trim() || `${program} ended with ${code}`),
    );
    child.unref();
    for (const stream of [child.stdin, child.stderr] as { unref?: () => void }[]) stream.unref?.();
    return child;
  };
  return {
    write(line) {
      if (logger === undefined && performance.now() < restsUntil) return;
      logger ??= start();
      const { stdin } = logger;
      if (stdin.writableLength > mostWaiting) return failed(`${program} does not read its input`);
      const given = logger;
      const timer = setTimeout(() => {
        given.kill('SIGKILL');
        failed(`${program} does not read its input`);
      }, answerTimeout).unref();
      stdin.write(`${line}\n`, () => clearTimeout(timer));
    },
    close() {
      isClosed = true;
      logger?.stdin.end();
    },
  };
}
