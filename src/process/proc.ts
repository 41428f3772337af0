import { closeSync, openSync, readSync, readlinkSync } from 'node:fs';

/*
 * /proc, read the short way: between two events the host sleeps, and what `readFileSync` does beyond
 * open, read and close would be a tenth of what a small hook costs.
 */

let buffer: Buffer | undefined;

/** What a file under /proc says, up to 1 MiB; throws where there is none. */
export function readProc(path: string): string {
  const fd = openSync(path, 'r');
  try {
    return textOf(fd);
  } finally {
    closeSync(fd);
  }
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
  return ours;
}

/** State, group and session of a process, and undefined when it is gone. */
export function statOf(
  pid: number | string,
): { state: string; group: number; session: number } | undefined {
  try {
    const stat = readProc(`/proc/${pid}/stat`);
    // The command name in parentheses may itself hold blanks and parentheses.
    const [state = '', , group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, group: Number(group), session: Number(session) };
  } catch {
    return undefined;
  }
}
