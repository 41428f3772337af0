import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { bundledHost } from '../../scripts/bundle-host.ts';
import { tempFolder } from '../support/temp-folder.ts';
import type * as pool from '../../src/process/ahead/ready-shells.ts';
import { blockUntil, isAlive } from './run-hook.ts';
import type * as run from './run-hook.ts';

let { inputFor, runToExit }: typeof run = {} as typeof run;
let { prepare }: typeof pool = {} as typeof pool;

/** The shells that wait for an order, by their pid. */
const waiting = (): number[] =>
  execFileSync('ps', ['-o', 'pid=,stat=,args=', '--ppid', String(process.pid)], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((line) => line.includes('hookmachine_way') && !line.includes(' Z'))
    .map((line) => Number.parseInt(line, 10));

const pidOf = async (options: run.Options): Promise<number> =>
  Number((await runToExit('echo $$', options)).stdout);

/** Gets a shell ready for such hooks; returns its pid. */
function ready(options: run.Options): number {
  const before = waiting();
  expect(prepare(inputFor('true', options).command)).toBe(true);
  const [pid] = waiting().filter((one) => !before.includes(one));
  return pid!;
}

beforeEach(async () => {
  // A pool of its own for each test.
  vi.resetModules();
  ({ inputFor, runUnprepared: runToExit } = await import('./run-hook.ts'));
  ({ prepare } = await import('../../src/process/ahead/ready-shells.ts'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  for (const pid of waiting()) process.kill(pid, 'SIGKILL');
});

const limit = (pid: number, option: string): string =>
  execFileSync('prlimit', ['--pid', String(pid), option], { encoding: 'utf8' });

/** Where a process is; undefined when it has ended. */
function folderOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

describe('a shell that is ready', () => {
  test('is not started where the folder, the rights or the environment have changed since the hook', async () => {
    const cwd = join(tempFolder(), 'cwd');
    mkdirSync(cwd);
    const again = async (): Promise<void> => {
      await runToExit(':', { cwd });
      await sleep(30);
    };
    const changes: [string, () => void, () => void][] = [
      [
        'folder',
        () => (renameSync(cwd, `${cwd} moved`), mkdirSync(cwd)),
        () => (rmdirSync(cwd), renameSync(`${cwd} moved`, cwd)),
      ],
      ['umask', () => process.umask(0o077), () => process.umask(0o022)],
      ['environment', () => vi.stubEnv('ADDED', '1'), () => vi.unstubAllEnvs()],
    ];
    process.umask(0o022);
    for (const [, change, back] of changes) {
      await again();
      await again();
      await expect.poll(waiting).not.toEqual([]);
      await runToExit(':', { cwd });
      change();
      await sleep(30);
      back();
      const { stdout } = await runToExit('readlink /proc/$$/cwd; umask; echo "$ADDED"', { cwd });
      expect(stdout).toBe(`${cwd}\n0022\n\n`);
    }
  });

  test('outlives the time that shells are given to read', async () => {
    const options = { cwd: tempFolder(), env: { TMOUT: '1' } };
    const pid = ready(options);
    await sleep(1300);
    expect(await pidOf(options)).toBe(pid);
  });

  test('is not used where shells complain at their start', async () => {
    const options = { cwd: tempFolder(), env: { LC_ALL: 'xx_XX.utf8' } };
    const plain = await runToExit('echo no >&2; nosuch; exit 2', options);
    const pid = ready(options);
    await expect.poll(() => readFileSync(`/proc/${pid}/io`, 'utf8')).toMatch(/^syscw: [1-9]/m);
    const { stderr } = await runToExit('echo no >&2; nosuch; exit 2', options);
    expect(stderr).toBe(plain.stderr);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('becomes the hook', async () => {
    const cwd = tempFolder();
    const pid = ready({ cwd });
    expect(await pidOf({ cwd })).toBe(pid);
    expect(await pidOf({ cwd })).not.toBe(pid);
  });

  test('becomes the program that the hook is', async () => {
    const cwd = tempFolder();
    const pid = ready({ cwd });
    const { stdout } = await runToExit("/bin/sh -c 'echo $$ $PPID'", { cwd });
    expect(stdout).toBe(`${pid} ${process.pid}\n`);
  });

  test.each<[string, (pid: number) => void]>([
    ['limit on files', (pid) => void limit(pid, '--nofile=200:200')],
    ['limit on core files', (pid) => void limit(pid, '--core=0:0')],
    ['OOM score', (pid) => writeFileSync(`/proc/${pid}/oom_score_adj`, '900')],
    ['nice value', (pid) => setPriority(pid, 7)],
  ])('is not used where its %s is not that of the host now', async (_, change) => {
    const cwd = tempFolder();
    const pid = ready({ cwd });
    change(pid);
    expect(await pidOf({ cwd })).not.toBe(pid);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('is not used once the host itself has got another limit, which the hook then has', async () => {
    const cwd = tempFolder();
    const before = readFileSync('/proc/self/oom_score_adj', 'utf8').trim();
    const pid = ready({ cwd });
    writeFileSync('/proc/self/oom_score_adj', '321');
    try {
      const { stdout } = await runToExit('echo $$; cat /proc/self/oom_score_adj', { cwd });
      expect(stdout).not.toContain(`${pid}\n`);
      expect(stdout).toMatch(/\n321\n$/);
    } finally {
      try {
        writeFileSync('/proc/self/oom_score_adj', before);
      } catch {
        // Only a privileged host may lower it again.
      }
    }
  });

  test.each<[string, (cwd: string) => run.Options, (() => void)?]>([
    ['another folder', () => ({ cwd: tempFolder() })],
    ['another variable', (cwd) => ({ cwd, env: { ADDED: '1' } })],
    [
      'another environment of the host',
      (cwd) => {
        vi.stubEnv('ADDED', '1');
        return { cwd };
      },
    ],
    [
      'a folder put in the place of the first',
      (cwd) => {
        renameSync(cwd, `${cwd} moved`);
        mkdirSync(cwd);
        return { cwd };
      },
    ],
    [
      'the switch that turns this off',
      (cwd) => {
        vi.stubEnv('HOOKMACHINE_PLAIN_START', '1');
        return { cwd };
      },
    ],
  ])('is not for a hook with %s', async (_, change) => {
    const cwd = join(tempFolder(), 'cwd');
    mkdirSync(cwd);
    const pid = ready({ cwd });
    expect(await pidOf(change(cwd))).not.toBe(pid);
  });

  test('is not for a hook whose folder is gone', async () => {
    const cwd = join(tempFolder(), 'cwd');
    mkdirSync(cwd);
    ready({ cwd });
    rmdirSync(cwd);
    await expect(runToExit('echo ran', { cwd })).rejects.toThrow('is no folder to run in');
  });

  test.each(['SIGKILL', 'SIGSTOP'] as const)(
    'is not used after %s, though the host was too busy to hear of that',
    async (signal) => {
      const cwd = tempFolder();
      const pid = ready({ cwd });
      process.kill(pid, signal);
      blockUntil(() => /^\d+ \(.*\) [TZ]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8')));
      expect(await pidOf({ cwd })).not.toBe(pid);
      await expect.poll(waiting).not.toContain(pid);
    },
  );

  test('runs nothing when its order never comes', async () => {
    const cwd = tempFolder();
    const pid = ready({ cwd });
    // As long as it waits it has nothing of a hook's command.
    const args = execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
    expect(args).not.toContain('true');
  });
});

const runSome = (count: number, cwd: string): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, () => runToExit('sleep 0.1', { cwd })));
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 200));

describe('after hooks have run', () => {
  test('none is ready, for it may have been the only event; when they come again, some are', async () => {
    const cwd = tempFolder();
    await runSome(3, cwd);
    await pause();
    expect(waiting()).toEqual([]);
    await runSome(1, cwd);
    await expect.poll(() => waiting().length).toBe(3);
  });

  test('as many shells are ready as ran without a pause, and eight at most', async () => {
    const cwd = tempFolder();
    await runSome(1, cwd);
    await pause();
    for (const [count, expected] of [
      [1, 1],
      [3, 3],
      [12, 8],
    ] as const) {
      await runSome(count, cwd);
      await expect.poll(() => waiting().length).toBe(expected);
    }
  });

  test('none is ready for a host that changes its environment for each hook', async () => {
    const cwd = tempFolder();
    for (let round = 0; round < 8; round++) {
      vi.stubEnv('REQUEST', String(round));
      expect(await runToExit('echo $REQUEST', { cwd })).toMatchObject({ stdout: `${round}\n` });
      await pause();
    }
    expect(waiting()).toEqual([]);
  });

  test('those used last are kept', async () => {
    const [first, second] = [tempFolder(), tempFolder()];
    for (const cwd of [first, second]) {
      await runSome(8, cwd);
      await pause();
      await runSome(8, cwd);
      // Those of the folder before may still wait.
      await expect
        .poll(() => waiting().map(folderOf))
        .toEqual(Array.from({ length: 8 }, () => cwd));
    }
    const shells = waiting();
    expect(shells).toContain(await pidOf({ cwd: second }));
    expect(shells).not.toContain(await pidOf({ cwd: first }));
  });

  test('none is started where a hook needs no shell, or another one', async () => {
    for (const name of ['BASH_ENV', 'SHELLOPTS', 'BASH_FUNC_exec%%', 'hookmachine_text'])
      await runToExit('true', { env: { [name]: '() { :; }' } });
    await runToExit(`: ${'x'.repeat(5000)}`);
    vi.stubEnv('HOOKMACHINE_PLAIN_START', '1');
    await runToExit('true');
    await pause();
    await runToExit('true');
    await pause();
    expect(waiting()).toEqual([]);
  });

  test('none is started any more where they do not live', async () => {
    const cwd = tempFolder();
    for (let round = 0; round < 3; round++) {
      process.kill(ready({ cwd }), 'SIGKILL');
      await expect.poll(waiting).toEqual([]);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(prepare(inputFor('true', { cwd }).command)).toBe(false);
    expect(await runToExit('echo x', { cwd })).toMatchObject({ stdout: 'x\n' });
  });
});

/** Starts a host that has a shell ready, and tells that shell's pid. */
async function startHost(then: string) {
  const host = await bundledHost(new URL('ready-host.ts', import.meta.url));
  const child = spawn(process.execPath, [host, then], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const ended = once(child, 'exit');
  const [told] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, ended, pid: Number(told) };
}

describe('the host', () => {
  test('is not kept alive by a shell, which ends with it', async () => {
    const { ended, pid } = await startHost('end');
    expect(await ended).toEqual([0, null]);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('that is killed leaves no shell', async () => {
    const { child, ended, pid } = await startHost('stay');
    expect(isAlive(pid)).toBe(true);
    child.kill('SIGKILL');
    await ended;
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});
