import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { isShortage } from '../../base/errors.ts';

/*
 * Reads /proc with as few calls as possible: between two events the host sleeps, and what `readFileSync` does
 * beyond open, read and close would be a tenth of what a small hook costs.
 */

let buffer: Buffer | undefined;

/**
 * Kept so that it can be given up for one look: a host that has run out of file descriptors must still find
 * what it has to end.
 */
let spare: number | undefined;

function withSpare<Seen>(look: () => Seen): Seen {
  try {
    return look();
  } catch (error) {
    if (spare === undefined || !isShortage(error)) throw error;
    closeSync(spare);
    spare = undefined;
    try {
      return look();
    } finally {
      keepSpare();
    }
  }
}

function keepSpare(): void {
  try {
    spare ??= openSync('/proc/self/stat', 'r');
  } catch {
    // There is none left to keep.
  }
}

/** Returns the content of a file under /proc, up to 1 MiB; throws if there is none. */
function readProc(path: string): string {
  return withSpare(() => {
    const fd = openSync(path, 'r');
    try {
      return textOf(fd);
    } finally {
      closeSync(fd);
    }
  });
}

const kept = new Map<string, number>();

/** Does the same for a file that is read with every hook: the file stays open. */
export function readAgain(path: string): string {
  const fd = kept.get(path) ?? openSync(path, 'r');
  kept.set(path, fd);
  return textOf(fd);
}

function textOf(fd: number): string {
  buffer ??= Buffer.allocUnsafeSlow(16 * 1024);
  for (;;) {
    const length = readSync(fd, buffer, 0, buffer.length, 0);
    if (length < buffer.length || length >= 1024 * 1024)
      return buffer.toString('latin1', 0, length);
    buffer = Buffer.allocUnsafeSlow(4 * buffer.length);
  }
}

let ours: boolean | undefined;

/**
 * Whether /proc describes the processes that this one sees: one mounted from outside a container numbers them
 * differently.
 */
export function isProcOurs(): boolean {
  try {
    ours ??= readlinkSync('/proc/self') === String(process.pid);
  } catch {
    ours = false;
  }
  if (ours) keepSpare();
  return ours;
}

/** The numbers of all processes; throws if they cannot be read. */
export const allPids = (): number[] =>
  withSpare(() => readdirSync('/proc'))
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** What the system says about a process. */
interface Stat {
  readonly state: string;
  readonly group: number;
  readonly session: number;
  /** In the system's own ticks. */
  readonly startedAt: number;
  /**
   * Whether the process is known to have been started with no environment at all: one that is becoming
   * another program shows none either.
   */
  readonly isBare: boolean;
}

/**
 * What the system grants a process and the process hands on to its children, but not to a shell that was
 * started earlier.
 */
export type Limits = readonly string[];

/**
 * Indexes into /proc/PID/stat, counted after the name: nice value, real-time priority and scheduling policy.
 */
const scheduling = [16, 37, 38];

/** The scheduling, limits, control groups and OOM score of this process; throws if they cannot be read. */
export const ownLimits = (): Limits =>
  // They are read with every hook.
  limitsIn('/proc/self', fieldsOf(readAgain('/proc/self/stat')), readAgain);

/**
 * Whether a process has neither ended nor been stopped, and has these limits; throws if it cannot be
 * inspected.
 */
export function runsWith(pid: number, limits: Limits): boolean {
  const fields = fieldsOf(readProc(`/proc/${pid}/stat`));
  if (!/^[SRD]/.test(fields[0] ?? '')) return false;
  return limitsIn(`/proc/${pid}`, fields, readProc).every(
    (limit, index) => limit === limits[index],
  );
}

const limitsIn = (
  folder: string,
  stat: readonly string[],
  read: (path: string) => string,
): Limits => [
  scheduling.map((index) => stat[index]).join(' '),
  ...['limits', 'cgroup', 'oom_score_adj'].map((name) => read(`${folder}/${name}`)),
];

/**
 * The fields after the command's name, which is in parentheses and may itself contain blanks and parentheses.
 */
const fieldsOf = (stat: string): string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ');

/** Undefined if the process is gone or out of our reach; throws if it cannot be inspected. */
export function statOf(pid: number): Stat | undefined {
  try {
    const fields = fieldsOf(readProc(`/proc/${pid}/stat`));
    const [state = '', , group, session] = fields;
    const startedAt = Number(fields[19]);
    const [environmentStart, environmentEnd] = fields.slice(47, 49);
    const isBare = environmentEnd !== '0' && environmentStart === environmentEnd;
    return { state, group: Number(group), session: Number(session), startedAt, isBare };
  } catch (error) {
    if (isShortage(error)) throw error;
    return undefined;
  }
}

/**
 * The environment that a process was started with; undefined if the process is gone or out of our reach;
 * throws if it cannot be inspected.
 */
