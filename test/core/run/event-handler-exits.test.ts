import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventWarnings } from '../../../src/core/run/telemetry.ts';
import { hookEventNames } from '../../../src/core/protocol/events.ts';
import { DefaultHookOutput } from '../../../src/core/protocol/output.ts';
import { makeEmptySuccessResult } from '../../../src/core/answers/results.ts';
import { inParallel, print, quoted, someFields, startSession } from '../../support/session.ts';

/** Fires BeforeTool with this one hook. */
async function ending(command: string, timeout?: number) {
  const hook = { command, name: 'guard', ...(timeout !== undefined && { timeout }) };
  const session = await startSession({ BeforeTool: inParallel(hook) });
  const result = await session.fire('BeforeTool', someFields.BeforeTool);
  return { ...result, warnings: session.warnings, blocked: isBlocked(result) };
}

const isBlocked = (result: { finalOutput?: { isBlockingDecision(): boolean } }): boolean =>
  result.finalOutput?.isBlockingDecision() ?? false;

describe('exit 0', () => {
  test('an empty object or silence with exit 0 allows and changes nothing (T1, HOOK-065)', async () => {
    const empty = await ending(`cat > /dev/null; echo '{}'`);
    expect(empty).toMatchObject({ success: true, errors: [], warnings: [], blocked: false });
    expect(empty.finalOutput).toEqual({ decision: 'allow' });
    const silent = await ending('true');
    expect(silent).toMatchObject({ success: true, allOutputs: [], warnings: [] });
    expect(silent.finalOutput).toBeUndefined();
  });

  test('a hook that prints JSON blocks even if it does not read its input (T2, HOOK-192)', async () => {
    const { blocked, finalOutput, success } = await ending(
      print({ decision: 'block', reason: 'always' }),
    );
    expect(blocked).toBe(true);
    expect(finalOutput?.getEffectiveReason()).toBe('always');
    expect(success).toBe(true);
  });

  test('a Node.js script reads its input and allows (T4)', async () => {
    const script = join(import.meta.dirname, '../../fixtures/hooks/read-and-allow.mjs');
    const { finalOutput, warnings } = await ending(`node ${quoted(script)}`);
    expect(finalOutput).toEqual({ decision: 'allow', reason: 'BeforeTool write_file' });
    expect(warnings).toEqual([]);
  });

  test('an input echoed before the JSON turns the whole output into a message (T5, R-12)', async () => {
    const { blocked, finalOutput, warnings } = await ending(`cat; echo '{"decision":"deny"}'`);
    expect(blocked).toBe(false);
    expect(finalOutput?.systemMessage).toContain('"tool_name":"write_file"');
    expect(finalOutput?.systemMessage).toContain('{"decision":"deny"}');
    expect(warnings).toEqual([
      'hook "guard" (BeforeTool): a denial was NOT read: its output is not one JSON object, so all of it was taken as a message; print that object alone',
    ]);
  });

  test('text beside JSON is a message, and the denial in it does not count (I14)', async () => {
    const { blocked, finalOutput } = await ending(`echo hello; echo '{"decision":"deny"}'`);
    expect(blocked).toBe(false);
    expect(finalOutput).toEqual({
      decision: 'allow',
      systemMessage: 'hello\n{"decision":"deny"}',
    });
  });

  test('JSON that is encoded twice counts (HOOK-201)', async () => {
    const inner = JSON.stringify({ decision: 'deny', reason: 'twice' });
    expect((await ending(print(inner))).finalOutput?.getEffectiveReason()).toBe('twice');
  });

  test('JSON on stderr does not count when a hook exits with 0 (HOOK-069)', async () => {
    const { blocked, finalOutput } = await ending(`echo '{"decision":"deny"}' >&2; echo '{}'`);
    expect(blocked).toBe(false);
    expect(finalOutput).toEqual({ decision: 'allow' });
  });

  test('a misspelt decision is ignored, with a warning (C-31)', async () => {
    const { blocked, warnings } = await ending(print({ decision: 'Block', continue: 'false' }));
    expect(blocked).toBe(false);
    expect(warnings).toHaveLength(2);
    expect(warnings.every((line) => line.startsWith('hook "guard" (BeforeTool): "'))).toBe(true);
  });
});

