import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** The file of a program on the PATH, or undefined. */
export function findProgram(name: string): string | undefined {
  // Relative entries would let a project folder name its own programs.
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** Whether this is a file that may be run. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
