import { commandLineOf, parentOf } from './processes.ts';

/** How often the caller is checked, in ms. */
const interval = 500;

/**
 * Calls back once the process that called this one is gone, however it ended: no signal and no closed pipe
 * reports that. A shell that was only used to start us is not the caller, because it keeps waiting. Returns a
 * function that stops the watch.
 */
export function watchCaller(onGone: () => void): () => void {
  const parent = process.ppid;
  const isShell = /^\S*\b(?:ba|da|z|k)?sh -c /.test(commandLineOf(parent) ?? '');
  const caller = isShell ? parentOf(parent) : undefined;
  const timer = setInterval(() => {
    if (process.ppid === parent && (caller === undefined || parentOf(parent) === caller)) return;
    clearInterval(timer);
    onGone();
  }, interval).unref();
  return () => clearInterval(timer);
}
