import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { bundledHost } from '../../../scripts/bundle-host.ts';
import { foldersUntilTheEnd, lives, numberIn } from './run-hook.ts';
import { waitUntil } from '../../support/until.ts';

const host = await bundledHost(new URL('host.ts', import.meta.url));
const twoHooksHost = await bundledHost(new URL('two-hooks-host.ts', import.meta.url));
const makeFolder = foldersUntilTheEnd();

type Host = ChildProcessByStdio<Writable, Readable, null>;

/** Starts a host whose hook writes its pid to `leader` and the target of its stdout to `pipe`. */
async function startHost(end: string, command: string, state = 'running') {
  const cwd = makeFolder();
  const child = spawn(
    process.execPath,
    [host, end, `readlink /proc/$$/fd/1 > pipe; echo $$ > leader; ${command}`, state],
    { cwd, stdio: ['pipe', 'pipe', 'ignore'], env: { ...process.env, NODE_OPTIONS: '' } },
  );
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  const leader = await numberIn(join(cwd, 'leader'));
  const scratch = join(readFileSync(join(cwd, 'pipe'), 'utf8').trim(), '..');
  return { child, cwd, ended, leader, scratch };
}

async function expectNothingLeft(leader: number, scratch: string): Promise<void> {
  await waitUntil(() => !lives(leader) && !existsSync(scratch));
}

const tell = ({ stdin }: Host): void => void stdin.write('end\n');

const ends: [string, (child: Host) => void][] = [
  ['process.exit', tell],
  ['exception', tell],
  ['rejection', tell],
  ['abort', tell],
  ['SIGTERM', (child) => child.kill('SIGTERM')],
  ['SIGINT', (child) => child.kill('SIGINT')],
  ['SIGKILL', (child) => child.kill('SIGKILL')],
];

describe.concurrent('when the host ends, its hooks end, and its folder is removed', () => {
  test.each(ends)(
    'hooks end and the folder is removed when the host ends by %s',
    async (end, act) => {
      const deaf = "trap '' TERM HUP INT; (trap '' TERM; sleep 100) & sleep 100 | sleep 100";
      const { child, ended, leader, scratch } = await startHost(end, deaf);
      expect(lives(leader)).toBe(true);
      expect(existsSync(scratch)).toBe(true);
      act(child);
      await ended;
      await expectNothingLeft(leader, scratch);
    },
  );

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'a hook with process groups of its own ends when the host ends by %s',
    async (signal) => {
      const { child, leader, scratch } = await startHost(
        signal,
        'timeout 100 sleep 100; set -m; sleep 100 & wait',
      );
      child.kill(signal);
      await expectNothingLeft(leader, scratch);
    },
  );

  test.each(ends)(
    'a process in a session of its own ends when the host ends by %s',
    async (end, act) => {
      const { child, cwd, ended, leader, scratch } = await startHost(
        end,
        `setsid sh -c 'trap "" TERM HUP INT; echo $$ > stray; sleep 100; :' & sleep 100`,
      );
      const stray = await numberIn(join(cwd, 'stray'));
      act(child);
      await ended;
      await expectNothingLeft(leader, scratch);
      await waitUntil(() => !lives(stray));
    },
  );

  test.each(['draining', 'sweeping'])(
    'what a hook left behind ends with the host while the hook is %s',
    async (state) => {
      const { child, leader, scratch } = await startHost(
        'SIGKILL',
        "(trap '' TERM; echo > deaf; sleep 100) & until [ -s deaf ]; do sleep 0.01; done; exit 0",
        state,
      );
      expect(lives(leader)).toBe(true);
      child.kill('SIGKILL');
      await expectNothingLeft(leader, scratch);
    },
  );
});

test.each(['SIGKILL', 'SIGTERM', 'process.exit'])(
  'a daemon that a hook left when it answered outlives its host, which ends by %s while another hook runs',
  async (end) => {
    const command = `if [ -e daemon ]; then echo ready; exec sleep 100; fi; setsid sh -c 'echo $$ > daemon; exec sleep 100' & until [ -s daemon ]; do sleep 0.01; done`;
    const cwd = makeFolder();
    const child = spawn(process.execPath, [twoHooksHost, end, command], {
      cwd,
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    const ended = once(child, 'exit');
    const [printed] = (await once(child.stdout, 'data')) as [Buffer];
    const running = Number(printed.toString());
    const daemon = await numberIn(join(cwd, 'daemon'));
    // Between two programs a process shows no environment, and so not whose it is.
    const program = `/proc/${daemon}/comm`;
    await waitUntil(() => !existsSync(program) || readFileSync(program, 'utf8') === 'sleep\n');
    if (end.startsWith('SIG')) child.kill(end as 'SIGKILL');
    else child.stdin.write('end\n');
    await ended;
    await waitUntil(() => !lives(running));
    // What the watchdog kills by its marks, it kills together with the groups.
    await new Promise((resolve) => void setTimeout(resolve, 500));
    expect(lives(daemon)).toBe(true);
    process.kill(daemon, 'SIGKILL');
  },
);
