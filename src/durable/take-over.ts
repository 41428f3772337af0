import type { CallStore } from './database/store.ts';
import { stateOf } from './process-identity.ts';

/**
 * Gives back the calls of hosts that have ended: their lease has run out by the clock of the database, or
 * their process was on this machine and is known to have ended.
 *
 * @returns whether there were any
 */
export async function takeOver(store: CallStore, own: string, workspace: string): Promise<boolean> {
  let isAny = false;
  for (const { host, process, isSilent } of await store.otherHosts(workspace, own)) {
    const hasEnded = stateOf(process) === 'ended';
    if (!isSilent && !hasEnded) continue;
    isAny = true;
    await store.takeOverHost(workspace, host, hasEnded ? process : null);
  }
  return isAny;
}
