import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { CallbackLogicFunction, EventObject } from 'xstate';
import type {
  HookCommand,
  HookExit,
  HookLeft,
  ProcessOrder,
  ProcessReport,
  Survivor,
  Whom,
} from '../../../machines/hook-process.ts';
import { isError } from '../../base/errors.ts';
import type { StartedHook, StartHook } from './plain-start.ts';
import { isOutOfReach, killRun, onRunEnd, survivorsOf, terminateRun } from './run-end.ts';
import { groupExists } from './processes.ts';
import { livingByMark, type Living, type Run } from './strays.ts';
import { forgetRun, isWatched, loseLeader, spareRun, watchRun } from './watchdog.ts';
import { boundToEvent } from '../../base/surroundings.ts';

/**
 * Runs one hook command and reports what it did; it knows no policy and no deadline. `startHook` starts the
 * command, or `startAhead` if it may be started ahead of its event.
 *
 * It waits for its turn if too many hooks are already running. It reports `process.closed` once the command
 * has exited and nothing that it started is alive or holds its streams any more, or when ordered to `leave`
 * what does, or to `collect` what there is. Before that, if something is left when the command exits, it
 * reports `process.exited` with what is left, and `process.left` whenever that has changed. A hook that is
 * ended before its turn never runs. Whether it may run is asked only when its turn has come: while it waits,
 * trust may be withdrawn and a script may be swapped.
 */
export const superviseHook =
  (
    startHook: StartHook,
    waitForTurn: typeof takeTurn,
    startAhead = startHook,
  ): CallbackLogicFunction<ProcessOrder, EventObject, HookCommand> =>
  ({ input, sendBack, receive }) => {
    const report: (report: ProcessReport) => void = sendBack;
    let running: RunningHook | undefined;
    let isOver = false;
    const start = (command: HookCommand, endTurn: () => void): void => {
      const startIt = command.prestart ? startAhead : startHook;
      if (!isOver) running = new RunningHook(startIt, command, report, endTurn);
    };
    const endTurn = waitForTurn((end) => {
      const fail = (error: unknown): void => {
        if (!isOver) report({ type: 'process.failed', error: toError(error, input) });
        end();
      };
      try {
        const admitted = input.admit?.() ?? input;
        if (!('then' in admitted)) return start(admitted, end);
        report({ type: 'process.admitting' });
        admitted.then((command) => start(command, end)).catch(fail);
      } catch (error) {
        fail(error);
      }
    });
    receive((order) => {
      if (running !== undefined) return running.obey(order);
      isOver = true;
      endTurn();
      report({ type: 'process.closed', exit: neverRan });
    });
    return () => {
      isOver = true;
      if (running === undefined) endTurn();
      else running.abandon();
    };
  };

const neverRan: HookExit = {
  exitCode: null,
  signal: null,
  stdout: '',
  stderr: '',
  truncated: [],
  durationMs: 0,
};

/** One hook, from its start until nothing of it is left, or what is left is no longer waited for. */
class RunningHook {
  readonly #report: (report: ProcessReport) => void;
  readonly #endTurn: () => void;
  readonly #startedAt = performance.now();
  readonly #hook: StartedHook;
  #ended: { exitCode: number | null; signal: string | null; durationMs: number } | undefined;
  /** What is being ended. */
  #ending: Whom | undefined;
  /** What was left at the last check, and what was last reported. */
  #living: Living = 'group';
  #reported: HookLeft | undefined;
  #callOff: (() => void) | undefined;
  #closed = false;

