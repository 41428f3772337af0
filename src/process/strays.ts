import { existsSync, readdirSync } from 'node:fs';
import { isOurs, readAgain, readProc, statOf } from './proc.ts';

/*
 * What a hook starts may leave the hook's session: by `setsid`, or as a daemon that forks twice. No
 * number of a group or session leads to it any more. But it was born after the hook began, and it
 * carries the environment that it was born with, in which stands whose it is.
 */

/** The environment variable that says which hook a process belongs to: one mark for each host that the hook runs under, the inner ones last. */
export const markName = 'HOOKMACHINE_HOOK';

/** What all marks of this process begin with. */
export const hostMark = `${process.pid}.${Date.now().toString(36)}${Math.random().toString(36).slice(2, 10)}.`;

/** One run of a hook, as far as its strays can be told from others. */
export interface Run {
  readonly mark: string;
  /** The process that leads the hook's session. */
  readonly leader: number;
  /** The number that the system gave last when the run began; undefined where it does not tell. */
  readonly after: number | undefined;
}

let marks = 0;

/** A mark for one run that is to come. */
export const newMark = (): string => `${hostMark}${marks++};`;

/** The environment with a mark. */
export const marked = (
  env: Readonly<Record<string, string | undefined>>,
  mark: string,
): Record<string, string | undefined> => ({ ...env, [markName]: (env[markName] ?? '') + mark });

/** The number that the system gave last to a process or thread. */
export function lastPid(): number | undefined {
  try {
    return Number(/\d+$/.exec(readAgain('/proc/loadavg').trimEnd())?.[0]);
  } catch {
    return undefined;
  }
}

/** More numbers than this are not tried one after the other. */
const many = 256;

/**
 * Whether anything may live that left this run's session. One that is just becoming another program
 * shows no environment for a moment, and counts, unless it is in a session that `isHook` knows.
 */
export function mayHaveStrays(run: Run, isHook: (session: number) => boolean): boolean {
  for (const found of foundIn(run, isHook)) return found !== undefined;
  return false;
}

/** What lives and left this run's session. */
export const straysOf = (run: Run): number[] =>
  [...foundIn(run)].filter((found) => typeof found === 'number');

/** Sends a signal to what left this run's session. */
export function signalStrays(run: Run, signal: NodeJS.Signals): void {
  for (const pid of straysOf(run)) send(pid, signal);
}

/** Kills what left these runs' sessions, and again what that started in between. */
export function killStrays(runs: Iterable<Run>): void {
  for (const run of runs)
    for (let round = 0, found = straysOf(run); found.length > 0 && round < 10; round++) {
      for (const pid of found) send(pid, 'SIGKILL');
      found = straysOf(run);
    }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: gone since. EPERM: it runs as another user, out of our reach.
  }
}

/** The strays of a run, and `unsure` for what may be one. */
function* foundIn(
  { mark, leader, after }: Run,
  isHook: (session: number) => boolean = () => false,
): Generator<number | 'unsure'> {
  if (!isOurs()) return;
  // What is found may have started something by then; but who is without end must not hold the host.
  for (let round = 0, from = after, to = lastPid(); to !== from && round < 10; round++) {
    for (const pid of numbers(from, to)) {
      if (!existsSync(`/proc/${pid}`)) continue;
      const environment = environmentOf(pid);
      if (environment !== '' && !environment.includes(mark)) continue;
      const stat = statOf(pid);
      // Of the dead only their number is left, and the system's own threads have no session.
      if (stat === undefined || /[ZX]/.test(stat.state)) continue;
      if (stat.session === leader || stat.session === 0) continue;
      if (environment !== '') yield pid;
      else if (!isHook(stat.session)) yield 'unsure';
    }
    [from, to] = [to, lastPid()];
  }
}

/** The numbers that the system gave behind `from`, up to `to`; all that are in use where those are too many, or began again from below. */
function numbers(from: number | undefined, to: number | undefined): Iterable<number> {
  if (from !== undefined && to !== undefined && to >= from && to - from <= many)
    return Array.from({ length: to - from }, (_, index) => from + 1 + index);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function environmentOf(pid: number): string {
  try {
    return readProc(`/proc/${pid}/environ`);
  } catch {
    // It ended while we looked, or runs as another user, out of our reach.
    return 'unreadable';
  }
}
