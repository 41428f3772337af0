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

/** Whether a process is there. */
export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
