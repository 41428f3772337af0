import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findProgram } from '../../src/process/index.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { waitUntil } from '../support/until.ts';
import { isAlive, lives, numberIn, type Options, runHook, runToExit } from './run-hook.ts';

/** Runs a hook that leaves something behind; its command writes the leader's pid to `leader`, and that of what it left to `left`. */
async function leaveBehind(command: string, options?: Options) {
  const cwd = tempFolder();
  const exit = await runToExit(`echo $$ > leader; ${command}`, { ...options, cwd });
  return {
    ...exit,
    cwd,
    leader: await numberIn(join(cwd, 'leader')),
    left: await numberIn(join(cwd, 'left')),
  };
}

/** Waits for what `left` is to hold. */
const until = 'until [ -s left ]; do sleep 0.01; done';
const deny = `echo '{"decision":"deny"}'`;
const answer = { exitCode: 0, stdout: '{"decision":"deny"}\n', leftBackground: true };

describe('an answer counts although something runs on in the background, which ends', () => {
  test.each([
    ['holding the streams', 'sleep 100 & echo $! > left'],
    ['with redirected streams', 'sleep 100 > /dev/null 2>&1 & echo $! > left'],
    ['with all streams closed', 'sleep 100 <&- >&- 2>&- & echo $! > left'],
    ['deaf to SIGHUP', 'nohup sleep 100 & echo $! > left'],
    ['disowned', 'sleep 100 & echo $! > left; disown -a'],
    ['deaf to SIGTERM', "(trap '' TERM; sleep 100) & echo $! > left"],
    ['stopped', 'sleep 100 & echo $! > left; kill -STOP $!'],
    ['writing on and on', 'yes >&2 & echo $! > left'],
    ['in a process group of its own', 'set -m; sleep 100 & echo $! > left'],
    [
      'in a process group of its own, without our streams',
      'set -m; sleep 100 < /dev/null > /dev/null 2>&1 & echo $! > left',
    ],
    ['behind a timeout', 'timeout 100 sleep 100 & echo $! > left'],
    ['behind a shell that starts it anew', 'while :; do sleep 0.01; done & echo $! > left'],
  ])('%s', async (_, command) => {
    const { left, leader, ...exit } = await leaveBehind(`${command}; ${deny}`);
    expect(exit).toMatchObject(answer);
    expect(isAlive(left)).toBe(false);
    expect(lives(leader)).toBe(false);
  });

  test('a shell that waits out SIGTERM with its child', async () => {
    const command = `bash -c 'trap "" TERM; echo $$ > left; sleep 100; sleep 100' & ${until}; ${deny}`;
    const { left, leader, ...exit } = await leaveBehind(command);
    expect(exit).toMatchObject(answer);
    expect(isAlive(left) || lives(leader)).toBe(false);
  });

  test('what cleans up on SIGTERM has the time for it', async () => {
    const command = `(trap 'sleep 0.05; echo > cleaned; exit' TERM; echo $BASHPID > left; sleep 100 & wait) & ${until}; ${deny}`;
    const { cwd, leader, ...exit } = await leaveBehind(command, { sweep: 10_000 });
    expect(exit).toMatchObject(answer);
    expect(existsSync(join(cwd, 'cleaned'))).toBe(true);
    expect(lives(leader)).toBe(false);
  });

  test('a denial by exit code keeps its reason', async () => {
    const command = 'sleep 100 & echo $! > left; echo no >&2; exit 2';
    expect(await leaveBehind(command)).toMatchObject({
      exitCode: 2,
      stderr: 'no\n',
      leftBackground: true,
    });
  });
});

/** A daemon as the books have it, deaf to SIGTERM. */
const daemon = `python3 -c '
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
for fd in (0, 1, 2): os.close(fd)
open("left", "w").write(str(os.getpid()) + chr(10))
time.sleep(100)
'&`;

/** The same with a hook whose daemons end with it. */
const leaveEnding = (command: string) => leaveBehind(command, { leftBehind: 'end' });

describe('what left for a session of its own, with "leftBehind": "end"', () => {
  test.each([
    ['holds the streams', `setsid sh -c 'echo $$ > left; exec sleep 100' &`],
    ['holds nothing', `setsid sh -c 'echo $$ > left; exec sleep 100' >/dev/null 2>&1 &`],
    ['is deaf', `setsid sh -c 'trap "" TERM; echo $$ > left; sleep 100; sleep 100' &`],
    ['has stopped itself', `setsid sh -c 'echo $$ > left; kill -STOP $$' &`],
    ['forked twice, as daemons do', daemon],
    [
      'went on from child to child',
      `setsid sh -c '(sleep 0.05; setsid sh -c "echo \\$\\$ > left; sleep 100" &) &' &`,
    ],
  ])('ends with the hook, whose answer counts: it %s', async (_, start) => {
    const { left, ...exit } = await leaveEnding(`${start} ${until}; ${deny}`);
    expect(exit).toMatchObject(answer);
    expect(exit).not.toHaveProperty('survivors');
    expect(isAlive(left)).toBe(false);
  });

  test('is notified by SIGTERM, once', async () => {
    const { cwd } = await leaveEnding(
      `setsid sh -c 'trap "echo asked >> asked" TERM; echo $$ > left; sleep 100 & wait; wait' & ${until}; ${deny}`,
    );
    expect(readFileSync(join(cwd, 'asked'), 'utf8')).toBe('asked\n');
  });

  test('ends at the deadline of its hook too', async () => {
    const cwd = tempFolder();
    const command = `setsid sh -c 'trap "" TERM; echo $$ > left; sleep 100; :' & sleep 100`;
    const left = join(cwd, 'left');
    const options = {
      cwd,
      timeout: 100,
      deadlineFrom: left,
      grace: 300,
      leftBehind: 'end' as const,
    };
    expect(await runHook(command, options)).toMatchObject({ status: 'timedOut' });
    expect(isAlive(await numberIn(left))).toBe(false);
  });

  test('is let go when it gave up the variable that says whose it is', async () => {
    const { left, ...exit } = await leaveEnding(
      `env -u HOOKMACHINE_HOOK setsid sh -c 'echo $$ > left; exec sleep 100' & ${until}; ${deny}`,
    );
    expect(exit).toMatchObject(answer);
    expect(isAlive(left)).toBe(true);
    process.kill(left, 'SIGKILL');
  });
});

