import { closeSync, openSync, readSync, readdirSync, readlinkSync } from 'node:fs';
import { isShortage } from '../shortage.ts';

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
export interface Stat {
  readonly state: string;
  readonly group: number;
  readonly session: number;
  /** In the system's own ticks. */
  readonly startedAt: number;
  /** Whether it is known to have been started with no environment at all: one that is becoming another program shows none either. */
  readonly isBare: boolean;
}

/** Undefined when the process is gone or out of our reach; throws where no look at it can be had. */
export function statOf(pid: number): Stat | undefined {
  try {
    const stat = readProc(`/proc/${pid}/stat`);
    // The command name in parentheses may itself hold blanks and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
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
