import { isUtf8 } from 'node:buffer';
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { startupVariables } from './startup-variables.ts';

/** A process that an agent started to take an event through the hooks. */
export interface Caller {
  readonly pid: number;
  /** What follows `relay` in its command line. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
}

/**
 * Returns a process as the system describes it; undefined if hooks that it started would run otherwise than
 * those of this process. All is read from /proc and nothing is taken from the process itself: from within a
 * sandbox, it could have hooks run outside of it, with an environment of its choice.
 */
export function callerOf(pid: number): Caller | undefined {
  try {
    if (boundsOf(String(pid)) !== (own ??= boundsOf('self'))) return undefined;
    const [, , , , ...args] = textsIn(`/proc/${pid}/cmdline`) ?? [];
    const env = environmentOf(pid);
    if (env === undefined || startupOf(env) !== startupOf(process.env)) return undefined;
    const folder = readlinkSync(`/proc/${pid}/cwd`);
    const [here, there] = [statSync(folder), statSync(`/proc/${pid}/cwd`)];
    return here.ino === there.ino && here.dev === there.dev
      ? { pid, args, env, folder }
      : undefined;
  } catch {
    return undefined;
  }
}

/** What holds for this process, which changes nothing about itself. */
let own: string | undefined;

const namespaces = ['mnt', 'user', 'pid', 'net', 'ipc', 'uts'];

const rights = /^(?:Umask|Uid|Gid|Groups|CapEff|CapBnd|NoNewPrivs|Seccomp):.*$/gm;

/** What the system lets a process do and see, which its hooks inherit. */
function boundsOf(process: string): string {
  const at = `/proc/${process}`;
  return JSON.stringify([
    readFileSync(`${at}/status`, 'latin1').match(rights),
    // Node.js raises the soft limit of open files for itself; the columns are as wide as their numbers.
    readFileSync(`${at}/limits`, 'latin1')
      .replace(/(?<=^Max open files) +\S+/m, '')
      .replaceAll(/ +/g, ' '),
    readlinkSync(`${at}/root`),
    namespaces.map((name) => readlinkSync(`${at}/ns/${name}`)),
  ]);
}

const startup = new RegExp(`^(?:${startupVariables})$`);

const startupOf = (env: NodeJS.ProcessEnv): string =>
  JSON.stringify(
    Object.entries(env)
      .filter(([name]) => startup.test(name))
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );

/** The environment; undefined if it has variables that Node.js would show in another way. */
function environmentOf(pid: number): NodeJS.ProcessEnv | undefined {
  const texts = textsIn(`/proc/${pid}/environ`);
  if (texts === undefined) return undefined;
  const env = Object.create(null) as NodeJS.ProcessEnv;
  for (const text of texts) {
    const end = text.indexOf('=');
    if (end <= 0 || Object.hasOwn(env, text.slice(0, end))) return undefined;
    env[text.slice(0, end)] = text.slice(end + 1);
  }
  return env;
}

/** The texts in a file of /proc, each of which ends with a NUL; undefined if they are not UTF-8. */
function textsIn(file: string): string[] | undefined {
  const bytes = readFileSync(file);
  if (!isUtf8(bytes)) return undefined;
  return bytes.length === 0 ? [] : bytes.toString('utf8').replace(/\0$/, '').split('\0');
}
