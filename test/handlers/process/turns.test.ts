import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { SimulatedClock, toPromise } from 'xstate';
import { tempFolder } from '../../support/temp-folder.ts';
import { hookActor, runHook } from './run-hook.ts';

afterEach(() => vi.unstubAllEnvs());

/** Runs hooks that log when they begin and end; returns the log. */
async function runTogether(count: number, wait = 'sleep 0.05'): Promise<string[]> {
  const cwd = tempFolder();
  const commands = Array.from(
    { length: count },
    (_, index) => `echo begin ${index} >> log; ${wait}; echo end >> log`,
  );
  await Promise.all(commands.map((command) => runHook(command, { cwd })));
  return readFileSync(join(cwd, 'log'), 'utf8').trim().split('\n');
}

/** How many ran at once, according to the log. */
function mostAtOnce(log: readonly string[]): number {
  let [now, most] = [0, 0];
  for (const line of log) {
    now += line === 'end' ? -1 : 1;
    most = Math.max(most, now);
  }
  return most;
}

describe('a limit on the hooks that run at once (G-03)', () => {
  test('a limit of one lets hooks begin one after the other, in the order in which they were requested', async () => {
    vi.stubEnv('HOOKMACHINE_HOOK_LIMIT', '1');
    const log = await runTogether(6);
    expect(log).toEqual([0, 1, 2, 3, 4, 5].flatMap((index) => [`begin ${index}`, 'end']));
  });

  test('the limit is never exceeded, and is fully used', async () => {
    vi.stubEnv('HOOKMACHINE_HOOK_LIMIT', '3');
    // The first three wait for one another.
    const company = 'until [ $(grep -c begin log) -ge 3 ]; do sleep 0.01; done; sleep 0.05';
    expect(mostAtOnce(await runTogether(12, company))).toBe(3);
  });

  test('the default limit lets the hooks of one event run side by side', async () => {
    vi.stubEnv('HOOKMACHINE_HOOK_LIMIT', undefined);
    const cwd = tempFolder();
    const meet = 'echo >> log; until [ $(wc -l < log) -ge 16 ]; do sleep 0.01; done';
    const outcomes = await Promise.all(Array.from({ length: 16 }, () => runHook(meet, { cwd })));
    expect(outcomes.every(({ status }) => status === 'exited')).toBe(true);
  });

  test('the default limit keeps a hundred hooks from running at once', async () => {
    vi.stubEnv('HOOKMACHINE_HOOK_LIMIT', undefined);
    const limit = Math.max(16, 4 * availableParallelism());
    expect(mostAtOnce(await runTogether(limit * 2))).toBeLessThanOrEqual(limit);
  });

  test.each(['0', '-1', 'many', '2.5'])(
    'an invalid limit (%s) is reported and ignored',
    async (limit) => {
      const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
      vi.stubEnv('HOOKMACHINE_HOOK_LIMIT', limit);
      expect(await runHook('true')).toMatchObject({ status: 'exited' });
      expect(await runHook('true')).toMatchObject({ status: 'exited' });
      expect(warned.mock.calls).toEqual([
        [expect.stringContaining(`HOOKMACHINE_HOOK_LIMIT is "${limit}"`)],
      ]);
      warned.mockRestore();
    },
  );
});

/** Holds the only turn until it is released. */
function occupy() {
  vi.stubEnv('HOOKMACHINE_HOOK_LIMIT', '1');
  const actor = hookActor('sleep 100');
  const outcome = toPromise(actor);
  actor.start();
  return async () => {
    actor.send({ type: 'cancel', reason: 'let go' });
    return outcome;
  };
}

describe('a hook that waits for its turn', () => {
  test('a hook that waits for its turn does not use up its deadline', async () => {
    const letGo = occupy();
    const clock = new SimulatedClock();
    const outcome = runHook('echo x', { timeout: 2_000, clock });
    clock.increment(2_300);
    await letGo();
    expect(await outcome).toMatchObject({ status: 'exited', exit: { stdout: 'x\n' } });
  });

  test('a hook that waits for its turn can be cancelled, never runs, and holds up no other hook', async () => {
    const letGo = occupy();
    const cwd = tempFolder();
    const cancelled = hookActor('touch ran', { cwd });
    const outcome = toPromise(cancelled);
    cancelled.start();
    const next = runHook('ls', { cwd });
    cancelled.send({ type: 'cancel', reason: 'changed my mind' });
    expect(await outcome).toMatchObject({ status: 'cancelled', reason: 'changed my mind' });
    await letGo();
    expect(await next).toMatchObject({ status: 'exited', exit: { stdout: '' } });
  });

  test('a hook that waits for its turn can be stopped, and never runs', async () => {
    const letGo = occupy();
    const cwd = tempFolder();
    const stopped = hookActor('touch ran', { cwd }).start();
    const next = runHook('ls', { cwd });
    stopped.stop();
    await letGo();
    expect(await next).toMatchObject({ status: 'exited', exit: { stdout: '' } });
  });

  test.each([
    ['cannot start', 'true', { cwd: '/proc/no-folder' }, 'failed'],
    ['leaves something behind', 'sleep 100 & exit 2', {}, 'exited'],
    ['misses its deadline', 'sleep 100', { timeout: 50 }, 'timedOut'],
    ['is killed', 'kill -9 $$', {}, 'exited'],
  ])('a hook gets its turn after one that %s', async (_, command, options, status) => {
    vi.stubEnv('HOOKMACHINE_HOOK_LIMIT', '1');
    const [first, second] = await Promise.all([runHook(command, options), runHook('echo x')]);
    expect(first).toMatchObject({ status });
    expect(second).toMatchObject({ status: 'exited', exit: { stdout: 'x\n' } });
  });

  test('a hook gets its turn after one whose actor was stopped', async () => {
    vi.stubEnv('HOOKMACHINE_HOOK_LIMIT', '1');
    hookActor('sleep 100').start().stop();
    expect(await runHook('echo x')).toMatchObject({ exit: { stdout: 'x\n' } });
  });
});
