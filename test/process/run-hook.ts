import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { type ActorOptions, createActor, fromCallback, toPromise } from 'xstate';
import {
  type HookExit,
  type HookProcessInput,
  type HookProcessOutcome,
  hookProcessMachine,
  type LeftBehind,
} from '../../machines/hook-process.ts';
import { livingGroups } from '../../src/process/processes.ts';
import { hookProcess } from '../../src/process/index.ts';
import { waitUntil } from '../support/until.ts';

export { isAlive } from '../support/until.ts';

export interface Options {
  readonly timeout?: number;
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly stdin?: string | (() => string);
  readonly leftBehind?: LeftBehind;
  /** What starts the time of the deadline, however slow the machine is; a file: its writing by the hook. */
  readonly deadlineFrom?: string | (() => boolean);
  /** The clock of its deadlines. */
  readonly clock?: Clock;
  /** How long what the hook left is given to end by itself, in ms; then how long after SIGTERM. */
  readonly drain?: number;
  readonly sweep?: number;
  /** How long SIGTERM is given to the hook, in ms. */
  readonly grace?: number;
}

type Clock = NonNullable<ActorOptions<typeof machine>['clock']>;

const machine = hookProcessMachine.provide({ actors: { process: fromCallback(hookProcess) } });

export function inputFor(command: string, options: Options = {}): HookProcessInput {
  const { timeout = 60_000, cwd = tmpdir(), env = {}, stdin = '{}', leftBehind } = options;
  return {
    name: 'hook',
    timeout,
    ...(leftBehind && { leftBehind }),
    command: { command, cwd, env, stdin: typeof stdin === 'string' ? () => stdin : stdin },
  };
}

/** A hook in its machine, not started yet. */
export function hookActor(command: string, options: Options = {}) {
  const { drain, sweep, grace, deadlineFrom, clock } = options;
  const delays = {
    ...(drain !== undefined && { drain }),
    ...(sweep !== undefined && { sweep }),
    ...(grace !== undefined && { grace }),
  };
  const input = inputFor(command, options);
  return createActor(machine.provide({ delays }), {
    input,
    ...(deadlineFrom !== undefined && { clock: clockFrom(deadlineFrom, input.timeout) }),
    ...(clock && { clock }),
  });
}

/** A clock on which delays of this length begin once the file is written, or this is so. */
function clockFrom(from: string | (() => boolean), delay: number): Clock {
  const hasBegun =
    typeof from === 'string'
      ? () => Boolean(statSync(from, { throwIfNoEntry: false })?.size)
      : from;
  return {
    setTimeout(elapsed: () => void, ms: number) {
      if (ms !== delay) return { timer: setTimeout(elapsed, ms) };
      const waiting = { timer: setInterval(look, 5) };
      function look(): void {
        if (!hasBegun()) return;
        clearInterval(waiting.timer);
        waiting.timer = setTimeout(elapsed, ms);
      }
      return waiting;
    },
    clearTimeout: ({ timer }: { timer: NodeJS.Timeout }) => clearTimeout(timer),
  };
}

/** Runs a hook through its machine to its outcome. */
export function runHook(command: string, options?: Options): Promise<HookProcessOutcome> {
  const actor = hookActor(command, options);
  const outcome = toPromise(actor);
  actor.start();
  return outcome;
}

/** Runs a hook that is to end by itself. */
export async function runToExit(
  command: string,
  options?: Options,
): Promise<HookExit & { leftBackground: boolean }> {
  const outcome = await runHook(command, options);
  if (outcome.status === 'failed') throw outcome.error;
  if (outcome.status !== 'exited') throw new Error(`not exited: ${JSON.stringify(outcome)}`);
  return { ...outcome.exit, leftBackground: outcome.leftBackground };
}

/** Makes folders that are gone after the file's last test: concurrent tests cannot each clean up. */
export function foldersUntilTheEnd(): () => string {
  const all = mkdtempSync(join(tmpdir(), 'a test '));
  afterAll(() => rmSync(all, { recursive: true, force: true }));
  return () => mkdtempSync(join(all, 'cwd '));
}

/** The number that a hook wrote into a file, once it is there. */
export function numberIn(file: string): Promise<number> {
  return waitUntil(() => {
    try {
      return Number(/^(\d+)\n/.exec(readFileSync(file, 'utf8'))?.[1]);
    } catch {
      return 0;
    }
  });
}

/** Whether anything lives in the session that this process leads. */
export const lives = (leader: number): boolean => livingGroups(new Set([leader])).size > 0;

/** Blocks the event loop, as a host does that is busy, until this is so. */
export function blockUntil(isSo: () => boolean): void {
  const until = performance.now() + 60_000;
  while (!isSo()) {
    if (performance.now() > until) throw new Error('It did not come to be so.');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  }
}
