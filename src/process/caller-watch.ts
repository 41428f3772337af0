import { commandLineOf, parentOf } from './processes.ts';

/** How often it is looked whether the caller lives, in ms. */
const interval = 500;

/**
 * Calls back once the process that called this one is gone, however it ended: no signal and no end of a
 * pipe says so. A shell that only started us for it is not the caller, for it waits on. Returns how to stop.
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
