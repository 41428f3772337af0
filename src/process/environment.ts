import { userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import type { HookCommand } from '../../machines/hook-process.ts';
import { markName } from './strays.ts';

/*
 * What a hook finds in its environment.
 *
 * A hook of the administrator is to decide the same whatever the user, or an agent in the user's name,
 * has put into the environment: no `BASH_ENV`, `NODE_OPTIONS`, `PYTHONPATH`, `LD_PRELOAD`, `GIT_DIR` or
 * exported function reaches it, and its programs come from the folders of the system. The names that
 * are let through say where home is, which language to speak, and what the terminal can do; they are
 * those that sudo lets through, under the same conditions.
 */

/** Where programs of a clean environment are looked for. */
export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Words for a language, a terminal, a time zone: a path in them would have a file read. */
const word = /^[\w.,:+@=-]*$/;
const zone = /^[\w.,:+-]+(?:\/[\w.,:+-]+)*$/;

const allowed: readonly [name: RegExp, value: (value: string) => boolean][] = [
  [/^HOME$/, isAbsolute],
  [/^(?:LANG|LANGUAGE|LC_[A-Z]+|TERM|COLORTERM|NO_COLOR)$/, (value) => word.test(value)],
  [/^TZ$/, (value) => zone.test(value) && !value.startsWith(':') && !value.includes('..')],
  // Marks of the hosts that this one runs under, for them to find what is theirs.
  [new RegExp(`^${markName}$`), (value) => /^[\w.;]*$/.test(value)],
];

/** The environment of a hook: the host's, or a clean one, with what the hook was given. */
export function environmentOf({
  env,
  isClean,
}: Pick<HookCommand, 'env' | 'isClean'>): Record<string, string | undefined> {
  return { ...(isClean ? cleanEnvironment() : process.env), ...env };
}

function cleanEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      allowed.some(([name, fits]) => name.test(entry[0]) && fits(entry[1]!)),
  );
  return { ...Object.fromEntries(kept), ...whoRunsIt(), PATH: systemPath };
}

let who: Record<string, string> | undefined;

/** As the system knows the user, not as the environment has it. */
function whoRunsIt(): Record<string, string> {
  if (who === undefined) {
    try {
      const { username } = userInfo();
      who = { USER: username, LOGNAME: username };
    } catch {
      // The system has no name for this user.
      who = {};
    }
  }
  return who;
}
