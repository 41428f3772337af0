import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fromCallback } from 'xstate';
import type { HookCommand, ProcessOrder, ProcessReport } from '../../machines/hook-process.ts';
import { expandCommand } from './expand-command.ts';
import { onGroupEnd } from './group-end.ts';
import { groupExists, killGroups, signalGroup } from './group.ts';
import { HookStreams } from './hook-streams.ts';
import { findShell } from './shell.ts';
import { forget, watch } from './watchdog.ts';

/**
 * Runs one hook command and reports what it did; it knows no policy and no deadline.
 *
 * It reports `process.closed` once the command has exited and neither its process group nor its
 * streams hold anything more, or when told to `collect` what there is.
 */
export const hookProcess = fromCallback<ProcessOrder, HookCommand>(
  ({ input, sendBack, receive }) => {
    const report: (report: ProcessReport) => void = sendBack;
    let running: RunningHook | undefined;
    try {
      running = new RunningHook(input, report);
    } catch (error) {
      report({ type: 'process.failed', error: toError(error, input) });
    }
    receive((order) => running?.obey(order));
    return () => running?.abandon();
  },
);

class RunningHook {
  readonly #report: (report: ProcessReport) => void;
  readonly #startedAt = performance.now();
  readonly #streams: HookStreams;
  readonly #child: ChildProcess;
  #ended: { exitCode: number | null; signal: string | null; durationMs: number } | undefined;
  #isEnding = false;
  #callOff: (() => void) | undefined;
  #closed = false;

  constructor(command: HookCommand, report: (report: ProcessReport) => void) {
    this.#report = report;
    this.#streams = new HookStreams(command.stdin());
    try {
      const [program, args] = startOf(command);
      this.#child = this.#streams.handOver((stdio) =>
        spawn(program, args, {
          cwd: command.cwd,
          env: { ...process.env, ...command.env },
          stdio,
          // A group of its own, so that what it starts ends with it.
          detached: true,
        }),
      );
    } catch (error) {
      this.#streams.release();
      throw error;
    }
    this.#child.once('error', (error) => this.#fail(toError(error, command)));
    const { pid } = this.#child;
    if (pid === undefined) return;
    watch(pid);
    this.#child.once('exit', (exitCode, signal) => {
      this.#ended = { exitCode, signal, durationMs: performance.now() - this.#startedAt };
      report({ type: 'process.exited' });
      this.#settle();
    });
    this.#streams.attach(this.#child, () => this.#settle());
    report({ type: 'process.started', pid });
  }

  obey(order: ProcessOrder): void {
    const { pid } = this.#child;
    if (this.#closed || pid === undefined) return;
    if (order.type === 'collect') return this.#close();
    if (order.type === 'kill') killGroups(new Set([pid]));
    else {
      signalGroup(pid, 'SIGTERM');
      // A stopped process sees SIGTERM only once it goes on.
      signalGroup(pid, 'SIGCONT');
    }
    this.#isEnding = true;
    this.#settle();
  }

  /** The machine has let go of the hook: nothing of it may stay. */
  abandon(): void {
    const { pid } = this.#child;
    if (this.#closed) return;
    if (pid !== undefined) killGroups(new Set([pid]));
    this.#release();
  }

  /** Closes the run when nothing of the hook is left, or sees to it that this happens then. */
  #settle(): void {
    if (this.#closed || this.#ended === undefined) return;
    const pid = this.#child.pid!;
    if (!this.#isEnding) {
      if (!this.#streams.ended) return;
      if (!groupExists(pid)) return this.#close();
    }
    // What the dead have written is read in the next turn. A stranger to the group may hold a
    // stream for ever: nobody waits for it.
    this.#callOff ??= onGroupEnd(pid, () => setImmediate(() => this.#close()));
  }

  #close(): void {
    if (this.#closed) return;
    const {
      exitCode = null,
      signal = null,
      durationMs = performance.now() - this.#startedAt,
    } = this.#ended ?? {};
    const exit = { exitCode, signal, ...this.#streams.read(), durationMs };
    this.#release();
    this.#report({ type: 'process.closed', exit });
  }

  #fail(error: Error): void {
    if (this.#closed) return;
    this.#release();
    this.#report({ type: 'process.failed', error });
  }

  #release(): void {
    this.#closed = true;
    this.#callOff?.();
    this.#streams.release();
    if (this.#child.pid !== undefined) forget(this.#child.pid);
  }
}

const startOf = ({ command, args, env }: HookCommand): [string, readonly string[]] =>
  args ? [command, args] : [findShell(), ['-c', expandCommand(command, env)]];

/** Why there is no process; where the folder is missing, the system says that the shell is. */
function toError(error: unknown, { cwd }: HookCommand): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if (!('syscall' in error) || existsSync(`${cwd}/.`)) return error;
  return new Error(`${cwd} is no folder to run in (${error.message})`, { cause: error });
}
