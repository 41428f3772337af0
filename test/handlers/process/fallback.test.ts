import type * as childProcess from 'node:child_process';
import type * as fs from 'node:fs';
import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type * as programs from '../../../src/base/programs.ts';
import type * as run from './run-hook.ts';

const isThere = (file: string): boolean => !file.endsWith('mkfifo');

/** What is missing, and which kind of stdin and stdout hooks have then. */
const shortages: [string, () => void, [string, string]][] = [
  [
    'mkfifo',
    () =>
      vi.doMock('../../../src/base/programs.ts', async (original) => {
        const real = await original<typeof programs>();
        return {
          ...real,
          findProgram: (name: string) => (isThere(name) ? real.findProgram(name) : undefined),
          isExecutable: (file: string) => isThere(file) && real.isExecutable(file),
        };
      }),
    ['regular file', 'socket'],
  ],
  [
    'a folder to write to',
    () =>
      vi.doMock('node:fs', async (original) => {
        const real = await original<typeof fs>();
        return {
          ...real,
          mkdtempSync(prefix: string) {
            if (basename(prefix) !== 'hookmachine-') return real.mkdtempSync(prefix);
            throw new Error('EROFS: read-only file system');
          },
        };
      }),
    ['socket', 'socket'],
  ],
];

describe.each(shortages)(
  "without %s, Node's pipes are used",
  (_, takeAway, [stdinIs, stdoutIs]) => {
    let { runHook, runToExit, lives }: typeof run = {} as typeof run;
    beforeAll(async () => {
      takeAway();
      vi.resetModules();
      ({ runHook, runToExit, lives } = await import('./run-hook.ts'));
    });
    afterAll(() => {
      vi.unstubAllEnvs();
      vi.doUnmock('../../../src/base/programs.ts');
      vi.doUnmock('node:fs');
    });

    test("without our own streams, hooks get Node's pipes", async () => {
      const { stdout } = await runToExit('stat -L -c %F /proc/$$/fd/0 /proc/$$/fd/1 | cat');
      expect(stdout.trim().split('\n')).toEqual([stdinIs, stdoutIs]);
    });

    test("input, output and exit code pass through Node's pipes", async () => {
      expect(await runToExit('cat; echo no >&2; exit 2', { stdin: '{"ä":"🙂"}' })).toMatchObject({
        exitCode: 2,
        stdout: '{"ä":"🙂"}',
        stderr: 'no\n',
        leftBackground: false,
      });
    });

    test("megabytes pass through Node's pipes intact", async () => {
      const stdin = 'äöü🙂'.repeat(500_000);
      const { stdout } = await runToExit('cat', { stdin });
      expect(stdout === stdin).toBe(true);
    });

    test("input that nobody reads from Node's pipes is not a failure (HOOK-192)", async () => {
      const stdin = 'x'.repeat(5_000_000);
      expect(await runToExit('echo no >&2; exit 2', { stdin })).toMatchObject({
        exitCode: 2,
        stderr: 'no\n',
      });
      expect(await runToExit('exec <&-; sleep 0.1; echo x', { stdin })).toMatchObject({
        stdout: 'x\n',
      });
      expect(await runToExit('head -c 5; exit 2', { stdin })).toMatchObject({ stdout: 'xxxxx' });
    });

    test("a flood through Node's pipes is truncated", async () => {
      const command = "head -c 30000000 /dev/zero | tr '\\0' a | tee /dev/null";
      const { stdout, truncated } = await runToExit(command);
      expect([stdout.length, truncated]).toEqual([10 * 1024 * 1024, ['stdout']]);
    });

    test("an answer through Node's pipes counts although something holds the streams", async () => {
      const exit = await runToExit('sleep 100 & echo $$; exit 2', { stdin: 'x'.repeat(5_000_000) });
      expect(exit).toMatchObject({ exitCode: 2, leftBackground: true });
      expect(lives(Number(exit.stdout))).toBe(false);
    });

    test("a deadline ends the group of a hook with Node's pipes", async () => {
      const outcome = await runHook('echo $$; sleep 50 | sleep 60', { timeout: 300 });
      expect(outcome).toMatchObject({ status: 'timedOut', exit: { signal: 'SIGTERM' } });
    });

    test("a hook that cannot start with Node's pipes is reported", async () => {
      expect(await runHook('true', { cwd: '/proc/no-folder' })).toMatchObject({ status: 'failed' });
      expect(await runHook('a\0b')).toMatchObject({ status: 'failed' });
    });
  },
);

test('hooks run even without /bin/sh for a watchdog', async () => {
  vi.resetModules();
  const spawned: string[] = [];
  vi.doMock('node:child_process', async (original) => {
    const real = await original<typeof childProcess>();
    return {
      ...real,
      spawn(file: string, ...rest: unknown[]) {
        spawned.push(file);
        return Reflect.apply(real.spawn, undefined, [
          file === '/bin/sh' ? '/proc/no-shell' : file,
          ...rest,
        ]) as unknown;
      },
    };
  });
  const { runToExit } = await import('./run-hook.ts');
  for (let round = 0; round < 3; round++)
    expect(await runToExit('echo x')).toMatchObject({ stdout: 'x\n' });
  // Nothing else removes it.
  const { stdout } = await runToExit('dirname "$(readlink /proc/$$/fd/1)"');
  rmSync(stdout.trim(), { recursive: true });
  expect(spawned).toContain('/bin/sh');
  vi.doUnmock('node:child_process');
});
