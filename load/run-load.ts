import { setTimeout as sleep } from 'node:timers/promises';
import { processesWith } from '../faults/processes.ts';
import type { LoadEnd, LoadOrder, LoadReport, Slice } from './host.ts';
import { startHost } from './start-host.ts';
import { leftOf } from './left.ts';

/** The results of a run. */
export interface Run {
  readonly slices: readonly Slice[];
  /** Absent when the host ended before its calls did. */
  readonly end?: LoadEnd;
  /** Its exit code, or the signal that ended it. */
  readonly exit: number | string;
  /** Processes of its hooks that stayed alive. */
  readonly left: number;
}

/** How long a host may take to end by itself once its calls are made, in ms. */
const patience = 60_000;

/** Makes this many calls in a separate host. */
export async function runLoad(
  order: Omit<LoadOrder, 'mark'>,
  onSlice: (slice: Slice) => void = () => undefined,
): Promise<Run> {
  const mark = `load-${process.pid}-${Date.now()}`;
  const { child, ended, remove } = await startHost('host.ts', order.plain);
  const slices: Slice[] = [];
  let end: LoadEnd | undefined;
  child.on('message', (report: LoadReport) => {
    if ('end' in report) return void (end = report.end);
    slices.push(report.slice);
    onSlice(report.slice);
  });
  const isDone = new AbortController();
  child.once('disconnect', () => {
    sleep(patience, undefined, { signal: isDone.signal, ref: false }).then(
      () => child.kill('SIGKILL'),
      () => undefined,
    );
  });
  child.send({ ...order, mark } satisfies LoadOrder);
  const exit = await ended;
  isDone.abort();
  const left = await leftOf(mark);
  for (const pid of processesWith(mark)) process.kill(pid, 'SIGKILL');
  remove();
  return { slices, exit, left, ...(end && { end }) };
}
