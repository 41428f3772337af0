import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  inParallel,
  inSequence,
  someFields,
  startSession,
  type Session,
} from '../../support/session.ts';

const twoGuards = { BeforeTool: inParallel('touch one; exit 2', 'touch two; exit 2') };

/** Expects that the hooks could not be run at all: the event fails open, with one warning (C-91). */
function expectFailure(
  result: Awaited<ReturnType<Session['fire']>>,
  { warnings, folder }: Session,
  reported: RegExp,
): void {
  expect(result).toMatchObject({ success: false, allOutputs: [], results: [], plan: null });
  expect(result.finalOutput).toBeUndefined();
  expect(result.errors).toEqual([
    expect.objectContaining({ message: expect.stringMatching(reported) }),
  ]);
  expect(warnings).toEqual([expect.stringMatching(reported)]);
  expect(existsSync(join(folder, 'one'))).toBe(false);
}

describe('an input that no hook can receive fails open, once for the event (G-06, C-91, HOOK-111)', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;

  test.each([
    ['a cycle', cyclic, /circular/],
    ['a BigInt', { size: 1n }, /BigInt/],
    [
      'a getter that throws',
      {
        get x(): never {
          throw new Error('no such thing');
        },
      },
      /no such thing/,
    ],
    [
      'a toJSON that throws',
      {
        x: {
          toJSON: () => {
            throw new TypeError('not me');
          },
        },
      },
      /not me/,
    ],
  ])(
    'an input that contains %s fails open, once for the event',
    async (_, tool_input, reported) => {
      const session = await startSession(twoGuards);
      const result = await session.fire('BeforeTool', { tool_name: 'x', tool_input });
      expectFailure(result, session, reported);
    },
  );
});

const nested = (levels: number): unknown =>
  Array.from({ length: levels }).reduce((inner) => [inner], 'x');

describe('an input that is nested too deep to be judged (S-34)', () => {
  test.each([2_000, 200_000])(
    '%d levels are denied before a tool, with the limit',
    async (levels) => {
      const session = await startSession(twoGuards);
      const tool_input = { deep: nested(levels) };
      const { verdict } = await session.fire('BeforeTool', { tool_name: 'x', tool_input });
      expect(verdict).toMatchObject({
        decision: 'deny',
        reason: expect.stringContaining('nested more than 1,000 levels deep') as unknown,
      });
      expect(session.warnings).toEqual([expect.stringContaining('it is denied')]);
      expect(existsSync(join(session.folder, 'one'))).toBe(false);
    },
  );

  test('998 levels inside the event are judged', async () => {
    const session = await startSession(twoGuards);
    const tool_input = { deep: nested(998) };
    await session.fire('BeforeTool', { tool_name: 'x', tool_input });
    expect(session.warnings).toEqual([]);
    expect(existsSync(join(session.folder, 'one'))).toBe(true);
  });
});

describe('a host that throws fails open (C-91)', () => {
  test.each(['getSessionId', 'getWorkingDir', 'getTranscriptPath'] as const)(
    'an event fails open when %s of the host throws',
    async (name) => {
      const session = await startSession(twoGuards);
      session.config[name] = () => {
        throw new Error('the host is broken');
      };
      expectFailure(
        await session.fire('BeforeTool', someFields.BeforeTool),
        session,
        /the host is broken/,
      );
    },
  );

  test('a transcript getter that threw has no effect on the next event', async () => {
    const session = await startSession(twoGuards);
    session.config.getTranscriptPath = () => undefined;
    expect((await session.fire('BeforeTool', someFields.BeforeTool)).finalOutput).toBeDefined();
  });
});

test('a missing working folder makes each hook fail, and the event proceeds', async () => {
  const session = await startSession(twoGuards);
  session.config.getWorkingDir = () => join(session.folder, 'gone');
  const result = await session.fire('BeforeTool', someFields.BeforeTool);
  expect(result).toMatchObject({ success: false, plan: { count: 2 } });
  expect(result.finalOutput).toBeUndefined();
  expect(result.errors).toHaveLength(2);
  expect(session.warnings).toHaveLength(2);
});

test('an event that no hook matches succeeds with a fresh, empty result each time (HOOK-145, DELTA-HFAIL-003, DELTA-HFAIL-004)', async () => {
  const session = await startSession({ BeforeTool: [] });
  const one = await session.fire('BeforeTool', someFields.BeforeTool);
  const other = await session.fire('AfterTool', someFields.AfterTool);
  expect(one).toMatchObject({
    success: true,
    allOutputs: [],
    errors: [],
    totalDuration: 0,
    plan: null,
  });
  expect(one.finalOutput).toBeUndefined();
  expect(one).not.toBe(other);
  expect(one.errors).not.toBe(other.errors);
});

