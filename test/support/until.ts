import { existsSync, readFileSync } from 'node:fs';
import { vi } from 'vitest';

/** Waits until this is truthy, and returns its value. A busy machine may take long. */
export const waitUntil = <Seen>(isSo: () => Seen): Promise<Awaited<Seen>> =>
  vi.waitUntil(isSo, { timeout: 180_000, interval: 10 }) as Promise<Awaited<Seen>>;

/** Waits for a file that a hook writes, and returns its text. */
export const untilWritten = async (file: string): Promise<string> => {
  await waitUntil(() => existsSync(file) && readFileSync(file, 'utf8') !== '');
  return readFileSync(file, 'utf8');
};

/** Whether a process is alive; one that is dead but not reaped would still answer signals. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
