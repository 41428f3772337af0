import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { executeToolWithHooks } from '../../../src/core/calls/run-tool-call.ts';
import { callTool, someInput, written } from '../../support/call-tool.ts';
import { inParallel, inSequence, print, startSession } from '../../support/session.ts';

const halt = (more: object = {}) => print({ continue: false, stopReason: 'Enough.', ...more });

test('a stop before the tool keeps it from running and asks the agent to stop (HOOK-020, C-65)', async () => {
  const { toolResult, stop, ran, outcome, session } = await callTool({
    BeforeTool: inParallel(halt()),
    AfterTool: inParallel('touch after-ran'),
  });
  expect(ran).toEqual([]);
  expect(outcome.status).toBe('stopped');
  expect(stop).toEqual({ reason: 'Enough.' });
  expect(toolResult).toMatchObject({ llmContent: 'Enough.', error: { type: 'stopped_by_hook' } });
  expect(existsSync(join(session.folder, 'after-ran'))).toBe(false);
});

test('executeToolWithHooks returns the reason of a stop as the result (C-65)', async () => {
  const { config } = await startSession({ BeforeTool: inParallel(halt()) });
  const result = await executeToolWithHooks(config, 'write_file', someInput, async () => written);
  expect(result.llmContent).toBe('Enough.');
});

test('a stop before the tool still has its message reported (C-57)', async () => {
  const { toolResult } = await callTool({
    BeforeTool: inParallel(halt({ systemMessage: 'Sorry.' })),
  });
  expect(toolResult.llmContent).toBe('Enough.\n\n[System] Sorry.');
});

test('a stop after the tool keeps its result (HOOK-028)', async () => {
  const { toolResult, stop, outcome } = await callTool({
    AfterTool: inParallel(
      halt({ systemMessage: 'Sorry.', hookSpecificOutput: { additionalContext: 'Note.' } }),
    ),
  });
  expect(outcome.status).toBe('stopped');
  expect(stop).toEqual({ reason: 'Enough.' });
  expect(toolResult).toEqual({ ...written, llmContent: 'written\n\nNote.\n\n[System] Sorry.' });
});

test('a hook that blocks and stops has the block delivered first, each with its own reason (G-20, C-39)', async () => {
  const { toolResult, stop, ran, outcome } = await callTool({
    BeforeTool: inParallel(halt({ decision: 'block', reason: 'Not this.' })),
  });
  expect(ran).toEqual([]);
  expect(outcome).toMatchObject({ status: 'blocked', stop: true });
  expect(toolResult).toMatchObject({ llmContent: 'Not this.', error: { type: 'blocked_by_hook' } });
  expect(stop).toEqual({ reason: 'Enough.' });
});

test('a block by one hook and a stop by another each keep their own reason', async () => {
  const { toolResult, stop } = await callTool({
    BeforeTool: inParallel(halt(), 'echo "Not this." >&2; exit 2'),
  });
  expect(toolResult.llmContent).toBe('Not this.');
  expect(stop).toEqual({ reason: 'Enough.' });
});

test.each([
  [{ reason: 'Because.' }, 'Because.'],
  [{ stopReason: '', reason: 'Because.' }, 'Because.'],
  [{}, 'No reason provided'],
])('a stop with %j is reported as %j (C-39)', async (reasons, expected) => {
  const { stop } = await callTool({
    BeforeTool: inParallel(print({ continue: false, ...reasons })),
  });
  expect(stop).toEqual({ reason: expected });
});

test('several stops give all their reasons, one per line (C-38)', async () => {
  const { stop } = await callTool({
    AfterTool: inParallel(halt({ stopReason: 'One.' }), halt({ stopReason: 'Two.' })),
  });
  expect(stop).toEqual({ reason: 'One.\nTwo.' });
});

test('a stop ends a sequence (C-45)', async () => {
  const { session } = await callTool({ BeforeTool: inSequence(halt(), 'touch second-ran') });
  expect(existsSync(join(session.folder, 'second-ran'))).toBe(false);
});

test.each([print({ continue: 'false' }), print({ continue: 0 }), print({ continue: true })])(
  'only continue: false stops the agent, not %s (C-31)',
  async (command) => {
    const { stop, ran } = await callTool({ BeforeTool: inParallel(command) });
    expect(stop).toBeUndefined();
    expect(ran.length).toBe(1);
  },
);

test('a failed hook does not stop the agent (C-27)', async () => {
  const { stop, ran } = await callTool({ BeforeTool: inParallel(`${halt()}; exit 1`) });
  expect(stop).toBeUndefined();
  expect(ran.length).toBe(1);
});
