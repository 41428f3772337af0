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
  if (systemFolder !== undefined && administrators.some((name) => existsSync(`/etc/${name}`)))
    mkdirSync(systemFolder, { recursive: true });
  return systemFolder !== undefined && existsSync(systemFolder)
    ? execa('unshare', [...apart, systemFolder, 'node', main, ...args], options)
    : execa('node', [main, ...args], options);
};

/** The folders of administrators' settings in /etc. */
const administrators = ['llxprt-code', 'hookmachine'];

/** Options of `unshare` and a script: a command with a copy of /etc of its own, in which what this folder holds are administrators' folders. */
const apart = [
  ...(process.getuid?.() === 0 ? [] : ['--map-root-user']),
  '--mount',
  'sh',
  '-ec',
  `copy=$1.copy; mkdir -p "$copy"; mount -t tmpfs none "$copy"
   cp -a /etc/. "$copy" 2>/dev/null || :
   (cd "$copy"; rm -rf ${administrators.join(' ')}); cp -a "$1/." "$copy"
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
