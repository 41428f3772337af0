import { readdirSync, readFileSync } from 'node:fs';

/** How many file descriptors a host has open for a waiting hook: its input and both its outputs. */
export const descriptorsOfWaitingHook = 3;

/** The living processes that carry this mark in their environment. */
export const processesWith = (mark: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark);
      } catch {
        return false;
      }
    })
    .map(Number);

/** How many file descriptors this process has open. */
export const openDescriptors = (): number => readdirSync('/proc/self/fd').length;
