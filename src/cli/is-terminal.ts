import { fstatSync } from 'node:fs';

/** Whether a descriptor is a terminal. What knows terminals, and much of Node with it, is loaded only where one may be. */
export function isTerminal(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice() && process.getBuiltinModule('node:tty').isatty(fd);
  } catch {
    return false;
  }
}
