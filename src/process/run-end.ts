import { killGroups, livingGroups, signalGroup } from './group.ts';
import { killStrays, mayHaveStrays, type Run, signalStrays } from './strays.ts';
import { hasSession, isWatched, leaveSession } from './watchdog.ts';

/** How often runs are looked at, in ms, and how small a share of the time that may take. */
const pause = 10;
const share = 1 / 5;

const waiting = new Map<Run, () => void>();
const condemned = new WeakSet<Run>();
let timer: NodeJS.Timeout | undefined;

/** Asks everything of a hook to end. */
export function terminateRun(run: Run): void {
  // A stopped process sees SIGTERM only once it goes on.
  for (const signal of ['SIGTERM', 'SIGCONT'] as const) {
    const isSessionTold = hasSession(run);
    if (isSessionTold) signalGroup(run.leader, signal);
    signalStrays(run, signal, isSessionTold);
  }
}

/** Kills everything of a hook, and whatever of it is found later while its end is waited for. */
export function killRun(run: Run): void {
  condemned.add(run);
  if (hasSession(run)) killGroups(new Set([run.leader]));
  killStrays(run);
}

/**
 * Calls back once nothing of a hook lives any more, in its session or elsewhere. Returns a function
 * that calls this off.
 *
 * No event tells of the end of a process that is nobody's child: one has to look. One look serves
 * all runs that are waited for.
 */
export function onRunEnd(run: Run, callback: () => void): () => void {
  waiting.set(run, callback);
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
  const ended: (() => void)[] = [];
  for (const [run, callback] of waiting) {
    // From then on its number may be given to a stranger.
    if (!living.has(run.leader)) leaveSession(run);
    if (!hasSession(run) && !mayHaveStrays(run, isWatched)) {
      waiting.delete(run);
      ended.push(callback);
    } else if (condemned.has(run)) killRun(run);
  }
  const took = performance.now() - startedAt;
  for (const callback of ended) callback();
  timer = waiting.size > 0 ? setTimeout(look, Math.max(pause, took / share)) : undefined;
}
