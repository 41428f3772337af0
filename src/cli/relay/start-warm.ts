import { spawn } from 'node:child_process';
import { closeSync, lstatSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../base/folders.ts';
import { statOf } from '../../handlers/process/index.ts';
import { textIn } from '../../settings/files/read-bounded.ts';

/** How long a start may take, in ms; after that, another one is tried. */
const patience = 10_000;

/** The file that says that a warm process is being started. */
export const startingMark = (socket: string): string => `${socket}.starting`;

/** Whether a folder belongs to this user, and nobody else can enter it. */
export function isOnlyOurs(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return (
    stats?.isDirectory() === true && stats.uid === process.geteuid?.() && (stats.mode & 0o077) === 0
  );
}

/**
 * Starts a process that takes the next events over this socket. Where that is not possible, each event goes
 * on having a process of its own.
 */
export function startWarm(socket: string): void {
  try {
    makeFolder(dirname(socket), 0o700);
    if (!isOnlyOurs(dirname(socket)) || !markStart(startingMark(socket))) return;
    const args = [...process.execArgv, process.argv[1]!, 'warm', socket];
    const started = spawn(process.execPath, args, { cwd: '/', detached: true, stdio: 'ignore' });
    started.once('error', () => undefined).unref();
    writeFileSync(startingMark(socket), String(started.pid ?? ''));
  } catch {
    // A full disk or a read-only home, for example.
  }
}

/** Returns whether nobody else is starting one now. */
function markStart(file: string): boolean {
  const made = lstatSync(file, { throwIfNoEntry: false });
  if (made !== undefined && Date.now() - made.mtimeMs < patience && isAlive(textIn(file)))
    return false;
  if (made !== undefined) rmSync(file, { force: true });
  try {
    closeSync(openSync(file, 'wx', 0o600));
    return true;
  } catch {
    return false;
  }
}

/** Whether this process is there; as long as its number is not known, it is. */
const isAlive = (pid: string | undefined): boolean =>
  !pid || !['Z', undefined].includes(statOf(Number(pid))?.state);
