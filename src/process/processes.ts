import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { isShortage } from '../errors.ts';

/*
 * /proc, read the short way: between two events the host sleeps, and what `readFileSync` does beyond
 * open, read and close would be a tenth of what a small hook costs.
 */

let buffer: Buffer | undefined;

/** Kept to be given up for one look: a host that has run out of descriptors must find what it is to end. */
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
    // There is none to keep.
  }
}

/** What a file under /proc says, up to 1 MiB; throws where there is none. */
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

/** The same of a file that is looked at with every hook: it stays open. */
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

/** Whether /proc tells of the processes that this one sees: one from outside of a container numbers them otherwise. */
export function isOurs(): boolean {
  try {
    ours ??= readlinkSync('/proc/self') === String(process.pid);
  } catch {
    ours = false;
  }
  if (ours) keepSpare();
  return ours;
}

/** The numbers of all processes; throws where no look at them can be had. */
export const allPids = (): number[] =>
  withSpare(() => readdirSync('/proc'))
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** What the system tells of a process. */
interface Stat {
  readonly state: string;
  readonly group: number;
  readonly session: number;
  /** In the system's own ticks. */
  readonly startedAt: number;
  /** Whether it is known to have been started with no environment at all: one that is becoming another program shows none either. */
  readonly isBare: boolean;
}

/** What the system grants a process, and what it hands on to its children; not to a shell that was started before. */
export type Limits = readonly string[];

/** Of /proc/PID/stat, counted behind the name: how nice it is, its real-time priority, and its policy. */
const scheduling = [16, 37, 38];

/** The scheduling, limits, control groups and OOM score of this process; throws where no look at them can be had. */
export const ownLimits = (): Limits =>
  // They are looked at with every hook.
  limitsIn('/proc/self', fieldsOf(readAgain('/proc/self/stat')), readAgain);

/** Whether a process neither has ended nor is stopped, and has these; throws where no look at it can be had. */
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

/** What stands behind the command's name, which is in parentheses and may itself hold blanks and parentheses. */
const fieldsOf = (stat: string): string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ');

/** Undefined when the process is gone or out of our reach; throws where no look at it can be had. */
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

/** The environment that a process was started with, and undefined when it is gone or out of our reach; throws where no look at it can be had. */
export function environmentOf(pid: number): string | undefined {
  try {
    return readProc(`/proc/${pid}/environ`);
  } catch (error) {
    if (isShortage(error)) throw error;
    return undefined;
  }
}

/** How much of a command line is worth telling, in characters. */
const longestCommandLine = 200;

/** What a process was started as; undefined when it is gone. */
export function commandLineOf(pid: number): string | undefined {
  const line = tried(() => Buffer.from(readProc(`/proc/${pid}/cmdline`), 'latin1').toString())
    ?.replaceAll('\0', ' ')
    .trim();
  if (line === undefined || line === '') return tried(() => readProc(`/proc/${pid}/comm`).trim());
  return line.length > longestCommandLine ? `${line.slice(0, longestCommandLine)}…` : line;
}

/** The process that started this one, or that it was left to; undefined when it is gone, or no look at it can be had. */
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
 * A process started detached leads a process group and a session, both named by its pid. What it
 * starts stays in the session but may leave the group, as `timeout` does, or a shell after `set -m`.
 * So a group here means its leader's whole session, as far as the system lets us see that.
 */

/** Sends a signal to everything that lives in these groups. */
function signalGroups(leaders: ReadonlySet<number>, signal: NodeJS.Signals): void {
  for (const group of groupsOf(leaders)) {
    try {
      process.kill(-group, signal);
    } catch {
      // ESRCH: gone since. EPERM: what is left runs as another user, out of our reach.
    }
  }
}

/** Sends a signal to everything that lives in this group. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  signalGroups(new Set([leader]), signal);
}

/** Kills these groups, twice because a process may be between two groups when looked at. */
export function killGroups(leaders: ReadonlySet<number>): void {
  signalGroups(leaders, 'SIGKILL');
  signalGroups(leaders, 'SIGKILL');
}

/** Whether the system knows the leader's own group; one whose members are all dead but not reaped counts. */
export const groupExists = (leader: number): boolean => exists(-leader);

/** Whether the system knows this process; one that is dead but not reaped counts. */
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

/** Whether a signal of ours reaches this process; one that is gone is out of nobody's reach. */
export const canSignal = (pid: number): boolean =>
  withoutStacks(() => {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'EPERM';
    }
  });

/** What lives in the session of this leader; undefined where the system does not tell. */
export const sessionMembers = (leader: number): number[] | undefined =>
  livingProcesses()?.flatMap(({ pid, session }) => (session === leader ? [pid] : []));

/** Those of these groups in which something lives. */
export function livingGroups(leaders: ReadonlySet<number>): Set<number> {
  const processes = livingProcesses();
  // Where no look can be had just now, none is known to be gone.
  if (processes === undefined)
    return new Set([...leaders].filter((id) => isOurs() || groupExists(id)));
  return new Set(processes.map(({ session }) => session).filter((id) => leaders.has(id)));
}

/** Whether any process of the leader's own group still lives. */
export function isGroupAlive(leader: number): boolean {
  if (!groupExists(leader)) return false;
  return livingProcesses()?.some(({ group }) => group === leader) ?? true;
}

/** The groups inside the leaders' sessions; only those just seen, for the number of one that is gone may be a stranger's by now. */
function groupsOf(leaders: ReadonlySet<number>): ReadonlySet<number> {
  const processes = livingProcesses();
  if (processes === undefined) return leaders;
  return new Set(processes.filter(({ session }) => leaders.has(session)).map(({ group }) => group));
}

/** Every process that lives, or undefined where the system does not tell. One that died but was not reaped still answers signals; only its state tells. */
function livingProcesses(): { pid: number; group: number; session: number }[] | undefined {
  if (!isOurs()) return undefined;
  try {
    return allPids().flatMap((pid) => {
      const stat = statOf(pid);
      return stat === undefined || /[ZX]/.test(stat.state) ? [] : [{ pid, ...stat }];
    });
  } catch {
    return undefined;
  }
}

/** Runs what often fails, and says why by an error that nobody reads further: no stack is made for it, which would take the longest. */
export function withoutStacks<Made>(run: () => Made): Made {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
