import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import tty from 'node:tty';
import { Readable } from 'node:stream';
import * as bundler from 'esbuild';
import { vi } from 'vitest';
import { runCommand } from '../../src/cli/parts/run-command.ts';
import { runProgram } from '../../src/cli/program.ts';
import { administratorsFrom } from './etc.ts';
import { hasAdministrators, hookmachine } from './hookmachine.ts';
import { installed, main } from './main.ts';
import type { Sandbox } from './sandbox-type.ts';

// It keeps the folder in which it is loaded, so a command must not load it first: a test's folder is soon
// gone.
void bundler;

/** The outcome of a command line. */
export interface Done {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Where a command runs. */
export type Place = Pick<Sandbox, 'project' | 'env'> & Partial<Sandbox>;

let last: Promise<unknown> = Promise.resolve();

/**
 * Does what `hookmachine` does without starting a process, which takes much longer than most commands do:
 * for tests of what a command says and writes. With an installed command, that one runs instead.
 */
export const inProcess = (box: Place, args: readonly string[], input = ''): Promise<Done> =>
  installed === undefined ? inThisProcess(box, args, input) : inOwnProcess(box, args, input);

/** Commands run one at a time, since the folder and the environment are the process's. */
export function inThisProcess(box: Place, args: readonly string[], input: string): Promise<Done> {
  const done = last.then(() => work(box, args, input));
  last = done.catch(() => undefined);
  return done;
}

/** Runs the built command, or another program that does the same. */
export async function inOwnProcess(
  box: Place,
  args: readonly string[],
  input: string,
  file?: string,
): Promise<Done> {
  const { stdout, stderr, exitCode } = await hookmachine(box, args, input, [], file);
  return { stdout, stderr, exitCode: exitCode ?? -1 };
}

async function work(box: Place, args: readonly string[], input: string): Promise<Done> {
  const isMoved = hasAdministrators(box);
  if (isMoved && process.getuid?.() !== 0) return inOwnProcess(box, args, input);
  const { exitCode: before } = process;
  const [, script] = process.argv;
  const folder = process.cwd();
  const env = { ...process.env };
  const said = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += String(text);
      return true;
    }),
  );
  const moveBack = isMoved ? administratorsFrom(box.systemFolder!) : undefined;
  const restore = takeOver(Buffer.from(input), said);
  // A command counts the time since its process was started.
  const startedAt = process.uptime();
  const uptime = process.uptime.bind(process);
  process.uptime = () => uptime() - startedAt;
  try {
    Object.assign(process.env, { HOOKMACHINE_TRUST: '1', ...box.env });
    process.chdir(box.project);
    process.argv[1] = main;
    process.exitCode = undefined;
    await runCommand(() => runProgram(args), !['fire', 'relay'].includes(args[0] ?? ''));
    return {
      stdout: said.stdout.replace(/\n$/, ''),
      stderr: said.stderr.replace(/\n$/, ''),
      exitCode: exitStatus(),
    };
  } finally {
    process.uptime = uptime;
    restore();
    moveBack?.();
    for (const one of spies) one.mockRestore();
    process.chdir(folder);
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    process.argv[1] = script!;
    process.exitCode = before;
  }
}

/** Replaces the input and output of the process, which a command may use without a stream. */
function takeOver(input: Buffer, said: { stdout: string; stderr: string }): () => void {
  const { fstatSync, readSync, writeSync } = fs;
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!;
  Object.defineProperty(process, 'stdin', { ...stdin, get: () => Readable.from([input]) });
  // The tests may be run on a terminal.
  const { isatty } = tty;
  tty.isatty = () => false;
  // A host waits for a command since it was started, which is now.
  const startedAt = performance.now();
  const uptime = vi
    .spyOn(process, 'uptime')
    .mockImplementation(() => (performance.now() - startedAt) / 1_000);
  let taken = 0;
  putIntoFs({
    readSync: ((descriptor: number, into: Buffer, ...rest: never[]) => {
      if (descriptor !== 0) return readSync(descriptor, into, ...rest);
      const size = input.copy(into, 0, taken);
      taken += size;
      return size;
    }) as typeof readSync,
    // Input from a file never blocks.
    fstatSync: ((descriptor: number, ...rest: never[]) =>
      descriptor === 0 ? fs.statSync(main) : fstatSync(descriptor, ...rest)) as typeof fstatSync,
    writeSync: ((descriptor: number, text: Buffer, ...rest: never[]) => {
      if (descriptor !== 1 && descriptor !== 2) return writeSync(descriptor, text, ...rest);
      said[descriptor === 1 ? 'stdout' : 'stderr'] += text.toString();
      return text.length;
    }) as typeof writeSync,
  });
  return () => {
    putIntoFs({ fstatSync, readSync, writeSync });
    tty.isatty = isatty;
    uptime.mockRestore();
    Object.defineProperty(process, 'stdin', stdin);
  };
}

function putIntoFs(own: Partial<typeof fs>): void {
  Object.assign(fs, own);
  syncBuiltinESMExports();
}

const exitStatus = (): number => Number(process.exitCode ?? 0);