/** Every 10 ms something is written to what may be a broken pipe; who lives on writes its file. */
const writer = `setsid sh -c 'echo $$ > left; while :; do echo x; echo > alive; sleep 0.01; done' &`;

describe.each(['end-group', undefined] as const)(
  'what left for a session of its own lives on with "leftBehind": %j',
  (leftBehind) => {
    test.each([
      ['holds the streams', `setsid sh -c 'echo $$ > left; exec sleep 100' &`],
      ['holds nothing', `setsid sh -c 'echo $$ > left; exec sleep 100' >/dev/null 2>&1 &`],
      ['forked twice, as daemons do', daemon],
    ])('%s', async (_, start) => {
      const { left, leader, ...exit } = await leaveBehind(`${start} ${until}; ${deny}`, {
        // What forks twice may take its time on a busy machine.
        drain: 2_000,
        ...(leftBehind && { leftBehind }),
      });
      onTestFinished(() => void process.kill(left, 'SIGKILL'));
      expect(exit).toMatchObject({ ...answer, leftBackground: false });
      expect(isAlive(left)).toBe(true);
      expect(lives(leader)).toBe(false);
    });
  },
);

test('a daemon that writes on and on to its streams lives on', async () => {
  const { cwd, left } = await leaveBehind(`${writer} ${until}; ${deny}`);
  onTestFinished(() => void process.kill(-left, 'SIGKILL'));
  for (let round = 0; round < 3; round++) {
    rmSync(join(cwd, 'alive'), { force: true });
    await waitUntil(() => existsSync(join(cwd, 'alive')));
  }
});

test('a hook leaves its daemon, and its group ends, which is reported', async () => {
  const { cwd, left, leader, ...exit } = await leaveBehind(
    `${daemon} ${until}; sleep 100 & echo $! > inside; ${deny}`,
  );
  onTestFinished(() => void process.kill(left, 'SIGKILL'));
  expect(exit).toMatchObject(answer);
  expect(isAlive(left)).toBe(true);
  expect(isAlive(await numberIn(join(cwd, 'inside')))).toBe(false);
  expect(lives(leader)).toBe(false);
});

test.each([
  ['in its group, holding the streams', 'sleep 100 & echo $! > left;'],
  ['in its group, without streams', 'sleep 100 > /dev/null 2>&1 & echo $! > left;'],
  ['in a session of its own', `setsid sh -c 'echo $$ > left; exec sleep 100' & ${until};`],
])('what it left lives on with "leftBehind": "leave": %s', async (_, start) => {
  const {
    left,
    leader: _leader,
    ...exit
  } = await leaveBehind(`${start} ${deny}`, {
    leftBehind: 'leave',
  });
  onTestFinished(() => void process.kill(left, 'SIGKILL'));
  expect(exit).toMatchObject({ ...answer, leftBackground: false });
  expect(isAlive(left)).toBe(true);
});

describe.each(['end-group', 'end', 'leave'] as const)(
  'a hook that did not end in time leaves nothing, with "leftBehind": "%s"',
  (leftBehind) => {
    test.each([
      ['a daemon', daemon],
      ['a child', 'sleep 100 & echo $! > left;'],
    ])('%s', async (_, start) => {
      const cwd = tempFolder();
      const left = join(cwd, 'left');
      const options = { cwd, timeout: 50, deadlineFrom: left, grace: 300, leftBehind };
      expect(await runHook(`${start} sleep 100`, options)).toMatchObject({ status: 'timedOut' });
      expect(isAlive(await numberIn(left))).toBe(false);
    });
  },
);

test.skipIf(findProgram('ssh-agent') === undefined)(
  'an ssh-agent that a hook starts lives on (skipped where there is none)',
  async () => {
    const { left, ...exit } = await leaveBehind(
      `eval "$(ssh-agent -s)" > /dev/null; echo $SSH_AGENT_PID > left; ${deny}`,
    );
    onTestFinished(() => void process.kill(left, 'SIGKILL'));
    expect(exit).toMatchObject({ ...answer, leftBackground: false });
    expect(isAlive(left)).toBe(true);
  },
);

test('a pipe that is still held never serves another hook', async () => {
  const { left } = await leaveBehind(
    `env -i PATH="$PATH" setsid sh -c 'trap "" PIPE; echo $$ > left; while :; do echo stray; sleep 0.001; done' 2>/dev/null & ${until}; ${deny}`,
  );
  onTestFinished(() => void process.kill(-left, 'SIGKILL'));
  for (let round = 0; round < 20; round++)
    expect((await runToExit('sleep 0.005; echo mine')).stdout).toBe('mine\n');
  expect(isAlive(left)).toBe(true);
});

test('what ends by itself within the drain is no background process', async () => {
  expect(await runToExit('sleep 0.03 & echo x', { drain: 10_000 })).toMatchObject({
    stdout: 'x\n',
    leftBackground: false,
  });
});

test('nothing left, nothing said', async () => {
  expect(await runToExit('sleep 0.01 & wait; echo x')).toMatchObject({ leftBackground: false });
});