describe('cancelling', () => {
  test('cancelling ends the running hooks: nothing is decided and nothing is left behind (G-02)', async () => {
    const session = await startSession({
      BeforeTool: inParallel(
        `trap 'exit 2' TERM; touch started; sleep 30 & wait`,
        `(sleep 1; touch survived) & sleep 30`,
      ),
    });
    const caller = new AbortController();
    const firing = session.fire('BeforeTool', someFields.BeforeTool, { signal: caller.signal });
    while (!existsSync(join(session.folder, 'started'))) await pause(10);
    caller.abort(new Error('the user left'));
    const result = await firing;
    expect(result.finalOutput).toBeUndefined();
    expect(result.success).toBe(false);
    expect(result.results.map(({ status, decision }) => [status, decision])).toEqual([
      ['cancelled', undefined],
      ['cancelled', undefined],
    ]);
    expect(result.errors[0]?.message).toContain('the user left');
    expect(session.warnings).toEqual([]);
    await pause(1_200);
    expect(existsSync(join(session.folder, 'survived'))).toBe(false);
  });

  test('cancelling ends a sequence: later hooks do not start', async () => {
    const session = await startSession({
      BeforeTool: inSequence('touch started; sleep 30', 'touch second'),
    });
    const caller = new AbortController();
    const firing = session.fire('BeforeTool', someFields.BeforeTool, { signal: caller.signal });
    while (!existsSync(join(session.folder, 'started'))) await pause(10);
    caller.abort();
    expect((await firing).results).toHaveLength(1);
    expect(existsSync(join(session.folder, 'second'))).toBe(false);
  });

  test('cancelling does not revoke an earlier denial', async () => {
    const session = await startSession({
      BeforeTool: inParallel('echo $$ > denied; echo no >&2; exit 2', 'sleep 30'),
    });
    const caller = new AbortController();
    const firing = session.fire('BeforeTool', someFields.BeforeTool, { signal: caller.signal });
    const pidFile = join(session.folder, 'denied');
    while (!existsSync(pidFile) || readFileSync(pidFile, 'utf8') === '') await pause(10);
    while (isRunning(Number(readFileSync(pidFile, 'utf8')))) await pause(10);
    await pause(300);
    caller.abort();
    expect((await firing).finalOutput?.isBlockingDecision()).toBe(true);
  });
});

test('after dispose nothing fires, and nothing fails (G-10)', async () => {
  const session = await startSession(twoGuards);
  session.config.getHookSystem()!.dispose();
  const result = await session.fire('BeforeTool', someFields.BeforeTool);
  expect(result).toMatchObject({ success: true, results: [] });
  expect(existsSync(join(session.folder, 'one'))).toBe(false);
});

describe('hostile answers', () => {
  test("a bottomless rewrite by one hook affects neither another hook's denial nor the next hook's input", async () => {
    const bottomless = `node -e 'process.stdout.write("{\\"hookSpecificOutput\\":{\\"tool_input\\":{\\"a\\":" + "[".repeat(1e5) + "]".repeat(1e5) + "}}}")'`;
    const parallel = await startSession({
      BeforeTool: inParallel(bottomless, `: again; ${bottomless}`, 'exit 2'),
    });
    const denied = await parallel.fire('BeforeTool', someFields.BeforeTool);
    expect(denied.finalOutput?.isBlockingDecision()).toBe(true);
    expect(parallel.warnings).toHaveLength(2);
    const sequence = await startSession({ BeforeTool: inSequence(bottomless, 'exit 2') });
    const next = await sequence.fire('BeforeTool', someFields.BeforeTool);
    expect(next.finalOutput?.isBlockingDecision()).toBe(true);
    expect(next.finalOutput?.hookSpecificOutput).toBeUndefined();
  });

  test('eight megabytes of arguments pass through a sequence', async () => {
    const rewrite = `node -e 'const o = {}; for (let i = 0; i < 4e5; i++) o["key" + i] = i; process.stdout.write(JSON.stringify({ hookSpecificOutput: { tool_input: o } }))'`;
    const session = await startSession({
      BeforeTool: inSequence(rewrite, `jq -c '{reason: (.tool_input | length | tostring)}'`),
    });
    const { finalOutput } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(finalOutput?.reason).toBe('400002');
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
