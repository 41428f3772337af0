import { findProgram } from './find-program.ts';

let known: { path: string | undefined; shell: string } | undefined;

/** The shell that runs hook commands: `bash` where the PATH has one, else `sh` (C-15). */
export function findShell(): string {
  const path = process.env['PATH'];
  if (known === undefined || known.path !== path)
    known = { path, shell: findProgram('bash') ?? '/bin/sh' };
  return known.shell;
}
