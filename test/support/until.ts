import { existsSync, readFileSync } from 'node:fs';
import { vi } from 'vitest';

/** Waits for a file that a hook writes, and gives its text. */
export const untilWritten = async (file: string): Promise<string> => {
  await vi.waitUntil(() => existsSync(file) && readFileSync(file, 'utf8') !== '', {
    timeout: 15_000,
    interval: 10,
  });
  return readFileSync(file, 'utf8');
};

/** Whether this process lives; one that is dead but not reaped still answers signals. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
