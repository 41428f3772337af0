import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { descriptorsOfWaitingHook, openDescriptors, processesWith } from '../faults/processes.ts';

/** What a host holds while nothing runs. */
export interface Held {
  /** In bytes, after garbage collection: the heap, and what it holds outside. */
  readonly heap: number;
  /** In bytes. */
  readonly rss: number;
  readonly descriptors: number;
  /** Processes of hooks, including those that wait for their next event. */
  readonly processes: number;
}

type Counts = Pick<Held, 'descriptors' | 'processes'>;

/** The descriptors without those of waiting hooks, whose number varies. */
export const ofNoneWaiting = ({ descriptors, processes }: Counts): number =>
  descriptors - descriptorsOfWaitingHook * processes;

/** How long the system may take to remove what has ended, in ms. */
const settling = 20_000;

/**
 * Measures what this process holds, once that no longer changes and no more is left than may be, or time is
 * up; the descriptors of waiting hooks do not count as left. `mark` is in the environment of its hooks.
 */
export async function lookAtHeld(mark: string, mayBeLeft: Counts): Promise<Held> {
  const counts = await settled(
    () => ({ processes: processesWith(mark).length, descriptors: openDescriptors() }),
    mayBeLeft,
  );
  // What the first collection finalises releases more.
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
