import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

let known: { path: string | undefined; shell: string } | undefined;

/** The shell that runs hook commands: `bash` where the PATH has one, else `sh` (C-15). */
export function findShell(): string {
  const path = process.env['PATH'];
  if (known?.path !== path || known === undefined) known = { path, shell: lookUp(path) };
  return known.shell;
}

function lookUp(path = ''): string {
  // Relative entries would let a project folder name its own bash.
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const file = join(folder, 'bash');
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // not in this folder
    }
  }
  return '/bin/sh';
}
