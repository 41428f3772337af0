import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { descriptorsOfWaitingHook, openDescriptors, processesWith } from '../faults/processes.ts';

/** What a host holds while nothing runs. */
export interface Held {
  /** In bytes, after the garbage was collected: the heap, and what it holds outside of it. */
  readonly heap: number;
  /** In bytes. */
  readonly rss: number;
  readonly descriptors: number;
  /** Processes of hooks, also of those that wait for their next event. */
  readonly processes: number;
}

type Counts = Pick<Held, 'descriptors' | 'processes'>;

/** The descriptors that are not those of hooks that wait, of which there may be more or fewer. */
export const ofNoneWaiting = ({ descriptors, processes }: Counts): number =>
  descriptors - descriptorsOfWaitingHook * processes;

/** How long the system may take to take away what has ended, in ms. */
const settling = 20_000;

/**
 * Looks at what this process holds, once that changes no more and no more is left than may be, or time
 * is up; descriptors of hooks that wait are none of those left. `mark` stands in the environment of
 * its hooks.
 */
export async function lookAtHeld(mark: string, mayBeLeft: Counts): Promise<Held> {
  const counts = await settled(
    () => ({ processes: processesWith(mark).length, descriptors: openDescriptors() }),
    mayBeLeft,
  );
  // What ends with a first collection lets go of more.
  for (let round = 0; round < 3; round++) {
    await sleep(20);
    globalThis.gc!();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, rss, ...counts };
}

async function settled(count: () => Counts, mayBeLeft: Counts): Promise<Counts> {
  const patientUntil = performance.now() + settling;
  for (let before = count(); ;) {
    await sleep(50);
    const now = count();
    const isSettled =
      isDeepStrictEqual(now, before) &&
      now.processes <= mayBeLeft.processes &&
      ofNoneWaiting(now) <= mayBeLeft.descriptors;
    if (isSettled || performance.now() > patientUntil) return now;
    before = now;
  }
}
