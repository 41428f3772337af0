import { type Stats, statSync } from 'node:fs';
import { getPriority } from 'node:os';
import type { HookCommand } from '../../machines/hook-process.ts';
import { isOurs, readAgain } from './proc.ts';
import { calledByName } from './ready-way.ts';
import { scratchFolder } from './scratch.ts';
import { findShell } from './shell.ts';

/** What a hook's process gets from its start alone, and cannot be given later. */
export interface Inheritance {
  /** Equal where one process may stand for another. */
  readonly key: string;
  readonly shell: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Which folder has the name. */
  readonly folder: FolderId;
}

export type FolderId = Pick<Stats, 'dev' | 'ino'>;

/** With these a shell does not begin as usual, and the words of our script may mean something else. */
const ours = ['read', 'exec', 'eval', 'set', 'unset', ...calledByName].join('|');
const unusual = new RegExp(
  `^(?:BASH_ENV|BASH_COMPAT|BASH_XTRACEFD|BASHOPTS|SHELLOPTS|POSIXLY_CORRECT|BASH_FUNC_(?:${ours})\\W.*|hookmachine_\\w*)$`,
);

/** Of /proc/PID/status, what a process hands on: its umask, users, groups, rights and cores. */
const handedOn = /^(?:Umask|Uid|Gid|Groups|Cap\w+|NoNewPrivs|Seccomp|Cpus_allowed):.*$/gm;

/** What of a command its process inherits. */
export type Surroundings = Pick<HookCommand, 'cwd' | 'env'>;

/** What a process would inherit now; undefined where only its own start can tell. */
export function inheritanceOf(given: Surroundings): Inheritance | undefined {
  const { cwd } = given;
  const shell = findShell();
  const env = { ...process.env, ...given.env };
  if (!shell.endsWith('/bash') || Object.keys(env).some((name) => unusual.test(name)))
    return undefined;
  try {
    if (!isOurs()) return undefined;
    // Another folder may have taken the name, or another disk the place.
    const { dev, ino } = statSync(cwd);
    // Streams in a folder that a cleaner removed are no longer those of a new hook.
    const streams = scratchFolder();
    const rights = readAgain('/proc/self/status').match(handedOn);
    const all = [shell, cwd, dev, ino, streams, env, getPriority(), rights];
    return { key: JSON.stringify(all), shell, cwd, env, folder: { dev, ino } };
  } catch {
    return undefined;
  }
}
