import { setTimeout as sleep } from 'node:timers/promises';
import { killGroups, livingGroups, signalGroup } from './group.ts';

/** How long a process group may take to end by itself, in ms. */
const grace = 2000;

/** How often the group is looked at, in ms. */
const lookAgain = 20;

/** Ends a whole process group: asks first, then kills what is left. */
export async function endGroup(group: number): Promise<void> {
  const deadline = performance.now() + grace;
  signalGroup(group, 'SIGTERM');
  // A stopped process sees SIGTERM only once it goes on.
  signalGroup(group, 'SIGCONT');
  const groups = new Set([group]);
  while (livingGroups(groups).size > 0) {
    if (performance.now() >= deadline) return killGroups(groups);
    await sleep(lookAgain);
  }
}
