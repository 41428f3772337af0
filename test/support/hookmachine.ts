import { existsSync, mkdirSync } from 'node:fs';
import { execa, execaSync } from 'execa';
import type { Sandbox } from './sandbox.ts';
import { main } from './main.ts';

/**
 * Runs the built command as a user would, in a sandbox's project, whose hooks are trusted unless `env` says otherwise.
 * What stands in the sandbox's `systemFolder`, if it is there, stands in the place of the machine's own.
 */
export const hookmachine = (
  { project, env, systemFolder }: Pick<Sandbox, 'project' | 'env'> & Partial<Sandbox>,
  args: readonly string[],
  input = '',
) => {
  const options = {
    cwd: project,
    env: { HOOKMACHINE_TRUST: '1', ...env },
    input,
    reject: false,
  } as const;
  if (systemFolder !== undefined && existsSync('/etc/llxprt-code'))
    mkdirSync(systemFolder, { recursive: true });
  return systemFolder !== undefined && existsSync(systemFolder)
    ? execa('unshare', [...apart, systemFolder, 'node', main, ...args], options)
    : execa('node', [main, ...args], options);
};

/** Options of `unshare` and a script: a command with a copy of /etc of its own, in which this folder is the administrator's. */
const apart = [
  ...(process.getuid?.() === 0 ? [] : ['--map-root-user']),
  '--mount',
  'sh',
  '-ec',
  `copy=$1.copy; mkdir -p "$copy"; mount -t tmpfs none "$copy"
   cp -a /etc/. "$copy" 2>/dev/null || :
   rm -rf "$copy/llxprt-code"; cp -a "$1" "$copy/llxprt-code"
   mount --bind "$copy" /etc; shift; exec "$@"`,
  'sh',
] as const;

/**
 * Whether this machine lets a test have an /etc of its own. Tests of the command that need one are
 * skipped where it does not, and vitest says so.
 */
export const hasEtcOfItsOwn: boolean =
  process.platform === 'linux' &&
  execaSync(
    'unshare',
    [...apart.slice(0, apart.indexOf('sh')), 'mount', '-t', 'tmpfs', 'none', '/mnt'],
    { reject: false },
  ).exitCode === 0;
