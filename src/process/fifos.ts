import { spawnSync } from 'node:child_process';
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './find-program.ts';
import { scratchFolder } from './scratch.ts';

/** How many FIFOs are made at once; more and more, because each time costs a process. */
const [fewest, most] = [8, 512];

let folder: string | undefined;
let made = 0;
let free: string[] = [];

/** The path of a FIFO that nobody has open; throws where none can be made. */
export function takeFifo(): string {
  const current = scratchFolder();
  if (folder !== current) {
    folder = current;
    free = [];
  }
  if (free.length === 0) makeMore(folder);
  return free.pop()!;
}

/** Gives a FIFO back. One that something may still have open must not serve another hook. */
export function returnFifo(path: string, isClean: boolean): void {
  if (isClean) {
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
  const count = Math.max(fewest, Math.min(made, most));
  const paths = Array.from({ length: count }, () => join(inside, `pipe-${made++}`));
  const mkfifo = findProgram('mkfifo');
  if (mkfifo === undefined) throw new Error('The PATH has no mkfifo.');
  const { status, error } = spawnSync(mkfifo, ['-m', '600', ...paths], { stdio: 'ignore' });
  if (error !== undefined || status !== 0) throw error ?? new Error('mkfifo failed');
  free.push(...paths);
}