describe('exit 2', () => {
  test('exit 2 denies with stderr as the reason (T3, I2, HOOK-016a, HOOK-067a, HOOK-189)', async () => {
    const { blocked, success, finalOutput, allOutputs, errors, results, warnings } = await ending(
      `echo '{"decision":"allow","reason":"other"}'; echo 'Potential secret detected' >&2; exit 2`,
    );
    expect(blocked).toBe(true);
    expect(finalOutput).toEqual({ decision: 'deny', reason: 'Potential secret detected' });
    expect(allOutputs).toEqual([{ decision: 'deny', reason: 'Potential secret detected' }]);
    // Success means health, not policy: a denial is neither a success nor an error (HOOK-160, HOOK-213).
    expect({ success, errors, warnings }).toEqual({ success: false, errors: [], warnings: [] });
    expect(results[0]).toMatchObject({ exitCode: 2, success: false, timedOut: false });
  });

  test('exit 2 without any output denies with a default reason (I3, HOOK-067b)', async () => {
    expect((await ending('exit 2')).finalOutput).toMatchObject({
      decision: 'deny',
      reason: 'Blocked by hook',
    });
  });

  test('exit 2 takes the reason from stdout if stderr is empty (X1, C-25)', async () => {
    const { blocked, finalOutput } = await ending('echo "Access denied by policy"; exit 2');
    expect(blocked).toBe(true);
    expect(finalOutput?.getEffectiveReason()).toBe('Access denied by policy');
  });

  test.each([
    ['an unfinished skeleton (B3, B13, R-8b)', 'if [ -x a ]; then\n  # nothing yet\nfi'],
    ['a quote that never ends (R-1)', `echo 'it`],
    ['a grep with a bad pattern under set -e', `set -e; grep -E '*(' /dev/null`],
  ])("%s exits with 2 and so denies, with the program's own words (C-31b)", async (_, command) => {
    const { blocked, finalOutput } = await ending(command);
    expect(blocked).toBe(true);
    expect(finalOutput?.getEffectiveReason()).toMatch(/syntax error|unexpected|grep|Invalid/i);
  });

  test('exit 2 keeps line ends and colours in the reason (HOOK-189)', async () => {
    const { finalOutput } = await ending(
      `printf '\\033[31mone\\033[0m\\r\\ntwo\\n\\n' >&2; exit 2`,
    );
    expect(finalOutput?.reason).toBe('\u001B[31mone\u001B[0m\r\ntwo');
  });
});

describe('any other exit', () => {
  test('exit 1 warns with the exit code and stderr, and proceeds (B1, HOOK-023, HOOK-068, HOOK-198)', async () => {
    const { blocked, success, finalOutput, allOutputs, errors, warnings } = await ending(
      `echo '{"decision":"block"}'; echo 'Invalid input' >&2; exit 1`,
    );
    expect(blocked).toBe(false);
    expect(success).toBe(false);
    expect(finalOutput).toBeUndefined();
    expect(allOutputs).toEqual([{ decision: 'allow', systemMessage: 'Warning: Invalid input' }]);
    expect(errors.map(({ message }) => message)).toEqual(['Hook exited with code 1']);
    expect(warnings).toEqual([
      'hook "guard" (BeforeTool) failed and was ignored: Hook exited with code 1: Invalid input',
    ]);
  });

  test.each([
    ['a missing program', './no-such-hook.sh', 127, 'command not found'],
    ['a script that is not executable', 'echo echo > hook.sh; ./hook.sh', 126, 'chmod +x'],
    ['an uncaught error in Node.js', `node -e 'throw new Error("oops")'`, 1, 'oops'],
  ])('%s does not block, and is reported (C-29, W15)', async (_, command, exitCode, reported) => {
    const { blocked, results, warnings } = await ending(command);
    expect(blocked).toBe(false);
    expect(results[0]).toMatchObject({ exitCode, success: false, status: 'failed' });
    expect(warnings).toEqual([expect.stringContaining(reported)]);
  });

  test('a hook that a signal ends does not block, and has exit code 0 without success (HOOK-196)', async () => {
    const { blocked, results, warnings } = await ending(
      `echo '{"decision":"deny"}'; echo ouch >&2; kill -KILL $$`,
    );
    expect(blocked).toBe(false);
    expect(results[0]).toMatchObject({
      exitCode: 0,
      signal: 'SIGKILL',
      success: false,
      output: { decision: 'allow', systemMessage: 'Warning: ouch' },
    });
    expect(warnings).toEqual([expect.stringContaining('killed by SIGKILL')]);
  });

  test('a timeout does not block, and the warning says how long it was (HOOK-119, B2)', async () => {
    const { blocked, success, finalOutput, errors, results, warnings } = await ending(
      `echo '{"decision":"deny"}'; echo working >&2; sleep 30`,
      2_000,
    );
    expect(blocked).toBe(false);
    expect(success).toBe(false);
    expect(finalOutput).toBeUndefined();
    expect(results[0]).toMatchObject({ timedOut: true, success: false, stderr: 'working\n' });
    expect(errors.map(({ message }) => message)).toEqual(['Hook timed out after 2000ms']);
    expect(warnings).toEqual([expect.stringContaining('timed out after 2000ms')]);
  });

  test('a denial from a hook that was asked to end at its deadline does not count (HOOK-110)', async () => {
    const { blocked, results } = await ending(
      `trap 'echo late >&2; exit 2' TERM; sleep 30 & wait`,
      2_000,
    );
    expect(blocked).toBe(false);
    expect(results[0]).toMatchObject({ timedOut: true });
  });

  test('a plugin hook is an error and does not block (HOOK-195)', async () => {
    const session = await startSession({
      BeforeTool: [{ hooks: [{ type: 'plugin', name: 'later' }] }],
    });
    const { success, finalOutput, errors } = await session.fire(
      'BeforeTool',
      someFields.BeforeTool,
    );
    expect({ success, finalOutput }).toEqual({ success: false, finalOutput: undefined });
    expect(errors[0]?.message).toContain('plugin');
    expect(session.warnings).toHaveLength(1);
  });

  test('endless output is truncated and does not block (G-01)', async () => {
    const { blocked, errors, results } = await ending(
      `printf '{"decision":"deny","reason":"'; head -c 11000000 /dev/zero | tr '\\0' x; printf '"}'`,
    );
    expect(blocked).toBe(false);
    expect(results[0]).toMatchObject({ status: 'failed', exitCode: 0 });
    expect(errors[0]?.message).toContain('10 MiB');
  });
});

