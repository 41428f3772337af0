import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { executeToolWithHooks } from '../../../src/core/calls/run-tool-call.ts';
import { callTool, someInput, written } from '../../support/call-tool.ts';
import { inParallel, inSequence, print, startSession } from '../../support/session.ts';

const touchAfter = { AfterTool: inParallel('touch after-ran') };

describe('a BeforeTool hook that denies', () => {
  test('a BeforeTool hook that exits with 2 blocks the tool, and the model reads its stderr (HOOK-016a, 017, 183, C-66)', async () => {
    const { toolResult, ran, outcome, before, stop } = await callTool({
      BeforeTool: inParallel('echo "not on a Friday" >&2; exit 2'),
    });
    expect(ran).toEqual([]);
    expect(outcome.status).toBe('blocked');
    expect(toolResult).toEqual({
      llmContent: 'not on a Friday',
      returnDisplay: 'not on a Friday',
      error: { message: 'not on a Friday', type: 'blocked_by_hook' },
    });
    expect(toolResult).not.toHaveProperty('blocked');
    expect(before?.finalOutput?.isBlockingDecision()).toBe(true);
    expect(stop).toBeUndefined();
  });

  test('AfterTool hooks do not run after a denial (C-68)', async () => {
    const { session, after } = await callTool({
      BeforeTool: inParallel('exit 2'),
      ...touchAfter,
    });
    expect(existsSync(join(session.folder, 'after-ran'))).toBe(false);
    expect(after).toBeUndefined();
  });

  test.each([
    ['block', { decision: 'block', reason: 'no' }],
    ['deny', { decision: 'deny', reason: 'no' }],
    [
      'permissionDecision',
      { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no' } },
    ],
    [
      'permissionDecision with an allow',
      {
        decision: 'allow',
        reason: 'yes',
        hookSpecificOutput: { permissionDecision: 'block', permissionDecisionReason: 'no' },
      },
    ],
  ])('a denial by %s gives its reason (HOOK-016b, 169, 170, 199)', async (_, output) => {
    const { toolResult, ran } = await callTool({ BeforeTool: inParallel(print(output)) });
    expect(ran).toEqual([]);
    expect(toolResult.llmContent).toBe('no');
  });

  test.each([
    ['exit 2', 'Blocked by hook'],
    [print({ decision: 'block' }), 'No reason provided'],
  ])('a denial without a reason still denies: %s (HOOK-067b, C-26)', async (command, reason) => {
    const { toolResult, ran } = await callTool({ BeforeTool: inParallel(command) });
    expect(ran).toEqual([]);
    expect(toolResult.llmContent).toBe(reason);
  });

  test('a denial is not undone by hooks that allow, fail or print text, in any order (C-40)', async () => {
    const others = ['echo fine', print({ decision: 'allow' }), 'exit 1', 'kill -9 $$'];
    const denial = 'echo no >&2; exit 2';
    for (const commands of [
      [denial, ...others],
      [...others, denial],
    ]) {
      const { toolResult, ran } = await callTool({ BeforeTool: inParallel(...commands) });
      expect(ran).toEqual([]);
      expect(toolResult.llmContent).toMatch(/^no\n/);
    }
  });

  test('all denials give their reasons, one per line (HOOK-093)', async () => {
    const { toolResult } = await callTool({
      BeforeTool: inParallel(
        print({ decision: 'deny', reason: 'first' }),
        'echo second >&2; exit 2',
      ),
    });
    expect(toolResult.llmContent).toBe('first\nsecond');
  });

  test('a denial ends a sequence: the hooks after it do not run (HOOK-107)', async () => {
    const { session, ran } = await callTool({
      BeforeTool: inSequence('exit 2', 'touch second-ran'),
    });
    expect(existsSync(join(session.folder, 'second-ran'))).toBe(false);
    expect(ran).toEqual([]);
  });

  test('arguments from a BeforeTool hook that denies are ignored (G-19)', async () => {
    const { outcome, ran } = await callTool({
      BeforeTool: inParallel(
        print({ decision: 'deny', hookSpecificOutput: { tool_input: { file_path: 'b.txt' } } }),
      ),
    });
    expect(ran).toEqual([]);
    expect(outcome.toolInput).toBe(someInput);
  });

  test('a denial passes its systemMessage to the model, but not its context (C-57, C-58)', async () => {
    const { toolResult } = await callTool({
      BeforeTool: inParallel(
        print({
          decision: 'deny',
          reason: 'no',
          systemMessage: 'Ask first.',
          hookSpecificOutput: { additionalContext: 'ignored' },
        }),
      ),
    });
    expect(toolResult.llmContent).toBe('no\n\n[System] Ask first.');
    expect(toolResult.error?.message).toBe('no');
  });

  test('executeToolWithHooks returns only the result of a denied call (HOOK-133, 183)', async () => {
    const { config } = await startSession({ BeforeTool: inParallel('echo no >&2; exit 2') });
    let ran = false;
    const result = await executeToolWithHooks(config, 'write_file', someInput, async () => {
      ran = true;
      return written;
    });
    expect(ran).toBe(false);
    expect(result).toMatchObject({ llmContent: 'no', error: { message: 'no' } });
  });
});

describe('a BeforeTool hook that does not deny', () => {
  test.each(['allow', 'approve', 'ask', null, undefined, 'Block', 'no'])(
    'a BeforeTool hook with the decision %j lets the tool run (HOOK-018, 158, 182, C-31)',
    async (decision) => {
      const { toolResult, ran } = await callTool({
        BeforeTool: inParallel(print({ decision, reason: 'so' })),
      });
      expect(ran).toEqual([someInput]);
      expect(toolResult).toEqual(written);
    },
  );

  test('a block printed with an exit code other than 0 or 2 does not deny (HOOK-198)', async () => {
    const { ran } = await callTool({
      BeforeTool: inParallel(`${print({ decision: 'block' })}; exit 3`),
    });
    expect(ran).toEqual([someInput]);
  });

  test.each([
    ['fails', 'echo broken >&2; exit 1', /exited with code 1.*broken/],
    ['is not there', './nowhere.sh', /code 127/],
    ['is killed', 'echo dying >&2; kill -9 $$', /SIGKILL.*dying/],
  ])(
    'a BeforeTool hook that %s lets the tool run and emits a warning (HOOK-023, 103, 110)',
    async (_, command, warning) => {
      const { toolResult, ran, session } = await callTool({ BeforeTool: inParallel(command) });
      expect(ran).toEqual([someInput]);
      expect(toolResult).toEqual(written);
      expect(session.warnings).toEqual([expect.stringMatching(warning)]);
    },
  );

  test('a BeforeTool hook that times out lets the tool run, and the warning gives the timeout (HOOK-023, 119)', async () => {
    const { toolResult, session } = await callTool({
      BeforeTool: inParallel({ command: 'sleep 30', timeout: 100 }),
    });
    expect(toolResult).toEqual(written);
    expect(session.warnings).toEqual([expect.stringContaining('timed out after 100ms')]);
  });

  test.each([
    ['write_.*', true],
    ['file$', true],
    ['read_file', false],
    ['', true],
    ['*', true],
  ])(
    'a BeforeTool hook runs only if its matcher %j matches (HOOK-021, 022, 089)',
    async (matcher, fits) => {
      const { ran } = await callTool({
        BeforeTool: [{ matcher, hooks: [{ type: 'command', command: 'exit 2' }] }],
      });
      expect(ran.length).toBe(fits ? 0 : 1);
    },
  );
});
