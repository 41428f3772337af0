import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, vi } from 'vitest';
import { createActor, toPromise } from 'xstate';
import {
  type HookExit,
  type HookProcessInput,
  type HookProcessOutcome,
  hookProcessMachine,
} from '../../machines/hook-process.ts';
import { livingGroups } from '../../src/process/group.ts';
import { hookProcess } from '../../src/process/hook-process.ts';
import { prepare } from '../../src/process/ready-shells.ts';

export interface Options {
  readonly timeout?: number;
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly stdin?: string | (() => string);
  /** How long SIGTERM is given, in ms. */
  readonly grace?: number;
}

const machine = hookProcessMachine.provide({ actors: { process: hookProcess } });

export function inputFor(command: string, options: Options = {}): HookProcessInput {
  const { timeout = 15_000, cwd = tmpdir(), env = {}, stdin = '{}' } = options;
  return {
    name: 'hook',
    timeout,
    command: { command, cwd, env, stdin: typeof stdin === 'string' ? () => stdin : stdin },
  };
}

/** A hook in its machine, not started yet, with a shell ready for it unless the environment forbids that. */
export function hookActor(command: string, options: Options = {}) {
  prepare(inputFor(command, options).command);
  return unpreparedActor(command, options);
}

function unpreparedActor(command: string, options: Options) {
  const { grace } = options;
  const provided = grace === undefined ? machine : machine.provide({ delays: { grace } });
  return createActor(provided, { input: inputFor(command, options) });
}

/** Runs a hook through its machine to its outcome. */
export function runHook(command: string, options?: Options): Promise<HookProcessOutcome> {
  return outcomeOf(hookActor(command, options));
}

function outcomeOf(actor: ReturnType<typeof hookActor>): Promise<HookProcessOutcome> {
  const outcome = toPromise(actor);
  actor.start();
  return outcome;
}

/** Runs a hook that is to end by itself. */
export async function runToExit(command: string, options?: Options): Promise<Exit> {
  return exitOf(await runHook(command, options));
}

/** Runs a hook that is to end by itself, with no shell but those that are ready already. */
export async function runUnprepared(command: string, options: Options = {}): Promise<Exit> {
  return exitOf(await outcomeOf(unpreparedActor(command, options)));
}

type Exit = HookExit & { leftBackground: boolean };

function exitOf(outcome: HookProcessOutcome): Exit {
  if (outcome.status === 'failed') throw outcome.error;
  if (outcome.status !== 'exited') throw new Error(`not exited: ${JSON.stringify(outcome)}`);
  return { ...outcome.exit, leftBackground: outcome.leftBackground };
}

/** Makes folders that are gone after the file's last test: concurrent tests cannot each clean up. */
export function foldersUntilTheEnd(): () => string {
  const all = mkdtempSync(join(tmpdir(), 'hookmachine test '));
  afterAll(() => rmSync(all, { recursive: true, force: true }));
  return () => mkdtempSync(join(all, 'cwd '));
}

/** The number that a hook wrote into a file, once it is there. */
export function numberIn(file: string): Promise<number> {
  return vi.waitUntil(
    () => {
      try {
        return Number(/^(\d+)\n/.exec(readFileSync(file, 'utf8'))?.[1]);
      } catch {
        return 0;
      }
    },
    { timeout: 15_000, interval: 5 },
  );
}

/** Whether anything lives in the session that this process leads. */
export const lives = (leader: number): boolean => livingGroups(new Set([leader])).size > 0;

/** Whether this process lives. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
