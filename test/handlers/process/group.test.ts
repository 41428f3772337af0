import type * as fs from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { tempFolder } from '../../support/temp-folder.ts';
import { numberIn, runHook, runToExit } from './run-hook.ts';
import type * as run from './run-hook.ts';

describe('what is signalled', () => {
  const kill = vi.spyOn(process, 'kill');
  beforeEach(() => void kill.mockClear());
  afterAll(() => kill.mockRestore());

  /** The signals sent to groups, except those that only ask whether the group exists. */
  const sent = (): unknown[] => kill.mock.calls.filter(([, signal]) => signal !== 0);

  test('nothing is signalled when a hook ends by itself', async () => {
    await runToExit('cat; echo x >&2; exit 2');
    await runToExit('kill -9 $$');
    expect(sent()).toEqual([]);
  });

  test('nothing is signalled when the group is gone and a stranger holds the streams, because its number may be taken', async () => {
    const cwd = tempFolder();
    const { leftBackground } = await runToExit(
      'env -u HOOKMACHINE_HOOK setsid sh -c "echo \\$\\$ > left; exec sleep 100" & until [ -s left ]; do sleep 0.01; done',
      { cwd },
    );
    const signals = sent();
    process.kill(await numberIn(join(cwd, 'left')), 'SIGKILL');
    expect({ leftBackground, signals }).toEqual({ leftBackground: false, signals: [] });
  });

  test('the group is signalled at the deadline', async () => {
    const cwd = tempFolder();
    const leader = join(cwd, 'leader');
    const command = 'echo $$ > leader; sleep 100; echo';
    const outcome = await runHook(command, { cwd, timeout: 50, deadlineFrom: leader });
    expect(outcome.status).toBe('timedOut');
    const group = -(await numberIn(leader));
    expect(sent()[0]).toEqual([group, 'SIGTERM']);
    expect(sent().every((call) => (call as unknown[])[0] === group)).toBe(true);
  });
});

describe('on a system whose /proc says nothing', () => {
  let { runHook: runThere, runToExit: exitThere }: typeof run = {} as typeof run;
  beforeAll(async () => {
    vi.resetModules();
    vi.doMock('node:fs', async (original) => ({
      ...(await original<typeof fs>()),
      // As in a container that sees its host's /proc.
      readlinkSync: () => '4194304',
    }));
    ({ runHook: runThere, runToExit: exitThere } = await import('./run-hook.ts'));
  });
  afterAll(() => {
    vi.doUnmock('node:fs');
  });

  test('hooks run on a system whose /proc says nothing', async () => {
    expect(await exitThere('cat; exit 2')).toMatchObject({ exitCode: 2, stdout: '{}' });
  });

  test.each(['sleep 100 & echo x', 'sleep 100 >/dev/null 2>&1 & echo x'])(
    'on a system whose /proc says nothing, what is left in the background ends: %s',
    async (command) => {
      expect(await exitThere(command)).toMatchObject({ stdout: 'x\n', leftBackground: true });
    },
  );

  test('on a system whose /proc says nothing, a pipeline past its deadline ends', async () => {
    const outcome = await runThere('sleep 50 | sleep 60', { timeout: 200 });
    expect(outcome).toMatchObject({ status: 'timedOut', exit: { signal: 'SIGTERM' } });
  });

  test('on a system whose /proc says nothing, a hook that ignores SIGTERM is killed', async () => {
    const cwd = tempFolder();
    const deaf = "trap '' TERM; echo > deaf; while :; do sleep 1; done";
    const options = { cwd, timeout: 50, deadlineFrom: join(cwd, 'deaf'), grace: 100 };
    const outcome = await runThere(deaf, options);
    expect(outcome).toMatchObject({ status: 'timedOut', exit: { signal: 'SIGKILL' } });
  });
});
