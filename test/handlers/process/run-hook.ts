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
} from '../../../machines/hook-process.ts';
import { livingGroups } from '../../../src/handlers/process/processes.ts';
import { runHookCommand } from '../../../src/handlers/process/index.ts';
import { waitUntil } from '../../support/until.ts';

export { isAlive } from '../../support/until.ts';

export interface Options {
  readonly timeout?: number;
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly stdin?: string | (() => string);
  readonly leftBehind?: LeftBehind;
  /**
   * What the deadline is counted from, however slow the machine is; a path: the time at which the hook writes
   * that file.
   */
  readonly deadlineFrom?: string | (() => boolean);
  /** The clock for its deadlines. */
  readonly clock?: Clock;
  /** How long what the hook left has to end by itself, in ms; then how long after SIGTERM. */
  readonly drain?: number;
  readonly sweep?: number;
  /** How long the hook has after SIGTERM, in ms. */
  readonly grace?: number;
}

type Clock = NonNullable<ActorOptions<typeof machine>['clock']>;

const machine = hookProcessMachine.provide({ actors: { process: fromCallback(runHookCommand) } });

export function inputFor(command: string, options: Options = {}): HookProcessInput {
  const { timeout = 60_000, cwd = tmpdir(), env = {}, stdin = '{}', leftBehind } = options;
  return {
    name: 'hook',
    timeout,
    ...(leftBehind && { leftBehind }),
    command: { command, cwd, env, stdin: typeof stdin === 'string' ? () => stdin : stdin },
  };
}

/** Creates a hook in its machine, not started yet. */
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

/** Creates a clock on which delays of this length begin once the file is written, or the condition holds. */
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

/** Runs a hook through its machine until its outcome. */
export function runHook(command: string, options?: Options): Promise<HookProcessOutcome> {
  const actor = hookActor(command, options);
  const outcome = toPromise(actor);
  actor.start();
  return outcome;
}

/** Runs a hook that must end by itself. */
export async function runToExit(
  command: string,
  options?: Options,
): Promise<HookExit & { leftBackground: boolean }> {
  const outcome = await runHook(command, options);
  if (outcome.status === 'failed') throw outcome.error;
  if (outcome.status !== 'exited') throw new Error(`not exited: ${JSON.stringify(outcome)}`);
  return { ...outcome.exit, leftBackground: outcome.leftBackground };
}

/** Makes folders that are removed after the file's last test: concurrent tests cannot each clean up. */
export function foldersUntilTheEnd(): () => string {
  const all = mkdtempSync(join(tmpdir(), 'a test '));
  afterAll(() => rmSync(all, { recursive: true, force: true }));
  return () => mkdtempSync(join(all, 'cwd '));
}

/** The number that a hook writes into a file, once it is there. */
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

/** Blocks the event loop, like a busy host, until the condition holds. */
export function blockUntil(isSo: () => boolean): void {
  const until = performance.now() + 60_000;
  while (!isSo()) {
    if (performance.now() > until) throw new Error('It did not come to be so.');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  }
}
