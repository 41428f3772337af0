import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toPromise, waitFor } from 'xstate';
import { tempFolder } from '../../support/temp-folder.ts';
import { hookActor, lives, numberIn, type Options } from './run-hook.ts';

type State = 'starting' | 'running' | 'draining' | 'sweeping' | 'terminating' | 'killing';

/** Whether any process has this folder as its working directory. */
const livesIn = (folder: string): boolean =>
  readdirSync('/proc').some((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  });

/** Writes the leader's pid. */
const begun = 'echo $$ > leader';

/** Starts a hook, and calls `act` as soon as the hook has `begun` and its machine is in the given state. */
async function meet(
  state: State,
  command: string,
  act: (actor: ReturnType<typeof hookActor>) => void,
  options: Options = {},
) {
  const cwd = tempFolder();
  const deadlineFrom = join(cwd, 'leader');
  const actor = hookActor(command, { cwd, deadlineFrom, grace: 300, ...options });
  const leader = () => numberIn(deadlineFrom);
  if (state === 'starting') act(actor.start());
  else {
    actor.start();
    if (state === 'running') await leader();
    await waitFor(actor, (snapshot) => snapshot.matches({ alive: state }));
    act(actor);
  }
  return { actor, cwd, leader };
}

const deaf = `trap '' TERM; ${begun}; while :; do sleep 0.05; done`;
const leavesDeaf =
  "(trap '' TERM; echo $$ > leader; sleep 100) & until [ -s leader ]; do sleep 0.01; done; exit 2";

const inEveryState: [State, string, Options?][] = [
  ['starting', `${begun}; sleep 100`],
  ['running', `${begun}; sleep 100`],
  ['running', `${begun}; sleep 50 | sleep 60`],
  ['running', deaf],
  ['draining', `${begun}; sleep 100 & exit 2`],
  ['draining', leavesDeaf],
  ['sweeping', leavesDeaf],
  ['terminating', deaf, { timeout: 50 }],
  ['killing', deaf, { timeout: 50, grace: 10 }],
];

describe('cancelling', () => {
  test.each(inEveryState)(
    'cancelling while %s ends the group: %s (G-02)',
    async (state, command, options) => {
      const { actor, cwd, leader } = await meet(
        state,
        command,
        (hook) => hook.send({ type: 'cancel', reason: 'the user pressed Escape' }),
        options,
      );
      expect(await toPromise(actor)).toMatchObject({
        status: 'cancelled',
        reason: 'the user pressed Escape',
      });
      // A hook that was cancelled at its start may never have written its pid.
      if (state === 'starting') expect(livesIn(cwd)).toBe(false);
      else expect(lives(await leader())).toBe(false);
    },
  );

  test('cancelling before the start ends a hook that has hardly begun', async () => {
    const actor = hookActor('sleep 100');
    actor.send({ type: 'cancel', reason: 'changed my mind' });
    const outcome = toPromise(actor);
    actor.start();
    expect(await outcome).toMatchObject({ status: 'cancelled', reason: 'changed my mind' });
  });

  test('cancelling twice keeps the first reason, and does not prolong the grace period', async () => {
    // A grace period that began anew each time would never be over.
    const { actor } = await meet('running', deaf, (hook) => {
      hook.send({ type: 'cancel', reason: 'first' });
      const again = setInterval(() => hook.send({ type: 'cancel', reason: 'again' }), 50);
      hook.subscribe({ complete: () => clearInterval(again) });
    });
    expect(await toPromise(actor)).toMatchObject({ status: 'cancelled', reason: 'first' });
  });

  test('cancelling reports what the hook had done so far', async () => {
    const { actor } = await meet('running', `echo so far >&2; ${deaf}`, (hook) =>
      hook.send({ type: 'cancel', reason: 'x' }),
    );
    expect(await toPromise(actor)).toMatchObject({
      exit: { signal: 'SIGKILL', stderr: 'so far\n' },
    });
  });

  test('cancelling lets the hook clean up (B23)', async () => {
    const { actor } = await meet(
      'running',
      `trap 'echo cleaned; exit' TERM; ${begun}; sleep 100 & touch x; wait`,
      (hook) => hook.send({ type: 'cancel', reason: 'x' }),
      { grace: 5000 },
    );
    expect(await toPromise(actor)).toMatchObject({ exit: { stdout: 'cleaned\n' } });
  });

  test('cancelling a hook that cannot be started anyway has an outcome', async () => {
    const actor = hookActor('true', { cwd: '/proc/no-folder' });
    const outcome = toPromise(actor);
    actor.start().send({ type: 'cancel', reason: 'x' });
    expect(await outcome).toMatchObject({ status: 'failed' });
  });
});

test.each(inEveryState)(
  'stopping the actor while %s leaves nothing behind: %s',
  async (state, command, options) => {
    const { cwd, leader } = await meet(state, command, (hook) => void hook.stop(), options);
    const pid = state === 'starting' ? undefined : await leader();
    const isLeft = () => (pid === undefined ? livesIn(cwd) : lives(pid));
    await expect.poll(isLeft).toBe(false);
  },
);
