import { existsSync, readFileSync } from 'node:fs';
import { vi } from 'vitest';

/** Waits until this is so, and gives what it is then. A busy machine takes its time. */
export const waitUntil = <Seen>(isSo: () => Seen): Promise<Awaited<Seen>> =>
  vi.waitUntil(isSo, { timeout: 180_000, interval: 10 }) as Promise<Awaited<Seen>>;

/** Waits for a file that a hook writes, and gives its text. */
export const untilWritten = async (file: string): Promise<string> => {
  await waitUntil(() => existsSync(file) && readFileSync(file, 'utf8') !== '');
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
