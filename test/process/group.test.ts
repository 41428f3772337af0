import type * as fs from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { runHook, runToExit } from './run-hook.ts';
import type * as run from './run-hook.ts';

describe('who is signalled', () => {
  const kill = vi.spyOn(process, 'kill');
  beforeEach(() => void kill.mockClear());
  afterAll(() => kill.mockRestore());

  /** The signals sent to groups, but for those that only ask whether there is one. */
  const sent = (): unknown[] => kill.mock.calls.filter(([, signal]) => signal !== 0);

  test('nobody, when a hook ends by itself', async () => {
    await runToExit('cat; echo x >&2; exit 2');
    await runToExit('kill -9 $$');
    expect(sent()).toEqual([]);
  });

  test('nobody, when the group is gone and a stranger holds the streams: its number may be taken', async () => {
    const { stdout, leftBackground } = await runToExit(
      'env -u HOOKMACHINE_HOOK setsid sh -c "echo \\$\\$; exec sleep 100" & sleep 0.1',
    );
    expect({ leftBackground, signals: sent() }).toEqual({ leftBackground: true, signals: [] });
    process.kill(Number(stdout), 'SIGKILL');
  });

  test('the group, at the deadline', async () => {
    const outcome = await runHook('echo $$; sleep 100; echo', { timeout: 200 });
    const group = outcome.status === 'timedOut' ? -Number(outcome.exit?.stdout) : 0;
    expect(sent()[0]).toEqual([group, 'SIGTERM']);
    expect(sent().every((call) => (call as unknown[])[0] === group)).toBe(true);
  });
});

describe('on a system whose /proc tells nothing', () => {
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

  test('hooks run', async () => {
    expect(await exitThere('cat; exit 2')).toMatchObject({ exitCode: 2, stdout: '{}' });
  });

  test.each(['sleep 100 & echo x', 'sleep 100 >/dev/null 2>&1 & echo x'])(
    'what is left in the background ends: %s',
    async (command) => {
      expect(await exitThere(command)).toMatchObject({ stdout: 'x\n', leftBackground: true });
    },
  );

  test('a pipeline past its deadline ends', async () => {
    const outcome = await runThere('sleep 50 | sleep 60', { timeout: 200 });
    expect(outcome).toMatchObject({ status: 'timedOut', exit: { signal: 'SIGTERM' } });
  });

  test('what is deaf to SIGTERM is killed', async () => {
    const deaf = "trap '' TERM; while :; do sleep 1; done";
    const outcome = await runThere(deaf, { timeout: 200, grace: 100 });
    expect(outcome).toMatchObject({ status: 'timedOut', exit: { signal: 'SIGKILL' } });
  });
});
