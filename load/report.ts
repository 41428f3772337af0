import { cpus, release, totalmem } from 'node:os';
import { growth, mostGrowth, warmed } from './claims.ts';
import type { Slice } from './host.ts';
import { kinds } from './kinds.ts';
import type { Kills } from './kills.ts';
import type { Run } from './run-load.ts';

const out = (line = ''): void => void process.stdout.write(`${line}\n`);

const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

/** Prints where it runs, and what is called. */
export function printMixture(): void {
  const [cpu] = cpus();
  out(
    `${cpus().length} × ${cpu?.model.trim() || 'an unnamed processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.version}`,
  );
  const shares = kinds.map(({ name, share }) => `${name} ${share}`).join(', ');
  out(
    `Of 1,000 calls: ${shares}; each batch ends with a stop, and one call next to it is cancelled.`,
  );
}

const columns = ['calls', 'calls/s', 'heap MB', 'rss MB', 'descriptors', 'processes'];

const row = (cells: readonly string[]): void =>
  out(cells.map((cell, index) => cell.padStart(columns[index]!.length + 2)).join(''));

/** Prints the head of a run's table. */
export function printHead(title: string): void {
  out(`\n${title}`);
  row(columns);
}

/** Prints a line of a run's table; `before` is the number of calls before it. */
export function printSlice({ calls, seconds, heap, rss, ...held }: Slice, before: number): void {
  const pace = Math.round((calls - before) / seconds);
  const { descriptors, processes } = held;
  row([calls, pace, megabytes(heap), megabytes(rss), descriptors, processes].map(String));
}

/** Prints the results of a run. */
export function printRun({ slices, end, left }: Run, broken: readonly string[]): void {
  const seconds = slices.reduce((sum, slice) => sum + slice.seconds, 0);
  const later = warmed(slices);
  if (end && later.length > 1) {
    const calls = later.at(-1)!.calls - later[0]!.calls;
    out(
      `${slices.at(-1)!.calls} calls in ${seconds.toFixed(1)} s; the heap grows by ${growth(later).toFixed(1)} bytes a call (at most ${mostGrowth(calls).toFixed(1)}); ${end.begun} machines seen to begin, ${end.ended} to end; ${end.toReport} hooks should have been reported to the user, and were reported ${end.reported} times; ${end.wrongs} wrong results; ${end.uncaught.length} uncaught; ${left} processes left`,
    );
  }
  printBroken(broken);
}

/** Prints the results of killing hosts. */
export function printKills(
  { kills, alive, left, entries, torn }: Kills,
  broken: readonly string[],
) {
  out(
    `\nKill -9 of the host, ${kills} times: ${alive} processes of hooks were alive then, ${left} a moment later; of its recordings ${entries} entries were read, and ${torn} torn lines reported`,
  );
  printBroken(broken);
}

function printBroken(broken: readonly string[]): void {
  for (const claim of broken) out(`BROKEN: ${claim}`);
}
