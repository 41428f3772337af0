import { livingGroups } from './group.ts';

/** How often groups are looked at, in ms, and how small a share of the time that may take. */
const pause = 10;
const share = 1 / 5;

const waiting = new Map<number, () => void>();
let timer: NodeJS.Timeout | undefined;

/**
 * Calls back once nothing of a group lives any more. Returns a function that calls this off.
 *
 * No event tells of the end of a process that is nobody's child: one has to look. One look serves
 * all groups that are waited for.
 */
export function onGroupEnd(leader: number, callback: () => void): () => void {
  waiting.set(leader, callback);
  timer ??= setTimeout(look, pause);
  return () => {
    waiting.delete(leader);
    if (waiting.size > 0) return;
    clearTimeout(timer);
    timer = undefined;
  };
}

function look(): void {
  const startedAt = performance.now();
  const living = livingGroups(new Set(waiting.keys()));
  const took = performance.now() - startedAt;
  for (const [leader, callback] of waiting) {
    if (living.has(leader)) continue;
    waiting.delete(leader);
    callback();
  }
  timer = waiting.size > 0 ? setTimeout(look, Math.max(pause, took / share)) : undefined;
}