  constructor(
    startHook: StartHook,
    command: HookCommand,
    report: (report: ProcessReport) => void,
    endTurn: () => void,
  ) {
    this.#report = report;
    this.#endTurn = endTurn;
    this.#hook = startHook(command, command.stdin());
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
        this.#living = livingAfter(run);
        this.#settle();
      });
      streams.attach(child, () => {
        if (this.#ended !== undefined && this.#ending === undefined)
          this.#living = livingAfter(run);
        this.#settle();
      });
    } catch (error) {
      killRun(run, 'all');
      this.#release();
      throw error;
    }
    report({ type: 'process.started', pid });
  }

  obey(order: ProcessOrder): void {
    const { child, run } = this.#hook;
    if (this.#closed || child.pid === undefined) return;
    if (order.type === 'leave') return this.#leave();
    if (order.type === 'collect') return this.#giveUp();
    this.#ending = order.whom;
    if (order.type === 'kill') killRun(run, order.whom);
    else terminateRun(run, order.whom);
    this.#settle();
    if (!this.#closed && isOutOfReach(run, order.whom))
      this.#report({ type: 'process.unreachable' });
  }

  /** The machine has let go of the hook: nothing of it may remain. */
  abandon(): void {
    if (this.#closed) return;
    if (this.#hook.child.pid !== undefined) killRun(this.#hook.run, 'all');
    this.#release();
    this.#endTurn();
  }

  /**
   * Closes the run if nothing of the hook is left; otherwise reports what is, and checks again until nothing
   * is.
   */
  #settle(): void {
    if (this.#closed || this.#ended === undefined) return;
    const { run, streams } = this.#hook;
    // A stranger may hold a stream forever: streams are not waited for once an end was ordered.
    const left = { living: this.#living, output: this.#ending === undefined && !streams.ended };
    if (left.living === 'nothing' && !left.output) return this.#close();
    this.#callOff ??= onRunEnd(run, {
      whom: () => this.#ending ?? 'all',
      seen: (living) => this.#see(living),
      unreachable: () => {
        if (!this.#closed && this.#ending !== undefined)
          this.#report({ type: 'process.unreachable' });
      },
    });
    if (this.#reported === undefined) this.#report({ type: 'process.exited', left });
    else if (left.living !== this.#reported.living || left.output !== this.#reported.output)
      this.#report({ type: 'process.left', left });
    this.#reported = left;
  }

  #see(living: Living): void {
    this.#living = living;
    // What the dead processes have written is read in the next turn of the event loop.
    if (living === 'group') this.#settle();
    else setImmediate(() => this.#settle());
  }

  /** Closes the run, and leaves running what still lives. */
  #leave(): void {
    const { child, run, streams } = this.#hook;
    if (this.#living !== 'nothing') spareRun(run);
    streams.leave();
    this.#close();
    child.unref();
  }

  /**
   * Closes the run although something of it may still be alive, which then holds neither a turn nor the host.
   */
  #giveUp(): void {
    const { child, run } = this.#hook;
    const survivors = survivorsOf(run, this.#ending ?? 'all');
    this.#close(survivors);
    child.unref();
  }

  #close(survivors: readonly Survivor[] = []): void {
    if (this.#closed) return;
    const {
      exitCode = null,
      signal = null,
      durationMs = performance.now() - this.#startedAt,
    } = this.#ended ?? {};
    const exit = {
      exitCode,
      signal,
      ...this.#hook.streams.read(),
      durationMs,
      ...(survivors.length > 0 && { survivors }),
    };
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

/** Why there is no process; if the folder is missing, the system blames the shell. */
function toError(error: unknown, { cwd }: HookCommand): Error {
  if (!isError(error)) return new Error(String(error));
  if (!('syscall' in error) || existsSync(`${cwd}/.`)) return error;
  return new Error(`${cwd} is not a folder to run in (${error.message})`, { cause: error });
}

/*
 * How many hooks run at once.
 *
 * Hooks wait more than they compute: for a server, for a lock, for a model. A limit of one per core
 * would let two slow servers hold up every guard behind them. None at all would let a thousand tool
 * calls start a thousand shells, which makes each of them miss its deadline. So there are several
 * per core, and on small machines still more than the hooks of one event.
 */

const perCore = 4;
const fewest = 16;

let turnsTaken = 0;
const waiting: (() => void)[] = [];
let next: NodeJS.Immediate | undefined;
let rejectedLimit: string | undefined;

/**
 * Begins a hook as soon as fewer hooks run than may, in the order of asking; `begin` receives the function
 * that ends its turn. Returns the same function, which works whether the turn was taken or is still awaited.
 *
 * The limit is the environment variable `HOOKMACHINE_HOOK_LIMIT`, by default 4 for each core and at least 16.
 * It counts only this process's hooks, so that a hook may itself run `hookmachine fire`.
 */
export function takeTurn(begin: (end: () => void) => void): () => void {
  let state: 'waiting' | 'taken' | 'over' = 'waiting';
  // Another event may end its turn, and so begin this one.
  const take = boundToEvent(() => {
    state = 'taken';
    turnsTaken++;
    begin(end);
  });
  const end = (): void => {
    if (state === 'waiting') waiting.splice(waiting.indexOf(take), 1);
    if (state === 'taken') turnsTaken--;
    state = 'over';
    next ??= setImmediate(beginNext);
  };
  if (waiting.length === 0 && turnsTaken < limit()) take();
  else waiting.push(take);
  return end;
}

/** Begins at once, and takes no turn from those that wait. */
export function takeNoTurn(begin: (end: () => void) => void): () => void {
  begin(nothing);
  return nothing;
}

const nothing = (): void => undefined;

/**
 * Begins the hook that has waited longest, and leaves the others to a later turn of the event loop: starting
 * blocks the host, and answers must be read in between.
 */
function beginNext(): void {
  next = undefined;
  if (waiting.length === 0 || turnsTaken >= limit()) return;
  waiting.shift()!();
  next ??= setImmediate(beginNext);
}

function limit(): number {
  const wanted = process.env['HOOKMACHINE_HOOK_LIMIT'];
  if (wanted !== undefined && /^[1-9]\d*$/.test(wanted)) return Number(wanted);
  if (wanted !== undefined && wanted !== '' && wanted !== rejectedLimit) {
    rejectedLimit = wanted;
    process.emitWarning(
      `HOOKMACHINE_HOOK_LIMIT is "${wanted}": set it to a whole number of at least 1, or unset it.`,
    );
  }
  return Math.max(fewest, perCore * availableParallelism());
}

/** What is alive of a run just after its leader has ended. */
const livingAfter = (run: Run): Living =>
  groupExists(run.leader) ? 'group' : livingByMark(run, isWatched);
