import { setTimeout as sleep } from 'node:timers/promises';
import { processesWith } from '../faults/processes.ts';

/** How long what a host leaves behind may stay alive, in ms. */
const patience = 20_000;

/** How many processes that carry this mark stay alive although their host has ended. */
export async function leftOf(mark: string): Promise<number> {
  const patientUntil = performance.now() + patience;
  while (processesWith(mark).length > 0 && performance.now() < patientUntil) await sleep(20);
  return processesWith(mark).length;
}
