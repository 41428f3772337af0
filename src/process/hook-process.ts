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
import { type StartedHook, startPlainly } from './plain-start.ts';
import { startReady } from './ready-shells.ts';
import { killStrays, mayHaveStrays, signalStrays } from './strays.ts';
import { takeTurn } from './turns.ts';
import { forget, isWatched, watch } from './watchdog.ts';

/**
 * Runs one hook command and reports what it did; it knows no policy and no deadline.
 *
 * It waits for its turn where too many hooks run already. It reports `process.closed` once the
 * command has exited and nothing that it started lives or holds its streams any more, or when told to
 * `collect` what there is; a hook that is ended before its turn never runs.
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
  readonly #hook: StartedHook;
  #ended: { exitCode: number | null; signal: string | null; durationMs: number } | undefined;
  #isEnding = false;
  #callOff: (() => void) | undefined;
  #closed = false;

  constructor(command: HookCommand, report: (report: ProcessReport) => void, endTurn: () => void) {
    this.#report = report;
    this.#endTurn = endTurn;
    const stdin = command.stdin();
    this.#hook = startReady(command, stdin, () => startPlainly(command, stdin));
    const { child, streams, run } = this.#hook;
    child.once('error', (error) => this.#fail(toError(error, command)));
    const { pid } = child;
    if (pid === undefined) return;
    watch(pid, run);
    child.once('exit', (exitCode, signal) => {
      this.#ended = { exitCode, signal, durationMs: performance.now() - this.#startedAt };
      report({ type: 'process.exited' });
      this.#settle();
    });
    streams.attach(child, () => this.#settle());
    report({ type: 'process.started', pid });
  }

  obey(order: ProcessOrder): void {
    if (this.#closed || this.#hook.child.pid === undefined) return;
    if (order.type === 'collect') return this.#close();
    if (order.type === 'kill') this.#kill();
    else
      // A stopped process sees SIGTERM only once it goes on.
      for (const signal of ['SIGTERM', 'SIGCONT'] as const) {
        signalGroup(this.#hook.run.leader, signal);
        signalStrays(this.#hook.run, signal);
      }
    this.#isEnding = true;
    this.#settle();
  }

  /** The machine has let go of the hook: nothing of it may stay. */
  abandon(): void {
    if (this.#closed) return;
    if (this.#hook.child.pid !== undefined) this.#kill();
    this.#release();
    this.#endTurn();
  }

  #kill(): void {
    killGroups(new Set([this.#hook.run.leader]));
    killStrays([this.#hook.run]);
  }

  /** Closes the run when nothing of the hook is left, or sees to it that this happens then. */
  #settle(): void {
    if (this.#closed || this.#ended === undefined) return;
    const { run, streams } = this.#hook;
    if (!this.#isEnding) {
      if (!streams.ended) return;
      if (!groupExists(run.leader) && !mayHaveStrays(run, isWatched)) return this.#close();
    }
    // What the dead have written is read in the next turn. A stranger may hold a stream for ever:
    // nobody waits for it.
    this.#callOff ??= onGroupEnd(run, () => setImmediate(() => this.#close()));
  }

  #close(): void {
    if (this.#closed) return;
    const {
      exitCode = null,
      signal = null,
      durationMs = performance.now() - this.#startedAt,
    } = this.#ended ?? {};
    const exit = { exitCode, signal, ...this.#hook.streams.read(), durationMs };
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
    this.#hook.streams.release();
    if (this.#hook.child.pid !== undefined) forget(this.#hook.child.pid);
  }
}

/** Why there is no process; where the folder is missing, the system says that the shell is. */
function toError(error: unknown, { cwd }: HookCommand): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if (!('syscall' in error) || existsSync(`${cwd}/.`)) return error;
  return new Error(`${cwd} is no folder to run in (${error.message})`, { cause: error });
}
