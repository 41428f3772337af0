import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LlmContent, ToolResult } from '../../../src/core/protocol/tool-result.ts';
import { callTool, someInput, written, type SeenCall } from '../../support/call-tool.ts';
import { inParallel, print } from '../../support/session.ts';

const keepInput = { AfterTool: inParallel('cat >seen.json') };

const seenBy = ({ session }: SeenCall): Record<string, unknown> =>
  JSON.parse(readFileSync(join(session.folder, 'seen.json'), 'utf8')) as Record<string, unknown>;

const giving = (result: object) => ({ tool: () => Promise.resolve(result as ToolResult) });

describe('the input of AfterTool hooks', () => {
  test('AfterTool hooks see the call and its whole result (HOOK-025, 026)', async () => {
    const call = await callTool(keepInput, giving({ ...written, metadata: { lines: 3 } }));
    expect(seenBy(call)).toEqual({
      session_id: expect.any(String),
      transcript_path: '',
      cwd: call.session.folder,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      hook_event_name: 'AfterTool',
      tool_name: 'write_file',
      tool_input: someInput,
      tool_response: { ...written, metadata: { lines: 3 } },
    });
  });

  test('AfterTool hooks see the error of a result (C-68, C-69)', async () => {
    const error = { message: 'disk full', type: 'io' };
    const call = await callTool(keepInput, giving({ ...written, error }));
    expect(seenBy(call)).toMatchObject({ tool_response: { error } });
    expect(call.toolResult).toEqual({ ...written, error });
    expect(call.outcome.status).toBe('done');
  });

  test.each<[string, unknown, object]>([
    ['an error', new TypeError('bad path'), { message: 'bad path', type: 'TypeError' }],
    ['an error without a message', new RangeError(), { message: 'RangeError' }],
    ['a text', 'no luck', { message: 'no luck', type: 'Error' }],
    ['an object', { code: 7 }, { message: '{ code: 7 }' }],
    ['an object without a text', Object.create(null), { message: '[Object: null prototype] {}' }],
    ['nothing', undefined, { message: 'undefined' }],
  ])('AfterTool hooks see %s that the tool threw as an error (C-68)', async (_, thrown, error) => {
    const call = await callTool(keepInput, { tool: () => Promise.reject(thrown) });
    expect(seenBy(call)).toMatchObject({ tool_response: { error } });
    expect(call.toolResult).toMatchObject({ llmContent: call.toolResult.error?.message, error });
  });

  test('AfterTool hooks see an error that the tool threw synchronously', async () => {
    const call = await callTool(keepInput, {
      tool: () => {
        throw new Error('at once');
      },
    });
    expect(seenBy(call)).toMatchObject({ tool_response: { error: { message: 'at once' } } });
  });

  test('AfterTool hooks see a result without content as it is (a host need not be TypeScript)', async () => {
    const call = await callTool(keepInput, giving({ returnDisplay: 'shown' }));
    expect(seenBy(call)['tool_response']).toEqual({ returnDisplay: 'shown' });
    expect(call.toolResult).toEqual({ returnDisplay: 'shown' });
  });

  test('AfterTool hooks see empty content if the tool returned nothing', async () => {
    const call = await callTool(keepInput, giving(undefined as never));
    expect(seenBy(call)['tool_response']).toEqual({ llmContent: '', returnDisplay: '' });
    expect(call.toolResult).toEqual({ llmContent: '', returnDisplay: '' });
  });
});

