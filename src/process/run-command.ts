import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isError } from '../errors.ts';
import { isGroupAlive } from './group.ts';
import { findShell } from './shell.ts';
import { forget, watch } from './watchdog.ts';
import { CommandStream, drain, openPipes } from './command-streams.ts';
import { endGroup } from './end-group.ts';

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
  const started = start(command, cwd, [stdout, stderr]);
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
function start(
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
