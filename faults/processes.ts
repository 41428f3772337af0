import { readdirSync, readFileSync } from 'node:fs';

/** What a host has open for a shell that waits: its input, both its outputs, and its orders. */
export const descriptorsOfReadyShell = 4;

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