export function environOf(pid: number): string | undefined {
  try {
    return readProc(`/proc/${pid}/environ`);
  } catch (error) {
    if (isShortage(error)) throw error;
    return undefined;
  }
}

/** The longest part of a command line that is worth reporting, in characters. */
const longestCommandLine = 200;

/** The command line of a process; undefined if the process is gone. */
export function commandLineOf(pid: number): string | undefined {
  const line = tried(() => Buffer.from(readProc(`/proc/${pid}/cmdline`), 'latin1').toString())
    ?.replaceAll('\0', ' ')
    .trim();
  if (line === undefined || line === '') return tried(() => readProc(`/proc/${pid}/comm`).trim());
  return line.length > longestCommandLine ? `${line.slice(0, longestCommandLine)}…` : line;
}

/**
 * The process that started this one, or that adopted it; undefined if the process is gone or cannot be
 * inspected.
 */
export const parentOf = (pid: number): number | undefined =>
  tried(() => Number(fieldsOf(readProc(`/proc/${pid}/stat`))[1]));

/** The user that a process runs as. */
export const userOf = (pid: number): string | undefined =>
  tried(() => /^Uid:\s+(\d+)/m.exec(readProc(`/proc/${pid}/status`))?.[1]);

function tried<Seen>(look: () => Seen): Seen | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/*
 * A process started detached leads a process group and a session, both named by its pid. What it starts stays
 * in the session but may leave the group, as `timeout` does, or a shell after `set -m`. So a group here means
 * its leader's whole session, as far as the system lets us see it.
 */

/** Sends a signal to everything that lives in these groups. */
function signalGroups(leaders: ReadonlySet<number>, signal: NodeJS.Signals): void {
  for (const group of groupsOf(leaders)) {
    try {
      process.kill(-group, signal);
    } catch {
      // ESRCH: gone by now. EPERM: what is left runs as another user, out of our reach.
    }
  }
}

/** Sends a signal to everything that lives in this group. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  signalGroups(new Set([leader]), signal);
}

/** Kills these groups, twice because a process may have been between two groups when it was looked at. */
export function killGroups(leaders: ReadonlySet<number>): void {
  signalGroups(leaders, 'SIGKILL');
  signalGroups(leaders, 'SIGKILL');
}

/**
 * Whether the system knows the leader's own group; a group whose members are all dead but not reaped counts.
 */
export const groupExists = (leader: number): boolean => exists(-leader);

/** Whether the system knows this process; a process that is dead but not reaped counts. */
export const processExists = (pid: number): boolean => exists(pid);

function exists(target: number): boolean {
  return withoutStacks(() => {
    try {
      process.kill(target, 0);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  });
}

/** Whether our signals reach this process; a process that is gone is not out of reach. */
export const canSignal = (pid: number): boolean =>
  withoutStacks(() => {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'EPERM';
    }
  });

/** The living processes in this leader's session; undefined if the system does not tell. */
export const sessionMembers = (leader: number): number[] | undefined =>
  livingProcesses()?.flatMap(({ pid, session }) => (session === leader ? [pid] : []));

/** Those of these groups that have a living process. */
export function livingGroups(leaders: ReadonlySet<number>): Set<number> {
  const processes = livingProcesses();
  // If the processes cannot be read right now, no group is known to be gone.
  if (processes === undefined)
    return new Set([...leaders].filter((id) => isProcOurs() || groupExists(id)));
  return new Set(processes.map(({ session }) => session).filter((id) => leaders.has(id)));
}

/** Whether any process of the leader's own group still lives. */
export function isGroupAlive(leader: number): boolean {
  if (!groupExists(leader)) return false;
  return livingProcesses()?.some(({ group }) => group === leader) ?? true;
}

/**
 * The groups inside the leaders' sessions; only those just seen, because the number of one that is gone may
 * by now belong to a stranger.
 */
function groupsOf(leaders: ReadonlySet<number>): ReadonlySet<number> {
  const processes = livingProcesses();
  if (processes === undefined) return leaders;
  return new Set(processes.filter(({ session }) => leaders.has(session)).map(({ group }) => group));
}

/**
 * Every living process, or undefined if the system does not tell. A process that died but was not reaped
 * still accepts signals; only its state shows it.
 */
function livingProcesses(): { pid: number; group: number; session: number }[] | undefined {
  if (!isProcOurs()) return undefined;
  try {
    return allPids().flatMap((pid) => {
      const stat = statOf(pid);
      return stat === undefined || /[ZX]/.test(stat.state) ? [] : [{ pid, ...stat }];
    });
  } catch {
    return undefined;
  }
}

/**
 * Runs something that often fails with an error that nobody reads further: no stack is captured for it, which
 * would take the most time.
 */
export function withoutStacks<Made>(run: () => Made): Made {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
