import type { Survivor, Whom } from '../../machines/hook-process.ts';
import { canSignal, processExists, sessionMembers } from './group.ts';
import { commandLineOf, statOf, userOf } from './proc.ts';
import { markedPids, type Run } from './strays.ts';
import { hasSession } from './watchdog.ts';

/** Whether something of a run that is to end lives, and none of it takes our signals: it is another user's. */
export function isOutOfReach(run: Run, whom: Whom): boolean {
  const left = livingOf(run, whom);
  return left.length > 0 && !left.some(canSignal);
}

/** What lives of a run that was to end, and why it does. */
export function survivorsOf(run: Run, whom: Whom): Survivor[] {
  return livingOf(run, whom).map((pid) => ({
    pid,
    command: commandLineOf(pid) ?? '',
    why: whyOf(pid),
  }));
}

function livingOf(run: Run, whom: Whom): number[] {
  const members = hasSession(run) ? (sessionMembers(run.leader) ?? leaderOf(run)) : [];
  return [...new Set([...members, ...markedPids(run, whom)])];
}

/** All that is known where nothing tells of processes. */
const leaderOf = ({ leader }: Run): number[] => (processExists(leader) ? [leader] : []);

function whyOf(pid: number): string {
  if (!canSignal(pid)) {
    const user = userOf(pid);
    return `it runs as another user${user === undefined ? '' : ` (uid ${user})`}`;
  }
  if (stateOf(pid) === 'D')
    return 'the kernel holds it (state D): a device that does not answer, or a frozen cgroup';
  return 'it has not ended since it got SIGKILL';
}

function stateOf(pid: number): string | undefined {
  try {
    return statOf(pid)?.state;
  } catch {
    return undefined;
  }
}
