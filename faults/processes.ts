import { readdirSync, readFileSync } from 'node:fs';

/** What a host has open for a hook that waits: its input, and both its outputs. */
export const descriptorsOfWaitingHook = 3;

/** The processes that carry this mark in their environment, and live. */
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

/** How many descriptors this process has open. */
export const openDescriptors = (): number => readdirSync('/proc/self/fd').length;
