import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toPromise, waitFor } from 'xstate';
import {
  blockUntil,
  foldersUntilTheEnd,
  hookActor,
  isAlive,
  lives,
  numberIn,
  runHook,
} from './run-hook.ts';

const makeFolder = foldersUntilTheEnd();

/** Blocks the event loop, like a busy host. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const readIfThere = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** Writes the leader's pid. */
const begun = 'echo $$ > leader';

/** Runs a hook past its deadline, which is counted from when its command has `begun`. */
async function overrun(command: string, options: { grace?: number } = {}) {
  const cwd = makeFolder();
  const deadlineFrom = join(cwd, 'leader');
  const outcome = await runHook(command, {
    timeout: 300,
    deadlineFrom,
    grace: 200,
    cwd,
    ...options,
  });
  return { cwd, outcome, leader: await numberIn(deadlineFrom) };
}

describe.concurrent('a hook past its deadline ends, with everything it started (HOOK-117, 118, C-33)', () => {
  test.each([
    ['that sleeps', `${begun}; sleep 100`, 'SIGTERM'],
    ['that waits for a child', `${begun}; sleep 100; echo never`, 'SIGTERM'],
    ['with a pipeline', `${begun}; sleep 50 | sleep 60`, 'SIGTERM'],
    ['that is busy', `${begun}; while :; do :; done`, 'SIGTERM'],
    ['that is stopped', `${begun}; kill -STOP $$`, 'SIGTERM'],
    ['with stopped children', `sleep 100 & kill -STOP $!; ${begun}; wait`, 'SIGTERM'],
    ['that ignores SIGTERM (HOOK-118)', `trap '' TERM; ${begun}; sleep 100; sleep 100`, 'SIGKILL'],
    [
      'that ignores SIGTERM and is stopped',
      `trap '' TERM; ${begun}; kill -STOP $$; sleep 100`,
      'SIGKILL',
    ],
    ['with a child that ignores SIGTERM', `(trap '' TERM; ${begun}; sleep 100) | cat`, 'SIGTERM'],
    ['with a timeout command of its own', `${begun}; timeout 100 sleep 100; echo never`, 'SIGTERM'],
    [
      'with a timeout command whose child ignores SIGTERM',
      `timeout 100 sh -c 'trap "" TERM; echo $0 > leader; sleep 100' $$; exit`,
      'SIGTERM',
    ],
    ['with process groups of its own', `set -m; sleep 100 | sleep 100 & ${begun}; wait`, 'SIGTERM'],
    [
      'that keeps starting groups',
      `trap '' TERM; ${begun}; while :; do timeout 9 sleep 0.01; done`,
      'SIGKILL',
    ],
    ['that waits for its own FIFO', `mkfifo f; ${begun}; cat f`, 'SIGTERM'],
  ])('a hook %s ends at its deadline', async (_, command, signal) => {
    const grace = signal === 'SIGKILL' ? 200 : 4_000;
    const { outcome, leader } = await overrun(command, { grace });
    expect(outcome).toMatchObject({ status: 'timedOut', timeout: 300, exit: { signal } });
    expect(lives(leader)).toBe(false);
  });

  test('the output of a hook that misses its deadline is kept (C-34, HOOK-119)', async () => {
    const { outcome } = await overrun(`echo partial; echo so far >&2; ${begun}; sleep 100`);
    expect(outcome).toMatchObject({ exit: { stdout: 'partial\n', stderr: 'so far\n' } });
  });

  test('an exit code in response to SIGTERM does not count', async () => {
    const { outcome } = await overrun(`trap 'echo "{}"; exit 0' TERM; ${begun}; sleep 100 & wait`);
    expect(outcome).toMatchObject({ status: 'timedOut', exit: { exitCode: 0, signal: null } });
  });

  test('a clean-up on SIGTERM runs to completion (B23)', async () => {
    const command = `trap 'sleep 0.3; echo done > cleaned' EXIT; trap 'exit 1' TERM; ${begun}; sleep 100 & wait`;
    const { cwd, leader } = await overrun(command, { grace: 5000 });
    expect(readFileSync(join(cwd, 'cleaned'), 'utf8')).toBe('done\n');
    expect(lives(leader)).toBe(false);
  });

  test('a clean-up that is trapped only for EXIT also runs (B23)', async () => {
    const { cwd } = await overrun(`touch tmp; trap 'rm tmp' EXIT; ${begun}; sleep 100; sleep 100`, {
      grace: 5000,
    });
    expect(existsSync(join(cwd, 'tmp'))).toBe(false);
  });

  test('a process in a session of its own does not delay the outcome', async () => {
    const { cwd, outcome } = await overrun(
      `setsid sh -c 'echo $$ > left; exec sleep 100' & while [ ! -s left ]; do sleep 0.01; done; ${begun}; wait`,
    );
    const left = await numberIn(join(cwd, 'left'));
    expect(outcome.status).toBe('timedOut');
    if (isAlive(left)) process.kill(left, 'SIGKILL');
  });
});

