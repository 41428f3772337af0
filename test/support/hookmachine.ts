import { existsSync, mkdirSync } from 'node:fs';
import { execa, execaSync } from 'execa';
import type { Sandbox } from './sandbox-type.ts';
import { main } from './main.ts';

/**
 * Runs the built command, or another program that does the same, as a user would, in a sandbox's project, whose hooks are trusted unless `env` says
 * otherwise. The sandbox's `systemFolder`, if it exists, takes the place of the machine's own.
 */
export const hookmachine = (
  { project, env, systemFolder }: Pick<Sandbox, 'project' | 'env'> & Partial<Sandbox>,
  args: readonly string[],
  input = '',
  /** A command that starts another one, as another user for example. */
  through: readonly string[] = [],
  file = main,
) => {
  const options = {
    cwd: project,
    env: { HOOKMACHINE_TRUST: '1', ...env },
    input,
    reject: false,
  } as const;
  if (systemFolder === undefined || !hasAdministrators({ systemFolder }))
    return execa('node', [file, ...args], options);
  mkdirSync(systemFolder, { recursive: true });
  return execa('unshare', [...apart, systemFolder, ...through, 'node', file, ...args], options);
};

/**
 * Whether a command needs an /etc of its own: there are administrators' settings, the sandbox's or the
 * machine's.
 */
export const hasAdministrators = ({ systemFolder }: Partial<Sandbox>): boolean =>
  systemFolder !== undefined &&
  (existsSync(systemFolder) || administrators.some((name) => existsSync(`/etc/${name}`)));

/** The folders of administrators' settings in /etc. */
export const administrators = [
  'claude-code',
  'codex',
  'cursor',
  'gemini-cli',
  'github-copilot',
  'hookmachine',
  'llxprt-code',
  'qwen-code',
];

/**
 * Options of `unshare` and a script that give a command an /etc of its own: administrators' folders in it are
 * those in the given folder, and everything else leads to the machine's.
 */
const apart = [
  ...(process.getuid?.() === 0 ? [] : ['--map-root-user']),
  '--mount',
  'sh',
  '-ec',
  `machine=$1.machine; mkdir -p "$machine"; mount --rbind /etc "$machine"
   mount -t tmpfs none /etc; ln -s "$machine"/* /etc
   (cd /etc; rm -f ${administrators.join(' ')}); cp -a "$1/." /etc
   shift; exec "$@"`,
  'sh',
] as const;

/**
 * Whether this machine lets a test have an /etc of its own. If not, tests of the command that need one are
 * skipped, and vitest says so.
 */
export const hasEtcOfItsOwn: boolean =
  process.platform === 'linux' &&
  execaSync(
    'unshare',
    [...apart.slice(0, apart.indexOf('sh')), 'mount', '-t', 'tmpfs', 'none', '/mnt'],
    { reject: false },
  ).exitCode === 0;