describe('every event', () => {
  test.each(hookEventNames)(
    'exit 2 is recorded as a denial at %s (HOOK-066, HOOK-081, HOOK-203)',
    async (event) => {
      const session = await startSession({ [event]: inParallel('echo no >&2; exit 2') });
      const { finalOutput, results } = await session.fire(event, someFields[event]);
      expect(finalOutput).toMatchObject({ decision: 'deny', reason: 'no' });
      expect(results).toHaveLength(1);
      // If nothing can be blocked, the user is warned that the denial does nothing (C-63).
      const ignored = [
        'AfterModel',
        'BeforeToolSelection',
        'SessionStart',
        'SessionEnd',
        'Notification',
      ].includes(event);
      expect(session.warnings).toHaveLength(ignored ? 1 : 0);
    },
  );
});

test.each(['SessionEnd', 'PreCompress', 'Notification'] as const)(
  'a hook that stops the agent at %s, where nothing can be stopped, is reported',
  async (event) => {
    const session = await startSession({ [event]: inParallel(print({ continue: false })) });
    await session.fire(event, someFields[event]);
    expect(session.warnings).toEqual([
      expect.stringContaining('it stops the agent, which has no effect here'),
    ]);
  },
);

test('a denial at an event that only one host has is left for that host to judge', () => {
  const finalOutput = new DefaultHookOutput({ decision: 'deny', reason: 'no' });
  const result = { ...makeEmptySuccessResult(), finalOutput };
  expect([...eventWarnings('host.Deploy', result)]).toEqual([]);
  expect([...eventWarnings('Notification', result)]).toHaveLength(1);
});

test('the output of a successful hook is kept beside a failing one (I16, HOOK-112)', async () => {
  const session = await startSession({
    AfterTool: inParallel(
      'echo boom >&2; exit 1',
      print({ hookSpecificOutput: { additionalContext: 'kept' } }),
      'exit 77',
      print({ systemMessage: 'also kept' }),
    ),
  });
  const result = await session.fire('AfterTool', someFields.AfterTool);
  expect(result.finalOutput).toEqual({
    decision: 'allow',
    systemMessage: 'also kept',
    hookSpecificOutput: { additionalContext: 'kept' },
  });
  expect(result.success).toBe(false);
  expect(result.errors).toHaveLength(2);
  expect(result.allOutputs).toHaveLength(3);
  expect(session.warnings).toHaveLength(2);
});

test('the total duration is the sum of all durations (G-04)', async () => {
  const session = await startSession({ BeforeTool: inParallel('sleep 0.1', 'sleep 0.15') });
  const { totalDuration, results } = await session.fire('BeforeTool', someFields.BeforeTool);
  expect(totalDuration).toBe(results.reduce((sum, { durationMs }) => sum + durationMs, 0));
  expect(totalDuration).toBeGreaterThanOrEqual(240);
});
