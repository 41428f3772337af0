import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished } from 'vitest';
import type { Done, Place } from './in-process.ts';
import { starter } from './main.ts';
import { tempFolder } from './temp-folder.ts';

/** What keeps a warm process from being used on this machine. */
export const noWarmth: string | undefined =
  process.platform !== 'linux' || !existsSync('/usr/bin/perl')
    ? 'only Linux with perl has a warm process'
    : undefined;

/** A user's runtime folder, in which their warm process is. */
export interface Warmth {
  readonly runtime: string;
  /** The folder of the socket. */
  readonly folder: string;
  /** How many relays were judged by a process of their own. */
  readonly coldRuns: () => number;
  readonly relay: (
    box: Place,
    args: readonly string[],
    input: string | Buffer,
    env?: Env,
  ) => Promise<Done>;
  /** Waits until there is a warm process; returns its number. */
  readonly started: () => Promise<number>;
  readonly pids: () => readonly number[];
}

type Env = Readonly<Record<string, string>>;

/** A runtime folder of the running test, or of `end`'s caller; its warm process ends with it. */
export function warmth(end: (fn: () => void) => void = onTestFinished, command = starter): Warmth {
  const at = tempFolder();
  const [runtime, programs, log] = ['run', 'bin', 'log'].map((name) => join(at, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(runtime, { mode: 0o700 });
  mkdirSync(programs);
  writeFileSync(log, '');
  const node = join(programs, 'node');
  // Every start of Node.js for a relay is counted.
  writeFileSync(
    node,
    `#!/bin/sh\n[ "$2" = relay ] && echo >> '${log}'\nexec '${process.execPath}' "$@"\n`,
  );
  chmodSync(node, 0o755);
  const folder = join(runtime, 'hookmachine');
  const pids = (): number[] =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((name) => commandOf(name).includes(`\0warm\0${folder}`))
      .map(Number);
  end(() => {
    for (const pid of pids()) process.kill(pid, 'SIGKILL');
  });
  const socket = (): string | undefined =>
    existsSync(folder) ? readdirSync(folder).find((name) => /^[^.]+-[^.]+$/.test(name)) : undefined;
  return {
    runtime,
    folder,
    pids,
    coldRuns: () => readFileSync(log, 'utf8').length,
    async relay({ project, env }, args, input, more = {}) {
      const { stdout, stderr, exitCode } = await execa(command, ['relay', ...args], {
        cwd: project,
        env: {
          HOOKMACHINE_TRUST: '1',
          ...env,
          PATH: `${programs}:${process.env['PATH']}`,
          XDG_RUNTIME_DIR: runtime,
          ...more,
        },
        input,
        reject: false,
      });
      return { stdout, stderr, exitCode: exitCode ?? -1 };
    },
    async started() {
      await expect
        .poll(async () => socket() !== undefined && (await answers(join(folder, socket()!))))
        .toBe(true);
      return pids()[0]!;
    },
  };
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Whether anybody listens at a socket. */
const answers = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const connection = connect(socket, () => {
      connection.destroy();
      resolve(true);
    }).once('error', () => resolve(false));
  });
