import { livingGroups } from './group.ts';
import { type Run, straysOf } from './strays.ts';

/** How often groups are looked at, in ms, and how small a share of the time that may take. */
const pause = 10;
const share = 1 / 5;

const waiting = new Map<Run, () => void>();
let timer: NodeJS.Timeout | undefined;

/**
 * Calls back once nothing of a hook lives any more, in its group or elsewhere. Returns a function that
 * calls this off.
 *
 * No event tells of the end of a process that is nobody's child: one has to look. One look serves
 * all groups that are waited for.
 */
export function onGroupEnd(run: Run, callback: () => void): () => void {
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
  const ended = [...waiting].filter(
    ([run]) => !living.has(run.leader) && straysOf(run).length === 0,
  );
  const took = performance.now() - startedAt;
  for (const [run, callback] of ended) {
    waiting.delete(run);
    callback();
  }
  timer = waiting.size > 0 ? setTimeout(look, Math.max(pause, took / share)) : undefined;
}
