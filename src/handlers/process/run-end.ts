import type { Survivor, Whom } from '../../../machines/hook-process.ts';
import {
  canSignal,
  commandLineOf,
  killGroups,
  livingGroups,
  processExists,
  sessionMembers,
  signalGroup,
  statOf,
  userOf,
} from './processes.ts';
import {
  killStrays,
  type Living,
  markedPids,
  livingByMark,
  type Run,
  signalStrays,
} from './strays.ts';
import { hasSession, isWatched, leaveSession } from './watchdog.ts';

/** How often runs are checked, in ms, and the largest share of the time that the checks may take. */
const pause = 10;
const share = 1 / 5;

/** Waits for the end of a run. */
interface Waiting {
  /** Called at each check. */
  seen(living: Living): void;
  /** What signals are meant for. */
  readonly whom: () => Whom;
  /** Called once, if no signal reaches anything that is left. */
  unreachable(): void;
}

const waiting = new Map<Run, Waiting>();
const unreachable = new WeakSet<Run>();
const condemned = new WeakMap<Run, Whom>();
let timer: NodeJS.Timeout | undefined;

/** Asks a hook's group to end, or everything of the hook. */
export function terminateRun(run: Run, whom: Whom): void {
  // A stopped process sees SIGTERM only once it continues.
  for (const signal of ['SIGTERM', 'SIGCONT'] as const) {
    const isSessionSignalled = hasSession(run);
    if (isSessionSignalled) signalGroup(run.leader, signal);
    signalStrays(run, signal, whom, isSessionSignalled);
  }
}

/**
 * Kills a hook's group, or everything of the hook, and whatever of it is found later while its end is
 * awaited.
 */
export function killRun(run: Run, whom: Whom): void {
  condemned.set(run, whom);
  if (hasSession(run)) killGroups(new Set([run.leader]));
  killStrays(run, whom);
}

/**
 * Reports again and again what of a hook is alive, in its session or elsewhere. Returns a function that
 * cancels this.
 *
 * No event reports the end of a process that is not our child, so the processes must be polled. One check
 * serves all runs that are waited for.
 */
export function onRunEnd(run: Run, waiter: Waiting): () => void {
  waiting.set(run, waiter);
  timer ??= setTimeout(look, pause);
  return () => {
    waiting.delete(run);
    if (waiting.size > 0) return;
    clearTimeout(timer);
    timer = undefined;
  };
}

function look(): void {
  const startedAt = performance.now();
  const living = livingGroups(new Set([...waiting.keys()].map(({ leader }) => leader)));
  const reports: (() => void)[] = [];
  for (const [run, waiter] of waiting) {
    // From then on its number may be given to a stranger.
    if (!living.has(run.leader)) leaveSession(run);
    const left = hasSession(run) ? 'group' : livingByMark(run, isWatched);
    const whom = waiter.whom();
    const isLeft = left === 'group' || (left === 'daemons' && whom === 'all');
    if (isLeft && !unreachable.has(run) && isOutOfReach(run, whom)) {
      unreachable.add(run);
      reports.push(() => waiter.unreachable());
    } else if (isLeft && condemned.has(run)) killRun(run, condemned.get(run)!);
    reports.push(() => waiter.seen(left));
  }
  const took = performance.now() - startedAt;
  for (const report of reports) report();
  timer = waiting.size > 0 ? setTimeout(look, Math.max(pause, took / share)) : undefined;
}

/**
 * Whether something of a run that must end is alive and none of it accepts our signals, because it belongs to
 * another user.
 */
export function isOutOfReach(run: Run, whom: Whom): boolean {
  const left = livingOf(run, whom);
  return left.length > 0 && !left.some(canSignal);
}

/** What is still alive of a run that should have ended, and why. */
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

/** All that is known if the system says nothing about processes. */
const leaderOf = ({ leader }: Run): number[] => (processExists(leader) ? [leader] : []);

function whyOf(pid: number): string {
  if (!canSignal(pid)) {
    const user = userOf(pid);
    return `it runs as another user${user === undefined ? '' : ` (uid ${user})`}`;
  }
  if (stateOf(pid) === 'D')
    return 'the kernel holds it (state D): a device that does not answer, or a frozen cgroup';
  return 'SIGKILL has not ended it';
}

function stateOf(pid: number): string | undefined {
  try {
    return statOf(pid)?.state;
  } catch {
    return undefined;
  }
}
