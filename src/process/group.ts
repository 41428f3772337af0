import { allPids, isOurs, statOf } from './proc.ts';
import { withoutStacks } from './without-stacks.ts';

/*
 * A process started detached leads a process group and a session, both named by its pid. What it
 * starts stays in the session but may leave the group, as `timeout` does, or a shell after `set -m`.
 * So a group here means its leader's whole session, as far as the system lets us see that.
 */

/** Sends a signal to everything that lives in these groups. */
function signalGroups(leaders: ReadonlySet<number>, signal: NodeJS.Signals): void {
  for (const group of groupsOf(leaders)) {
    try {
      process.kill(-group, signal);
    } catch {
      // ESRCH: gone since. EPERM: what is left runs as another user, out of our reach.
    }
  }
}

/** Sends a signal to everything that lives in this group. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  signalGroups(new Set([leader]), signal);
}

/** Kills these groups, twice because a process may be between two groups when looked at. */
export function killGroups(leaders: ReadonlySet<number>): void {
  signalGroups(leaders, 'SIGKILL');
  signalGroups(leaders, 'SIGKILL');
}

/** Whether the system knows the leader's own group; one whose members are all dead but not reaped counts. */
export const groupExists = (leader: number): boolean => exists(-leader);

/** Whether the system knows this process; one that is dead but not reaped counts. */
export const processExists = (pid: number): boolean => exists(pid);

function exists(target: number): boolean {
  return withoutStacks(() => {
    try {
      process.kill(target, 0);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  });
}

/** Whether a signal of ours reaches this process; one that is gone is out of nobody's reach. */
export const canSignal = (pid: number): boolean =>
  withoutStacks(() => {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'EPERM';
    }
  });

/** What lives in the session of this leader; undefined where the system does not tell. */
export const sessionMembers = (leader: number): number[] | undefined =>
  livingProcesses()?.flatMap(({ pid, session }) => (session === leader ? [pid] : []));

/** Those of these groups in which something lives. */
export function livingGroups(leaders: ReadonlySet<number>): Set<number> {
  const processes = livingProcesses();
  // Where no look can be had just now, none is known to be gone.
  if (processes === undefined)
    return new Set([...leaders].filter((id) => isOurs() || groupExists(id)));
  return new Set(processes.map(({ session }) => session).filter((id) => leaders.has(id)));
}

/** Whether any process of the leader's own group still lives. */
export function isGroupAlive(leader: number): boolean {
  if (!groupExists(leader)) return false;
  return livingProcesses()?.some(({ group }) => group === leader) ?? true;
}

/** The groups inside the leaders' sessions; only those just seen, for the number of one that is gone may be a stranger's by now. */
function groupsOf(leaders: ReadonlySet<number>): ReadonlySet<number> {
  const processes = livingProcesses();
  if (processes === undefined) return leaders;
  return new Set(processes.filter(({ session }) => leaders.has(session)).map(({ group }) => group));
}

/** Every process that lives, or undefined where the system does not tell. One that died but was not reaped still answers signals; only its state tells. */
function livingProcesses(): { pid: number; group: number; session: number }[] | undefined {
  if (!isOurs()) return undefined;
  try {
    return allPids().flatMap((pid) => {
      const stat = statOf(pid);
      return stat === undefined || /[ZX]/.test(stat.state) ? [] : [{ pid, ...stat }];
    });
  } catch {
    return undefined;
  }
}
