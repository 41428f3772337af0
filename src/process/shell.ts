import { findProgram, isExecutable } from './find-program.ts';

let known: { path: string | undefined; shell: string } | undefined;

/** The shell that runs hook commands: `bash` where the PATH has one, else `sh` (C-15). */
export function findShell(): string {
  const path = process.env['PATH'];
  if (known === undefined || known.path !== path)
    known = { path, shell: findProgram('bash') ?? '/bin/sh' };
  return known.shell;
}

let systems: string | undefined;

/** The shell of the system itself, whatever the PATH says. */
export const systemShell = (): string =>
  (systems ??= ['/bin/bash', '/usr/bin/bash'].find(isExecutable) ?? '/bin/sh');