describe('additions of AfterTool hooks', () => {
  const context = print({ hookSpecificOutput: { additionalContext: 'Mind the gap.' } });
  const message = print({ systemMessage: 'Be kind.' });

  test('additions follow the result: first context, then messages, in plan order (HOOK-027, 030, 131, 208, C-56, C-57)', async () => {
    const { toolResult } = await callTool({
      BeforeTool: inParallel(print({ systemMessage: 'Before.' })),
      AfterTool: inParallel(
        `sleep 0.1; ${print({ systemMessage: 'One.', hookSpecificOutput: { additionalContext: 'A.' } })}`,
        print({ systemMessage: 'Two.', hookSpecificOutput: { additionalContext: 'B.' } }),
      ),
    });
    expect(toolResult).toEqual({
      ...written,
      llmContent: 'written\n\nA.\nB.\n\n[System] Before.\n\n[System] One.\nTwo.',
    });
  });

  test('an AfterTool hook can add only context or only a message', async () => {
    const { toolResult } = await callTool({ AfterTool: inParallel(context) });
    expect(toolResult.llmContent).toBe('written\n\nMind the gap.');
    const other = await callTool({ AfterTool: inParallel(message) });
    expect(other.toolResult.llmContent).toBe('written\n\n[System] Be kind.');
  });

  test('plain text of an AfterTool hook is a message (HOOK-064)', async () => {
    const { toolResult } = await callTool({ AfterTool: inParallel('echo plain') });
    expect(toolResult.llmContent).toBe('written\n\n[System] plain');
  });

  test('empty texts of hooks add nothing', async () => {
    const { toolResult } = await callTool({
      BeforeTool: inParallel(print({ systemMessage: '' })),
      AfterTool: inParallel(
        print({ systemMessage: '', hookSpecificOutput: { additionalContext: '' } }),
      ),
    });
    expect(toolResult).toEqual(written);
  });

  test('the message of a BeforeTool hook is added even without an AfterTool hook (C-57)', async () => {
    const { toolResult } = await callTool({ BeforeTool: inParallel(message) });
    expect(toolResult.llmContent).toBe('written\n\n[System] Be kind.');
  });

  test.each<[string, LlmContent | undefined, LlmContent]>([
    [
      'parts',
      [{ text: 'a' }, { inlineData: { data: 'AA==' } }],
      [{ text: 'a' }, { inlineData: { data: 'AA==' } }],
    ],
    ['texts', ['a', 'b'], ['a', 'b']],
    ['one part', { inlineData: { data: 'AA==' } }, [{ inlineData: { data: 'AA==' } }]],
    ['no parts', [], []],
  ])('each addition is a separate part after %s (C-59)', async (_, llmContent, kept) => {
    const { toolResult } = await callTool(
      { AfterTool: inParallel(context, message) },
      giving({ ...written, llmContent }),
    );
    expect(toolResult.llmContent).toEqual([
      ...(kept as object[]),
      { text: '\n\nMind the gap.' },
      { text: '\n\n[System] Be kind.' },
    ]);
  });

  test('an addition is the whole content if the tool gave none', async () => {
    const { toolResult } = await callTool({ AfterTool: inParallel(message) }, giving({}));
    expect(toolResult).toEqual({ llmContent: '\n\n[System] Be kind.' });
  });

  test('additions leave the tool’s own object and its other fields as they are (HOOK-217)', async () => {
    const result = Object.freeze({ ...written, metadata: { lines: 3 }, extra: 'kept' });
    const { toolResult } = await callTool({ AfterTool: inParallel(message) }, giving(result));
    expect(toolResult).toEqual({ ...result, llmContent: 'written\n\n[System] Be kind.' });
    expect(result.llmContent).toBe('written');
  });
});

describe('suppressOutput', () => {
  test('suppressOutput hides the result from the user, not from the model (HOOK-029, 132)', async () => {
    const { toolResult } = await callTool({
      AfterTool: inParallel(print({ suppressOutput: true }), print({ systemMessage: 'Shown.' })),
    });
    expect(toolResult).toEqual({
      ...written,
      llmContent: 'written\n\n[System] Shown.',
      suppressDisplay: true,
    });
  });

  test.each([false, 'true', 1])(
    'suppressOutput hides nothing if it is %j (C-31)',
    async (suppressOutput) => {
      const { toolResult } = await callTool({ AfterTool: inParallel(print({ suppressOutput })) });
      expect(toolResult).toEqual(written);
    },
  );
});

describe('an AfterTool hook cannot undo the result', () => {
  test.each([
    ['exit 2', 'echo "Tests fail." >&2; exit 2'],
    ['a block', print({ decision: 'block', reason: 'Tests fail.' })],
  ])('%s of an AfterTool hook tells the model its reason (HOOK-178, C-62)', async (_, command) => {
    const { toolResult, outcome, after, stop } = await callTool({
      AfterTool: inParallel(print({ systemMessage: 'First.' }), command),
    });
    expect(outcome.status).toBe('done');
    expect(toolResult).toEqual({
      ...written,
      llmContent: 'written\n\n[System] First.\n\n[System] Tests fail.',
    });
    expect(after?.finalOutput?.isBlockingDecision()).toBe(true);
    expect(stop).toBeUndefined();
  });

  test.each(['exit 1', 'kill -9 $$', `${print({ suppressOutput: true })}; exit 3`])(
    'a failed AfterTool hook changes nothing: %s (HOOK-031)',
    async (command) => {
      const { toolResult, session } = await callTool({ AfterTool: inParallel(command) });
      expect(toolResult).toEqual(written);
      expect(session.warnings.length).toBe(1);
    },
  );
});

test('a call ends only when its AfterTool hooks have ended (HOOK-134)', async () => {
  const { session } = await callTool({ AfterTool: inParallel('sleep 0.3; touch after-ran') });
  expect(existsSync(join(session.folder, 'after-ran'))).toBe(true);
});
