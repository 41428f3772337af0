import { readdirSync, readFileSync } from 'node:fs';

/** Sends a signal to every process of a group; a group that is gone already is fine. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // ESRCH: gone already. EPERM: what is left runs as another user, out of our reach.
  }
}

/** Whether any process of the group still lives. */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return process.platform !== 'linux' || hasLivingMember(group);
}

/** A member that has died but was not reaped by its new parent still answers signals; only its state tells. */
function hasLivingMember(group: number): boolean {
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The command name in parentheses may itself hold blanks and parentheses.
      const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (Number(pgrp) === group && state !== 'Z' && state !== 'X') return true;
    } catch {
      // it ended while we looked
    }
  }
  return false;
}
