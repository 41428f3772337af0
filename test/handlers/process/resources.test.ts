import { execFileSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HookStreams } from '../../../src/handlers/process/plain-start.ts';
import { hookActor, runHook, runToExit } from './run-hook.ts';

/** What a process holds that hooks could leave behind. */
function holdings() {
  const children = execFileSync('ps', ['-o', 'stat=,args=', '--ppid', String(process.pid)], {
    encoding: 'utf8',
  });
  return {
    descriptors: readdirSync('/proc/self/fd').length,
    listeners: process.eventNames().map((name) => [name, process.listenerCount(name)]),
    children: children.split('\n').filter((line) => line !== '' && !line.includes('ps -o')).length,
    zombies: children.split('\n').filter((line) => line.startsWith('Z')).length,
    pipes: process.getActiveResourcesInfo().filter((name) => /Pipe|Process|Timeout/.test(name)),
  };
}

/** The folder that holds the pipes, as seen from inside a hook. */
const scratchFolder = async (): Promise<string> =>
  join((await runToExit('readlink /proc/$$/fd/1')).stdout.trim(), '..');

const warnings: Error[] = [];
const keep = (warning: Error): void => void warnings.push(warning);
const rejections: unknown[] = [];
const keepRejection = (reason: unknown): void => void rejections.push(reason);

beforeAll(async () => {
  process.on('warning', keep).on('unhandledRejection', keepRejection);
  // The first hooks start what all share, and shells are kept once they are used again.
  for (let round = 0; round < 2; round++) {
    await Promise.all(Array.from({ length: 8 }, () => runHook('true')));
    await settled();
  }
});
afterAll(() => {
  process.off('warning', keep).off('unhandledRejection', keepRejection);
});

/** Waits until the event loop has closed what must be closed, and started the shells that wait. */
async function settled(): Promise<void> {
  for (let last = ''; last !== JSON.stringify(holdings()); await sleep(100))
    last = JSON.stringify(holdings());
}

async function leavesNothing(run: () => Promise<unknown>): Promise<void> {
  await settled();
  const before = holdings();
  await run();
  await settled();
  expect(holdings()).toEqual(before);
}

describe('nothing is left behind: no descriptor, listener, child or zombie', () => {
  test('streams that were given to no process leave nothing behind', () =>
    leavesNothing(async () => {
      for (let round = 0; round < 10; round++) new HookStreams().release();
    }));

  test('streams that are released twice leave nothing behind, and take nothing from others', () =>
    leavesNothing(async () => {
      const streams = new HookStreams();
      streams.release();
      const others = Array.from({ length: 8 }, () => openSync('/dev/null', 'r'));
      streams.release();
      for (const fd of others) closeSync(fd);
      const [one, other] = [new HookStreams(), new HookStreams()];
      const inodes = [one, other].flatMap((own) =>
        own.handOver((stdio) => stdio.slice(1).map((fd) => fstatSync(fd as number).ino)),
      );
      expect(new Set(inodes).size).toBe(4);
      one.release();
      other.release();
    }));

  test('200 hooks leave nothing behind', () =>
    leavesNothing(async () => {
      for (let round = 0; round < 50; round++)
        await Promise.all(Array.from({ length: 4 }, () => runToExit('cat; echo x >&2; exit 2')));
    }));

  test('hooks that cannot start leave nothing behind', () =>
    leavesNothing(async () => {
      for (let round = 0; round < 20; round++) {
        await runHook('true', { cwd: '/proc/no-folder' });
        await runHook('a\0b');
        await runHook(`: ${'x'.repeat(200_000)}`);
        await runHook('true', {
          stdin: () => {
            throw new Error('no input');
          },
        });
      }
    }));

  test('hooks that time out or leave processes behind leave no resources behind', () =>
    leavesNothing(() =>
      Promise.all([
        ...Array.from({ length: 5 }, () => runHook('sleep 100 | cat', { timeout: 100 })),
        ...Array.from({ length: 5 }, () => runHook('sleep 100 & exit 2')),
        ...Array.from({ length: 5 }, () => runHook('sleep 100 > /dev/null 2>&1 & exit 2')),
        ...Array.from({ length: 5 }, () =>
          runHook("trap '' TERM; while :; do sleep 1; done", { timeout: 100, grace: 50 }),
        ),
      ]),
    ));

  test('actors that were stopped leave nothing behind', () =>
    leavesNothing(async () => {
      const actors = Array.from({ length: 10 }, () => hookActor('sleep 100 | cat').start());
      actors.push(hookActor('true', { cwd: '/proc/no-folder' }).start());
      for (const actor of actors) actor.stop();
      await settled();
    }));

  test('hooks with megabytes of unread input leave nothing behind', () =>
    leavesNothing(() =>
      Promise.all(
        Array.from({ length: 5 }, () => runToExit('exit 0', { stdin: 'x'.repeat(2_000_000) })),
      ),
    ));
});

/** The pipes that a hook has for its outputs. */
const inodes = async (): Promise<string[]> =>
  (await runToExit('stat -L -c %i /proc/$$/fd/1 /proc/$$/fd/2; sleep 0.05')).stdout
    .trim()
    .split('\n');

test('pipes are reused by one hook after the other, and never by two at a time', async () => {
  const folder = await scratchFolder();
  const together = await Promise.all(Array.from({ length: 4 }, inodes));
  expect(new Set(together.flat()).size).toBe(8);
  const made = readdirSync(folder).length;
  for (let round = 0; round < 20; round++) await inodes();
  expect(readdirSync(folder)).toHaveLength(made);
});

test('nothing of the input or the output stays on a disk', async () => {
  const folder = await scratchFolder();
  await runToExit('cat', { stdin: 'secret' });
  expect(readdirSync(folder).filter((name) => !name.startsWith('pipe-'))).toEqual([]);
});

test('a folder that a cleaner removed is created again', async () => {
  const folder = await scratchFolder();
  execFileSync('rm', ['-rf', folder]);
  expect(await runToExit('cat /dev/stdin; echo x > /dev/stderr')).toMatchObject({
    stdout: '{}',
    stderr: 'x\n',
  });
  expect(await scratchFolder()).not.toBe(folder);
});

test('only this user can look into the folder', async () => {
  const { stdout } = await runToExit('stat -c %a "$(dirname "$(readlink /proc/$$/fd/1)")"');
  expect(stdout).toBe('700\n');
});

test('no test caused a warning or an unhandled rejection', () => {
  expect({ warnings, rejections }).toEqual({ warnings: [], rejections: [] });
});
