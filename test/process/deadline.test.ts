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

/** Blocks the event loop, as a host does that is busy. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const readIfThere = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** Writes the leader's pid. */
const begun = 'echo $$ > leader';

/** Runs a hook past its deadline, whose time starts when its command has `begun`. */
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

describe.concurrent('a hook past its deadline ends, with all it started (HOOK-117, 118, C-33)', () => {
  test.each([
    ['sleeping', `${begun}; sleep 100`, 'SIGTERM'],
    ['waiting for a child', `${begun}; sleep 100; echo never`, 'SIGTERM'],
    ['a pipeline', `${begun}; sleep 50 | sleep 60`, 'SIGTERM'],
    ['busy', `${begun}; while :; do :; done`, 'SIGTERM'],
    ['stopped', `${begun}; kill -STOP $$`, 'SIGTERM'],
    ['with stopped children', `sleep 100 & kill -STOP $!; ${begun}; wait`, 'SIGTERM'],
    ['deaf to SIGTERM (HOOK-118)', `trap '' TERM; ${begun}; sleep 100; sleep 100`, 'SIGKILL'],
    ['deaf and stopped', `trap '' TERM; ${begun}; kill -STOP $$; sleep 100`, 'SIGKILL'],
    ['with a deaf child', `(trap '' TERM; ${begun}; sleep 100) | cat`, 'SIGTERM'],
    ['behind a timeout of its own', `${begun}; timeout 100 sleep 100; echo never`, 'SIGTERM'],
    [
      'behind a deaf timeout',
      `timeout 100 sh -c 'trap "" TERM; echo $0 > leader; sleep 100' $$; exit`,
      'SIGTERM',
    ],
    ['in process groups of its own', `set -m; sleep 100 | sleep 100 & ${begun}; wait`, 'SIGTERM'],
    [
      'starting groups on and on',
      `trap '' TERM; ${begun}; while :; do timeout 9 sleep 0.01; done`,
      'SIGKILL',
    ],
    ['waiting for input of its own making', `mkfifo f; ${begun}; cat f`, 'SIGTERM'],
  ])('%s', async (_, command, signal) => {
    const grace = signal === 'SIGKILL' ? 200 : 4_000;
    const { outcome, leader } = await overrun(command, { grace });
    expect(outcome).toMatchObject({ status: 'timedOut', timeout: 300, exit: { signal } });
    expect(lives(leader)).toBe(false);
  });

  test('what it had written is kept (C-34, HOOK-119)', async () => {
    const { outcome } = await overrun(`echo partial; echo so far >&2; ${begun}; sleep 100`);
    expect(outcome).toMatchObject({ exit: { stdout: 'partial\n', stderr: 'so far\n' } });
  });

  test('an exit code in answer to SIGTERM does not count', async () => {
    const { outcome } = await overrun(`trap 'echo "{}"; exit 0' TERM; ${begun}; sleep 100 & wait`);
    expect(outcome).toMatchObject({ status: 'timedOut', exit: { exitCode: 0, signal: null } });
  });

  test('a clean-up on SIGTERM runs to its end (B23)', async () => {
    const command = `trap 'sleep 0.3; echo done > cleaned' EXIT; trap 'exit 1' TERM; ${begun}; sleep 100 & wait`;
    const { cwd, leader } = await overrun(command, { grace: 5000 });
    expect(readFileSync(join(cwd, 'cleaned'), 'utf8')).toBe('done\n');
    expect(lives(leader)).toBe(false);
  });

  test('a clean-up that only EXIT is trapped for runs too (B23)', async () => {
    const { cwd } = await overrun(`touch tmp; trap 'rm tmp' EXIT; ${begun}; sleep 100; sleep 100`, {
      grace: 5000,
    });
    expect(existsSync(join(cwd, 'tmp'))).toBe(false);
  });

  test('a session of its own does not hold up the outcome', async () => {
    const { cwd, outcome } = await overrun(
      `setsid sh -c 'echo $$ > left; exec sleep 100' & while [ ! -s left ]; do sleep 0.01; done; ${begun}; wait`,
    );
    const left = await numberIn(join(cwd, 'left'));
    expect(outcome.status).toBe('timedOut');
    if (isAlive(left)) process.kill(left, 'SIGKILL');
  });
});

describe('the deadline', () => {
  test('starts anew for each hook and is over when the hook is', async () => {
    expect(await runHook('exit 2', { timeout: 5000 })).toMatchObject({ status: 'exited' });
  });

  test.each([2 ** 31, 1e12, Number.MAX_SAFE_INTEGER, Infinity])(
    'of %d ms is no deadline of one',
    async (timeout) => {
      expect(await runHook('sleep 0.1; echo x', { timeout })).toMatchObject({ status: 'exited' });
    },
  );

  test('spares an answer given in time that a busy host has not seen', async () => {
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

  test('counts for a hook that still runs when a busy host looks again', async () => {
    const actor = hookActor('sleep 100', { timeout: 300 });
    const outcome = toPromise(actor);
    actor.start();
    block(900);
    expect(await outcome).toMatchObject({ status: 'timedOut' });
  });

  test('of draining spares an end that a busy host has not seen', async () => {
    const actor = hookActor('sleep 1; echo no >&2; exit 2');
    const outcome = toPromise(actor);
    const isDraining = waitFor(actor, (snapshot) => snapshot.matches({ alive: 'draining' }));
    // The hook ends while its neighbour is read, and so is known to have exited before it is read.
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

  test('does not run while the hook is drained', async () => {
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

test('a hook is never both: one outcome per run, whatever the race', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      runHook('sleep 0.2; echo x', { timeout: 190 + index * 2 }),
    ),
  );
  for (const outcome of outcomes)
    if (outcome.status === 'exited') expect(outcome.exit.stdout).toBe('x\n');
    else expect(outcome.status).toBe('timedOut');
});
