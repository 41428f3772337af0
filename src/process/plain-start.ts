import { spawn, type ChildProcess } from 'node:child_process';
import type { HookCommand } from '../../machines/hook-process.ts';
import { environmentOf, expandCommand, findShell, systemShell } from './programs.ts';
import { HookStreams } from './hook-streams.ts';
import { lastPid, marked, newMark, type Run, tellsPids } from './strays.ts';

/** A hook's own process, with its input on the way. */
export interface StartedHook {
  readonly child: ChildProcess;
  readonly streams: HookStreams;
  readonly run: Run;
}

/** A way to start a hook. */
export type StartHook = (command: HookCommand, stdin: string) => StartedHook;

/** Starts a hook as its shell's `-c` of its command, or as the program it names. */
export function startPlainly(
  command: HookCommand,
  stdin: string,
  streams = new HookStreams(),
): StartedHook {
  try {
    streams.fill(stdin);
    const [program, args] = programOf(command);
    const [mark, last] = [newMark(), lastPid()];
    const child = streams.handOver((stdio) =>
      spawn(program, args, {
        cwd: command.cwd,
        env: marked(environmentOf(command), mark),
        stdio,
        // A group of its own, so that what it starts ends with it.
        detached: true,
      }),
    );
    const after = tellsPids(last, child.pid) ? last : undefined;
    return { child, streams, run: { mark, after, leader: child.pid ?? 0 } };
  } catch (error) {
    streams.release();
    throw error;
  }
}

/** What is started for a hook, and with which arguments. */
export const programOf = ({
  command,
  args,
  env,
  isClean,
  shell,
}: HookCommand): [string, readonly string[]] => {
  if (args) return [command, args];
  switch (shell) {
    case 'powershell':
      return ['pwsh', ['-NoProfile', '-NonInteractive', '-Command', command]];
    case 'sh':
      return ['/bin/sh', ['-c', expandCommand(command, env)]];
    default:
      return [isClean ? systemShell() : findShell(), ['-c', expandCommand(command, env)]];
  }
};
