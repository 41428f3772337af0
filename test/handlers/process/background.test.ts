import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findProgram } from '../../../src/base/programs.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { waitUntil } from '../../support/until.ts';
import { isAlive, lives, numberIn, type Options, runHook, runToExit } from './run-hook.ts';

/**
 * Runs a hook that leaves something behind; its command writes the leader's pid to `leader`, and the pid of
 * what it left to `left`.
 */
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

/** Waits until `left` has been written. */
const until = 'until [ -s left ]; do sleep 0.01; done';
const deny = `echo '{"decision":"deny"}'`;
const answer = { exitCode: 0, stdout: '{"decision":"deny"}\n', leftBackground: true };

describe('an answer counts although something keeps running in the background, which is ended', () => {
  test.each([
    ['that holds the streams', 'sleep 100 & echo $! > left'],
    ['with redirected streams', 'sleep 100 > /dev/null 2>&1 & echo $! > left'],
    ['with all streams closed', 'sleep 100 <&- >&- 2>&- & echo $! > left'],
    ['that ignores SIGHUP', 'nohup sleep 100 & echo $! > left'],
    ['that is disowned', 'sleep 100 & echo $! > left; disown -a'],
    ['that ignores SIGTERM', "(trap '' TERM; sleep 100) & echo $! > left"],
    ['that is stopped', 'sleep 100 & echo $! > left; kill -STOP $!'],
    ['that keeps writing', 'yes >&2 & echo $! > left'],
    ['in a process group of its own', 'set -m; sleep 100 & echo $! > left'],
    [
      'in a process group of its own, without our streams',
      'set -m; sleep 100 < /dev/null > /dev/null 2>&1 & echo $! > left',
    ],
    ['run by timeout', 'timeout 100 sleep 100 & echo $! > left'],
    ['run by a shell that keeps restarting it', 'while :; do sleep 0.01; done & echo $! > left'],
  ])(
    "a hook's answer counts although it leaves a process %s, which is ended",
    async (_, command) => {
      const { left, leader, ...exit } = await leaveBehind(`${command}; ${deny}`);
      expect(exit).toMatchObject(answer);
      expect(isAlive(left)).toBe(false);
      expect(lives(leader)).toBe(false);
    },
  );

  test("a hook's answer counts although it leaves a shell that ignores SIGTERM together with its child", async () => {
    const command = `bash -c 'trap "" TERM; echo $$ > left; sleep 100; sleep 100' & ${until}; ${deny}`;
    const { left, leader, ...exit } = await leaveBehind(command);
    expect(exit).toMatchObject(answer);
    expect(isAlive(left) || lives(leader)).toBe(false);
  });

  test('a process left behind has time to clean up on SIGTERM', async () => {
    const command = `(trap 'sleep 0.05; echo > cleaned; exit' TERM; echo $BASHPID > left; sleep 100 & wait) & ${until}; ${deny}`;
    const { cwd, leader, ...exit } = await leaveBehind(command, { sweep: 10_000 });
    expect(exit).toMatchObject(answer);
    expect(existsSync(join(cwd, 'cleaned'))).toBe(true);
    expect(lives(leader)).toBe(false);
  });

  test('a denial by exit code keeps its reason although a process is left behind', async () => {
    const command = 'sleep 100 & echo $! > left; echo no >&2; exit 2';
    expect(await leaveBehind(command)).toMatchObject({
      exitCode: 2,
      stderr: 'no\n',
      leftBackground: true,
    });
  });
});

/** A textbook daemon that ignores SIGTERM. */
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

