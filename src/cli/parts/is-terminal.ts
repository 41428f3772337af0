import { fstatSync } from 'node:fs';

/**
 * Whether a file descriptor is a terminal. `node:tty`, which loads much of Node, is loaded only if it may be
 * one.
 */
export function isTerminal(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice() && process.getBuiltinModule('node:tty').isatty(fd);
  } catch {
    return false;
  }
}
