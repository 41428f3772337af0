import { existsSync } from 'node:fs';
import type { HookLeft, Whom } from '../../../machines/hook-process.ts';
import { allPids, environOf, isProcOurs, readAgain, statOf } from './processes.ts';

/*
 * What a hook starts may leave the hook's session: by `setsid`, or as a daemon that forks twice. No group or
 * session number leads to it any more. But it was born after the hook began, and it carries the environment
 * that it was born with, which says whose it is.
 */

/**
 * The environment variable that says which hook a process belongs to: one mark for each host that the hook
 * runs under, the innermost last.
 */
export const markName = 'HOOKMACHINE_HOOK';

/** The common prefix of all marks of this process. */
export const hostMark = `${process.pid}.${Date.now().toString(36)}${Math.random().toString(36).slice(2, 10)}.`;

/** What is alive of a run. */
export type Living = HookLeft['living'];

/** One run of a hook, with what distinguishes its strays from other processes. */
export interface Run {
  readonly mark: string;
  /** The process that leads the hook's session. */
  readonly leader: number;
  /**
   * Whatever the leader starts from now on has a later number than this one; undefined if the system does not
   * tell.
   */
  readonly after: number | undefined;
  /** Processes that the leader had started before. */
  readonly early?: readonly number[];
}

let marks = 0;

/** Creates the mark for a new run. */
export const newMark = (): string => `${hostMark}${marks++};`;

/** Returns the environment with a mark added. */
export const marked = (
  env: Readonly<Record<string, string | undefined>>,
  mark: string,
): Record<string, string | undefined> => ({ ...env, [markName]: (env[markName] ?? '') + mark });

/** The last number that the system gave to a process or thread, if the system tells. */
export function lastPid(): number | undefined {
  try {
    const number = /\d+$/.exec(readAgain('/proc/loadavg').trimEnd())?.[0];
    return number === undefined ? undefined : Number(number);
  } catch {
    return undefined;
  }
}

/** Larger ranges of numbers are not tried one by one. */
const many = 256;

/** What `lastPid` returned before or after the latest process was started. */
let told: number | undefined;

/** Called before a process is started, so that `tellsPids` can judge by it. */
export function askForPids(): void {
  told ??= lastPid() ?? 0;
}

/**
 * Whether `lastPid` is reliable, judged by a process that was just started: it has counted on since the one
 * before. Sandboxes report nothing there, or always the same, or numbers of another system.
 */
export function tellsPids(pid: number): boolean {
  const before = told ?? 0;
  told = lastPid() ?? 0;
  return before < pid && pid <= told && told - pid <= many;
}

/**
 * What is alive of this run: something in its leader's session, or only what left it, or nothing. A leader of
 * another session that `isHook` knows is another hook, and so is whatever cannot be distinguished from it. If
 * the processes cannot be read, something may be alive.
 */
export function livingByMark(run: Run, isHook: (session: number) => boolean): Living {
  const isOthers = (session: number): boolean => session !== run.leader && isHook(session);
  let living: Living = 'nothing';
  try {
    for (const { session } of candidatesOf(run, isOthers)) {
      if (session === run.leader) return 'group';
      living = 'daemons';
    }
  } catch {
    return 'group';
  }
  return living;
}

/**
 * Sends a signal to what left this run's session, if that is meant, and to what is in it, unless the session
 * has already received it.
 */
export function signalStrays(
  run: Run,
  signal: NodeJS.Signals,
  whom: Whom,
  isSessionSignalled: boolean,
): void {
  for (const { pid, session } of markedProcesses(run, whom))
    if (!isSessionSignalled || session !== run.leader) send(pid, signal);
}

/**
 * Kills what left this run's session, if that is meant, and what is in it, and then what those started in the
 * meantime.
 */
export function killStrays(run: Run, whom: Whom): void {
  for (let round = 0, found = markedProcesses(run, whom); found.length > 0 && round < 10; round++) {
    for (const { pid } of found) send(pid, 'SIGKILL');
    found = markedProcesses(run, whom);
  }
}

/** The processes that carry the mark of this run, in its session or elsewhere. */
export const markedPids = (run: Run, whom: Whom): number[] =>
  markedProcesses(run, whom).map(({ pid }) => pid);

function markedProcesses(run: Run, whom: Whom): Candidate[] {
  try {
    return [...candidatesOf(run)].filter(
      ({ isMarked, session }) => isMarked && (whom === 'all' || session === run.leader),
    );
  } catch {
    return [];
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: gone by now. EPERM: it runs as another user, out of our reach.
  }
}

/** A process that may belong to a run. */
interface Candidate {
  readonly pid: number;
  readonly session: number;
  /** If false, the process did not show in time whose it is. */
  readonly isMarked: boolean;
}

function* candidatesOf(
  { mark, after, early = [] }: Run,
  isOthers: (session: number) => boolean = () => false,
): Generator<Candidate> {
  if (!isProcOurs()) return;
  yield* markedOf(early, mark, isOthers);
  let [from, to] = [after, after === undefined ? undefined : lastPid()];
  if (after !== undefined && to === after) return;
  // What is found may have started something meanwhile; but a process that forks without end must not hold up
  // the host.
  for (let round = 0; round < 10; round++) {
    yield* markedOf(numbers(from, to), mark, isOthers);
    [from, to] = [to, to === undefined ? undefined : lastPid()];
    if (from === to) return;
  }
}

/**
 * The numbers that the system gave after `from`, up to `to`; all numbers in use if those are too many,
 * wrapped around, or are unknown.
 */
function numbers(from: number | undefined, to: number | undefined): Iterable<number> {
  if (from === undefined || to === undefined || to < from || to - from > many) return allPids();
  return Array.from({ length: to - from }, (_, index) => from + 1 + index);
}

/** How often a process that shows no environment is checked, and how long each check waits, in ms. */
const [looks, glance] = [8, 0.5];

/**
 * Those of these processes that are alive and carry the mark, and those that do not show in time whether they
 * do.
 */
function* markedOf(
  pids: Iterable<number>,
  mark: string,
  isOthers: (session: number) => boolean,
): Generator<Candidate> {
  let unclear: Candidate[] = [];
  for (const pid of pids) {
    if (isOthers(pid) || !existsSync(`/proc/${pid}`)) continue;
    const environment = environOf(pid);
    if (environment !== '' && environment?.includes(mark) !== true) continue;
    const stat = statOf(pid);
    // Of dead processes only the number is left, and the system's own threads have no session.
    if (stat === undefined || /[ZX]/.test(stat.state) || stat.session === 0) continue;
    const { session, startedAt } = stat;
    if (environment !== '') yield { pid, session, isMarked: true };
    else if (startedAt >= ownStart() && !isOthers(session))
      unclear.push({ pid, session, isMarked: false });
  }
  // A process that is just becoming another program shows no environment for a moment.
  for (let look = 0; unclear.length > 0 && look < looks; look++) {
    Atomics.wait(nobody, 0, 0, glance);
    const seen = unclear;
    unclear = [];
    for (const one of seen) {
      const environment = environOf(one.pid);
      if (environment === '') unclear.push(one);
      else if (environment?.includes(mark)) yield { ...one, isMarked: true };
    }
  }
  // On a busy machine this moment is longer; a run that is waited for is checked again.
  for (const one of unclear) if (statOf(one.pid)?.isBare === false) yield one;
}

let started: number | undefined;
const ownStart = (): number => (started ??= statOf(process.pid)?.startedAt ?? 0);

/** Never notified: it exists only to be waited on. */
const nobody = new Int32Array(new SharedArrayBuffer(4));
