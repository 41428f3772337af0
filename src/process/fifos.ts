import { spawnSync } from 'node:child_process';
import { existsSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findProgram, isExecutable } from './find-program.ts';
import { scratchFolder } from './scratch.ts';
import { tellToMake } from './watchdog.ts';

/** How many FIFOs are made at once; more and more, because each time costs a process. */
const [fewest, most] = [8, 512];

let folder: string | undefined;
let made = 0;
let free: string[] = [];
let ordered: string[] = [];

/** Has the first of them made while the host does something else. */
export function orderFifos(): void {
  try {
    const inside = currentFolder();
    const names = nextNames(fewest);
    ordered = names.map((name) => join(inside, name));
    tellToMake(names);
  } catch {
    // Where there is no folder for them, hooks get Node's pipes.
  }
}

/** The path of a FIFO that nobody has open; throws where none can be made. */
export function takeFifo(): string {
  const inside = currentFolder();
  if (free.length === 0 && ordered.length > 0 && ordered.every((path) => existsSync(path)))
    free = ordered.splice(0);
  if (free.length === 0) makeMore(inside);
  return free.pop()!;
}

function currentFolder(): string {
  const current = scratchFolder();
  if (folder !== current) {
    folder = current;
    free = [];
    ordered = [];
  }
  return folder;
}

/** Gives a FIFO back. One that something may still have open must not serve another hook. */
export function returnFifo(path: string, isClean: boolean): void {
  // A cleaner may have removed the folder, and another has taken its place.
  if (isClean && folder !== undefined && dirname(path) === folder) {
    free.push(path);
    return;
  }
  try {
    unlinkSync(path);
  } catch {
    // gone with its folder
  }
}

function makeMore(inside: string): void {
  const paths = nextNames(Math.max(fewest, Math.min(made, most))).map((name) => join(inside, name));
  const mkfifo = ['/usr/bin/mkfifo', '/bin/mkfifo'].find(isExecutable) ?? findProgram('mkfifo');
  if (mkfifo === undefined) throw new Error('The PATH has no mkfifo.');
  const { status, error } = spawnSync(mkfifo, ['-m', '600', ...paths], { stdio: 'ignore' });
  if (error !== undefined || status !== 0) throw error ?? new Error('mkfifo failed');
  free.push(...paths);
}

const nextNames = (count: number): string[] =>
  Array.from({ length: count }, () => `pipe-${made++}`);
