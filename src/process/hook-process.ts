import { existsSync } from 'node:fs';
import { fromCallback } from 'xstate';
import type {
  HookCommand,
  HookExit,
  ProcessOrder,
  ProcessReport,
} from '../../machines/hook-process.ts';
import { groupExists } from './group.ts';
import { type StartedHook, startPlainly } from './plain-start.ts';
import { startReady } from './ready-shells.ts';
import { killRun, onRunEnd, terminateRun } from './run-end.ts';
import { mayHaveStrays } from './strays.ts';
import { takeTurn } from './turns.ts';
import { forgetRun, isWatched, loseLeader, watchRun } from './watchdog.ts';

/**
 * Runs one hook command and reports what it did; it knows no policy and no deadline.
 *
 * It waits for its turn where too many hooks run already. It reports `process.closed` once the
 * command has exited and nothing that it started lives or holds its streams any more, or when told to
 * `collect` what there is; before that, if it is not so as soon as the command exits, `process.exited`.
 * A hook that is ended before its turn never runs.
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
    try {
      watchRun(run);
      child.once('exit', (exitCode, signal) => {
        this.#ended = { exitCode, signal, durationMs: performance.now() - this.#startedAt };
        loseLeader(run);
        streams.readOn();
        this.#settle();
        if (!this.#closed) report({ type: 'process.exited' });
      });
      streams.attach(child, () => this.#settle());
    } catch (error) {
      killRun(run);
      this.#release();
      throw error;
    }
    report({ type: 'process.started', pid });
  }

  obey(order: ProcessOrder): void {
    if (this.#closed || this.#hook.child.pid === undefined) return;
    if (order.type === 'collect') return this.#close();
    if (order.type === 'kill') killRun(this.#hook.run);
    else terminateRun(this.#hook.run);
    this.#isEnding = true;
    this.#settle();
  }

  /** The machine has let go of the hook: nothing of it may stay. */
  abandon(): void {
    if (this.#closed) return;
    if (this.#hook.child.pid !== undefined) killRun(this.#hook.run);
    this.#release();
    this.#endTurn();
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
    this.#callOff ??= onRunEnd(run, () => setImmediate(() => this.#close()));
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
    if (this.#hook.child.pid !== undefined) forgetRun(this.#hook.run);
  }
}

/** Why there is no process; where the folder is missing, the system says that the shell is. */
function toError(error: unknown, { cwd }: HookCommand): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if (!('syscall' in error) || existsSync(`${cwd}/.`)) return error;
  return new Error(`${cwd} is no folder to run in (${error.message})`, { cause: error });
}
