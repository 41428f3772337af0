import { commandLineOf, parentOf } from './processes.ts';

/** How often the caller is checked, in ms. */
const interval = 500;

/**
 * Calls back once the process that called this one, or another one, is gone, however it ended: no signal and
 * no closed pipe reports that. A shell that was only used to start it is not the caller, because it keeps
 * waiting. Returns a function that stops the watch.
 */
export function watchCaller(onGone: () => void, called?: number): () => void {
  const parentNow = (): number | undefined =>
    called === undefined ? process.ppid : parentOf(called);
  const parent = parentNow();
  const isShell = /^\S*\b(?:ba|da|z|k)?sh -c /.test(
    (parent === undefined ? undefined : commandLineOf(parent)) ?? '',
  );
  const callerNow = (): number | undefined =>
    isShell && parent !== undefined ? parentOf(parent) : undefined;
  const caller = callerNow();
  const timer = setInterval(() => {
    if (parentNow() === parent && callerNow() === caller) return;
    clearInterval(timer);
    onGone();
  }, interval).unref();
  return () => clearInterval(timer);
}