describe('a process in a session of its own, with "leftBehind": "end"', () => {
  test.each([
    ['holds the streams', `setsid sh -c 'echo $$ > left; exec sleep 100' &`],
    ['holds nothing', `setsid sh -c 'echo $$ > left; exec sleep 100' >/dev/null 2>&1 &`],
    ['ignores SIGTERM', `setsid sh -c 'trap "" TERM; echo $$ > left; sleep 100; sleep 100' &`],
    ['has stopped itself', `setsid sh -c 'echo $$ > left; kill -STOP $$' &`],
    ['forked twice, as daemons do', daemon],
    [
      'moved on from child to child',
      `setsid sh -c '(sleep 0.05; setsid sh -c "echo \\$\\$ > left; sleep 100" &) &' &`,
    ],
  ])(
    'with "leftBehind": "end", a process in its own session ends with the hook, whose answer counts, even if it %s',
    async (_, start) => {
      const { left, ...exit } = await leaveEnding(`${start} ${until}; ${deny}`);
      expect(exit).toMatchObject(answer);
      expect(exit).not.toHaveProperty('survivors');
      expect(isAlive(left)).toBe(false);
    },
  );

  test('with "leftBehind": "end", a process in its own session gets SIGTERM once', async () => {
    const { cwd } = await leaveEnding(
      `setsid sh -c 'trap "echo asked >> asked" TERM; echo $$ > left; sleep 100 & wait; wait' & ${until}; ${deny}`,
    );
    expect(readFileSync(join(cwd, 'asked'), 'utf8')).toBe('asked\n');
  });

  test('with "leftBehind": "end", a process in its own session also ends at its hook\'s deadline', async () => {
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

  test('with "leftBehind": "end", a process that dropped the variable that says whose it is stays alive', async () => {
    const { left, ...exit } = await leaveEnding(
      `env -u HOOKMACHINE_HOOK setsid sh -c 'echo $$ > left; exec sleep 100' & ${until}; ${deny}`,
    );
    expect(exit).toMatchObject(answer);
    expect(isAlive(left)).toBe(true);
    process.kill(left, 'SIGKILL');
  });
});

/** Writes every 10 ms to what may be a broken pipe, and then to its file if it is still alive. */
const writer = `setsid sh -c 'echo $$ > left; while :; do echo x; echo > alive; sleep 0.01; done' &`;

describe.each(['end-group', undefined] as const)(
  'a process in a session of its own stays alive with "leftBehind": %j',
  (leftBehind) => {
    test.each([
      ['holds the streams', `setsid sh -c 'echo $$ > left; exec sleep 100' &`],
      ['holds nothing', `setsid sh -c 'echo $$ > left; exec sleep 100' >/dev/null 2>&1 &`],
      ['forked twice, as daemons do', daemon],
    ])(
      'a process in its own session stays alive after its hook, even if it %s',
      async (_, start) => {
        const { left, leader, ...exit } = await leaveBehind(`${start} ${until}; ${deny}`, {
          // A process that forks twice may take its time on a busy machine.
          drain: 2_000,
          ...(leftBehind && { leftBehind }),
        });
        onTestFinished(() => void process.kill(left, 'SIGKILL'));
        expect(exit).toMatchObject({ ...answer, leftBackground: false });
        expect(isAlive(left)).toBe(true);
        expect(lives(leader)).toBe(false);
      },
    );
  },
);

test('a daemon that keeps writing to its streams stays alive', async () => {
  const { cwd, left } = await leaveBehind(`${writer} ${until}; ${deny}`);
  onTestFinished(() => void process.kill(-left, 'SIGKILL'));
  for (let round = 0; round < 3; round++) {
    rmSync(join(cwd, 'alive'), { force: true });
    await waitUntil(() => existsSync(join(cwd, 'alive')));
  }
});

test("a daemon stays alive after its hook, while the hook's group is ended, which is reported", async () => {
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
  ['in its group that holds the streams', 'sleep 100 & echo $! > left;'],
  ['in its group, without streams', 'sleep 100 > /dev/null 2>&1 & echo $! > left;'],
  ['in a session of its own', `setsid sh -c 'echo $$ > left; exec sleep 100' & ${until};`],
])('with "leftBehind": "leave", a process %s stays alive after its hook', async (_, start) => {
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
  'a hook that did not end in time leaves nothing behind, even with "leftBehind": "%s"',
  (leftBehind) => {
    test.each([
      ['a daemon', daemon],
      ['a child', 'sleep 100 & echo $! > left;'],
    ])('a hook that did not end in time does not leave %s behind', async (_, start) => {
      const cwd = tempFolder();
      const left = join(cwd, 'left');
      const options = { cwd, timeout: 50, deadlineFrom: left, grace: 300, leftBehind };
      expect(await runHook(`${start} sleep 100`, options)).toMatchObject({ status: 'timedOut' });
      expect(isAlive(await numberIn(left))).toBe(false);
    });
  },
);

test.skipIf(findProgram('ssh-agent') === undefined)(
  'an ssh-agent that a hook starts stays alive (skipped if there is none)',
  async () => {
    const { left, ...exit } = await leaveBehind(
      `eval "$(ssh-agent -s)" > /dev/null; echo $SSH_AGENT_PID > left; ${deny}`,
    );
    onTestFinished(() => void process.kill(left, 'SIGKILL'));
    expect(exit).toMatchObject({ ...answer, leftBackground: false });
    expect(isAlive(left)).toBe(true);
  },
);

test('a pipe that something still holds never serves another hook', async () => {
  const { left } = await leaveBehind(
    `env -i PATH="$PATH" setsid sh -c 'trap "" PIPE; echo $$ > left; while :; do echo stray; sleep 0.001; done' 2>/dev/null & ${until}; ${deny}`,
  );
  onTestFinished(() => void process.kill(-left, 'SIGKILL'));
  for (let round = 0; round < 20; round++)
    expect((await runToExit('sleep 0.005; echo mine')).stdout).toBe('mine\n');
  expect(isAlive(left)).toBe(true);
});

test('a process that ends by itself within the drain time is not reported as left in the background', async () => {
  expect(await runToExit('sleep 0.03 & echo x', { drain: 10_000 })).toMatchObject({
    stdout: 'x\n',
    leftBackground: false,
  });
});

test('a hook that leaves nothing behind is not reported as leaving something', async () => {
  expect(await runToExit('sleep 0.01 & wait; echo x')).toMatchObject({ leftBackground: false });
});
