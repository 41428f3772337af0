import { type Stats, statSync } from 'node:fs';
import { getPriority } from 'node:os';
import type { HookCommand } from '../../../machines/hook-process.ts';
import { environmentOf, findShell, systemShell } from '../programs.ts';
import { isOurs, type Limits, limitsOf, readAgain } from '../processes.ts';
import { calledByName } from './ready-way.ts';
import { scratchFolder } from '../pipes.ts';

/** What a hook's process gets from its start alone, and cannot be given later. */
export interface Inheritance {
  /** Equal where one process may stand for another. */
  readonly key: string;
  readonly shell: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Which folder has the name. */
  readonly folder: FolderId;
  /** What the system grants the host. */
  readonly limits: Limits;
}

export type FolderId = Pick<Stats, 'dev' | 'ino'>;

/** With these a shell does not begin as usual, and the words of our script may mean something else. */
const ours = ['read', 'exec', 'eval', 'set', 'unset', ...calledByName].join('|');
const unusual = new RegExp(
  `^(?:BASH_ENV|BASH_COMPAT|BASH_XTRACEFD|BASHOPTS|SHELLOPTS|POSIXLY_CORRECT|BASH_FUNC_(?:${ours})\\W.*|hookmachine_\\w*)$`,
);

/** Of /proc/PID/status, what a process hands on: its umask, users, groups, rights and cores. */
const handedOn =
  /^(?:Umask|Uid|Gid|Groups|Cap\w+|NoNewPrivs|Seccomp|Seccomp_filters|Cpus_allowed|Mems_allowed):.*$/gm;

/** What of a command its process inherits. */
export type Surroundings = Pick<HookCommand, 'cwd' | 'env' | 'isClean'>;

/** The same where a shell that was started with it begins as usual, so that our script means what it says. */
export function shellInheritanceOf(given: Surroundings): Inheritance | undefined {
  const inheritance = inheritanceOf(given);
  return inheritance?.shell.endsWith('/bash') &&
    !Object.keys(inheritance.env).some((name) => unusual.test(name))
    ? inheritance
    : undefined;
}

/** What a process would inherit now; undefined where only its own start can tell. */
export function inheritanceOf(given: Surroundings): Inheritance | undefined {
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
    return { key: JSON.stringify(all), shell, cwd, env, folder: { dev, ino }, limits };
  } catch {
    return undefined;
  }
}
