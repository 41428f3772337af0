/** Who waits for which signal. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `act` when the signal is aborted, until the returned function is called. A signal gets one
 * listener for all who wait: calls side by side are many, and from the eleventh on Node warns of a leak.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const acts = waiting.get(signal) ?? listen(signal);
  acts.add(act);
  return () => {
    acts.delete(act);
  };
}

function listen(signal: AbortSignal): Set<() => void> {
  const acts = new Set<() => void>();
  waiting.set(signal, acts);
  signal.addEventListener('abort', () => acts.forEach((act) => act()), { once: true });
  return acts;
}
