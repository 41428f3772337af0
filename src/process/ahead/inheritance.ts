import { statSync } from 'node:fs';
import { getPriority } from 'node:os';
import type { HookCommand } from '../../../machines/hook-process.ts';
import { environmentOf, findShell, systemShell } from '../programs.ts';
import { isOurs, type Limits, limitsOf, readAgain } from '../processes.ts';
import { scratchFolder } from '../pipes.ts';

/** What a hook's process gets from its start alone, and cannot be given later. */
export interface Inheritance {
  /** Equal where one process may stand for another. */
  readonly key: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the system grants the host. */
  readonly limits: Limits;
}

/** Of /proc/PID/status, what a process hands on: its umask, users, groups, rights and cores. */
const handedOn =
  /^(?:Umask|Uid|Gid|Groups|Cap\w+|NoNewPrivs|Seccomp|Seccomp_filters|Cpus_allowed|Mems_allowed):.*$/gm;

/** What a process would inherit now; undefined where only its own start can tell. */
export function inheritanceOf(given: HookCommand): Inheritance | undefined {
  const { cwd } = given;
  const shell = given.isClean ? systemShell() : findShell();
  const env = environmentOf(given);
  try {
    if (!isOurs()) return undefined;
    // Another folder may have taken the name, or another disk the place.
    const { dev, ino } = statSync(cwd);
    // Streams in a folder that a cleaner removed are no longer those of a new hook.
    const streams = scratchFolder();
    const rights = readAgain('/proc/self/status').match(handedOn);
    const limits = limitsOf('self');
    const all = [shell, cwd, dev, ino, streams, env, getPriority(), rights, limits];
    return { key: JSON.stringify(all), cwd, env, limits };
  } catch {
    return undefined;
  }
}