describe('the deadline', () => {
  test('each hook has its own deadline, which ends with the hook', async () => {
    expect(await runHook('exit 2', { timeout: 5000 })).toMatchObject({ status: 'exited' });
  });

  test.each([2 ** 31, 1e12, Number.MAX_SAFE_INTEGER, Infinity])(
    'a deadline of %d ms does not fire at once',
    async (timeout) => {
      expect(await runHook('sleep 0.1; echo x', { timeout })).toMatchObject({ status: 'exited' });
    },
  );

  test('the deadline spares an answer given in time that a busy host has not seen yet', async () => {
    const cwd = makeFolder();
    const actor = hookActor(`echo no >&2; ${begun}; exit 2`, { timeout: 300, cwd });
    const outcome = toPromise(actor);
    actor.start();
    blockUntil(() => {
      const leader = Number(readIfThere(join(cwd, 'leader')));
      return leader > 0 && !isAlive(leader);
    });
    block(300);
    expect(await outcome).toMatchObject({
      status: 'exited',
      exit: { exitCode: 2, stderr: 'no\n' },
      leftBackground: false,
    });
  });

  test('the deadline ends a hook that is still running when a busy host looks again', async () => {
    const actor = hookActor('sleep 100', { timeout: 300 });
    const outcome = toPromise(actor);
    actor.start();
    block(900);
    expect(await outcome).toMatchObject({ status: 'timedOut' });
  });

  test('the limit on draining spares an end that a busy host has not seen yet', async () => {
    const actor = hookActor('sleep 1; echo no >&2; exit 2');
    const outcome = toPromise(actor);
    const isDraining = waitFor(actor, (snapshot) => snapshot.matches({ alive: 'draining' }));
    // The hook ends while its neighbour's output is read, so its exit is known before its output is read.
    const neighbour = spawn('echo', ['x']);
    neighbour.stdout.once('data', () => block(1_500));
    actor.start();
    block(200);
    blockUntil(() => !isAlive(neighbour.pid!));
    await isDraining;
    block(150);
    expect(await outcome).toMatchObject({
      status: 'exited',
      exit: { exitCode: 2, stderr: 'no\n' },
      leftBackground: false,
    });
  });

  test('the deadline does not run while the hook is drained', async () => {
    const deadlineFrom = join(makeFolder(), 'draining');
    const actor = hookActor("(trap '' TERM; sleep 100) & exit 2", { timeout: 50, deadlineFrom });
    actor.subscribe((snapshot) => {
      if (snapshot.matches({ alive: 'draining' })) writeFileSync(deadlineFrom, 'so it is');
    });
    const outcome = toPromise(actor);
    actor.start();
    expect(await outcome).toMatchObject({ status: 'exited', exit: { exitCode: 2 } });
  });
});

test('a run has exactly one outcome, whatever the race between exit and deadline', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      runHook('sleep 0.2; echo x', { timeout: 190 + index * 2 }),
    ),
  );
  for (const outcome of outcomes)
    if (outcome.status === 'exited') expect(outcome.exit.stdout).toBe('x\n');
    else expect(outcome.status).toBe('timedOut');
});
