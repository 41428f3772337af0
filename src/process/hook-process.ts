import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fromCallback } from 'xstate';
import type {
  HookCommand,
  HookExit,
  ProcessOrder,
  ProcessReport,
} from '../../machines/hook-process.ts';
import { onGroupEnd } from './group-end.ts';
import { groupExists, killGroups, signalGroup } from './group.ts';
import type { HookStreams } from './hook-streams.ts';
import { startPlainly } from './plain-start.ts';
import { startReady } from './ready-shells.ts';
import { takeTurn } from './turns.ts';
import { forget, watch } from './watchdog.ts';

/**
 * Runs one hook command and reports what it did; it knows no policy and no deadline.
 *
 * It waits for its turn where too many hooks run already. It reports `process.closed` once the
 * command has exited and neither its process group nor its streams hold anything more, or when told
 * to `collect` what there is; a hook that is ended before its turn never runs.
 */
export const hookProcess = fromCallback<ProcessOrder, HookCommand>(
  ({ input, sendBack, receive }) => {
    const report: (report: ProcessReport) => void = sendBack;
    let running: RunningHook | undefined;
    const endTurn = takeTurn((end) => {
      try {
        running = new RunningHook(input, report, end);
      } catch (error) {
        report({ type: 'process.failed', error: toError(error, input) });
        end();
      }
    });
    receive((order) => {
      if (running !== undefined) return running.obey(order);
      endTurn();
      report({ type: 'process.closed', exit: neverRan });
    });
    return () => {
      if (running === undefined) endTurn();
      else running.abandon();
    };
  },
);

const neverRan: HookExit = {
  exitCode: null,
  signal: null,
  stdout: '',
  stderr: '',
  truncated: [],
  durationMs: 0,
};

class RunningHook {
  readonly #report: (report: ProcessReport) => void;
  readonly #endTurn: () => void;
  readonly #startedAt = performance.now();
  readonly #streams: HookStreams;
  readonly #child: ChildProcess;
  #ended: { exitCode: number | null; signal: string | null; durationMs: number } | undefined;
  #isEnding = false;
  #callOff: (() => void) | undefined;
  #closed = false;

  constructor(command: HookCommand, report: (report: ProcessReport) => void, endTurn: () => void) {
    this.#report = report;
    this.#endTurn = endTurn;
    const stdin = command.stdin();
    const { child, streams } = startReady(command, stdin, () => startPlainly(command, stdin));
    this.#child = child;
    this.#streams = streams;
    child.once('error', (error) => this.#fail(toError(error, command)));
    const { pid } = child;
    if (pid === undefined) return;
    watch(pid);
    child.once('exit', (exitCode, signal) => {
      this.#ended = { exitCode, signal, durationMs: performance.now() - this.#startedAt };
      report({ type: 'process.exited' });
      this.#settle();
    });
    streams.attach(child, () => this.#settle());
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
    this.#endTurn();
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
    this.#endTurn();
  }

  #fail(error: Error): void {
    if (this.#closed) return;
    this.#release();
    this.#report({ type: 'process.failed', error });
    this.#endTurn();
  }

  #release(): void {
    this.#closed = true;
    this.#callOff?.();
    this.#streams.release();
    if (this.#child.pid !== undefined) forget(this.#child.pid);
  }
}

/** Why there is no process; where the folder is missing, the system says that the shell is. */
function toError(error: unknown, { cwd }: HookCommand): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if (!('syscall' in error) || existsSync(`${cwd}/.`)) return error;
  return new Error(`${cwd} is no folder to run in (${error.message})`, { cause: error });
}
