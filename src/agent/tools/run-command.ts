import { closeSync } from 'node:fs';
import type { StdinOption, StdoutStderrOption } from 'execa';
import { isGroupAlive } from '../../process/group.ts';
import { findShell } from '../../process/shell.ts';
import { forget, watch } from '../../process/watchdog.ts';
import { CommandStream, drain, openPipes } from './command-streams.ts';
import { endGroup } from './end-group.ts';

/** What is kept of each output stream, in bytes. */
export const outputLimit = 64 * 1024;

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
 * signal is aborted the whole group is ended.
 */
export async function runCommand(
  command: string,
  cwd: string,
  signal: AbortSignal,
): Promise<CommandRun> {
  const { execa } = await import('execa');
  const pipes = openPipes();
  const [stdout = 'pipe', stderr = 'pipe'] = pipes.map((pipe) => pipe.writer);
  const stdio = ['ignore', stdout, stderr] as [StdinOption, StdoutStderrOption, StdoutStderrOption];
  const subprocess = execa(findShell(), ['-c', command], {
    cwd,
    stdio,
    detached: true,
    cleanup: false,
    buffer: false,
    reject: false,
    encoding: 'buffer',
    stripFinalNewline: false,
  });
  for (const pipe of pipes) closeSync(pipe.writer);
  const { pid: group } = subprocess;
  if (group === undefined) {
    for (const pipe of pipes) {
      pipe.stream.destroy();
      pipe.release(true);
    }
    const { originalMessage } = await subprocess;
    return { kind: 'notStarted', reason: originalMessage ?? 'the process could not be started' };
  }
  watch(group);
  const streams = [
    new CommandStream(pipes[0]?.stream ?? subprocess.stdout!, outputLimit),
    new CommandStream(pipes[1]?.stream ?? subprocess.stderr!, outputLimit),
  ] as const;
  let ending: Promise<void> | undefined;
  const cancel = () => {
    ending = endGroup(group);
  };
  signal.addEventListener('abort', cancel, { once: true });
  // Aborted while execa was loading: no event will come.
  if (signal.aborted) cancel();
  const [exitCode, exitSignal] = await new Promise<[number | null, string | null]>((resolve) => {
    subprocess.once('exit', (code, name) => resolve([code, name]));
  });
  signal.removeEventListener('abort', cancel);
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
