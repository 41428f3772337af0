import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { executeToolWithHooks } from '../../../src/core/calls/run-tool-call.ts';
import { HookPlanner } from '../../../src/core/plan/hook-planner.ts';
import { HookRegistry } from '../../../src/hosts/system/hook-registry.ts';
import { debugLines } from '../../support/debug-lines.ts';
import { inParallel, inSequence, print, startSession } from '../../support/session.ts';

const tool = { tool_name: 'write_file', tool_input: {} };
const llm_request = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] };

describe('the flow of an event', () => {
  test('the tool runs after the BeforeTool hooks and before the AfterTool hooks (HOOK-014, 025, 155)', async () => {
    const { config, folder } = await startSession({
      BeforeTool: inParallel('sleep 0.1; echo before >> order'),
      AfterTool: inParallel('echo after >> order'),
    });
    await executeToolWithHooks(config, 'write_file', {}, async () => {
      const { appendFileSync } = await import('node:fs');
      appendFileSync(join(folder, 'order'), 'tool\n');
      return { llmContent: '', returnDisplay: '' };
    });
    expect(readFileSync(join(folder, 'order'), 'utf8')).toBe('before\ntool\nafter\n');
  });

  test("callers use the hook system's one registry and create none of their own (HOOK-007)", async () => {
    const { config } = await startSession({ BeforeTool: inParallel('true') });
    const registry = config.getHookSystem()!.getRegistry();
    const asked = vi.spyOn(HookRegistry.prototype, 'getHooksForEvent');
    for (let call = 0; call < 3; call++)
      await executeToolWithHooks(config, 'write_file', {}, async () => ({
        llmContent: '',
        returnDisplay: '',
      }));
    expect(new Set(asked.mock.contexts)).toEqual(new Set([registry]));
  });

  test('a tool event passes its tool name to the planner, and a model event passes none (HOOK-162, 163)', async () => {
    const session = await startSession({
      BeforeTool: inParallel('true'),
      BeforeModel: inParallel('true'),
    });
    const planned = vi.spyOn(HookPlanner.prototype, 'plan');
    await session.fire('BeforeTool', tool);
    await session.fire('BeforeModel', { llm_request });
    expect(planned.mock.calls).toEqual([
      ['BeforeTool', 'write_file'],
      ['BeforeModel', undefined],
    ]);
  });

  test.each([
    ['parallel', 'HOOK-165', inParallel],
    ['sequential', 'HOOK-164', inSequence],
  ] as const)(
    'a %s plan runs its hooks in that mode (%s of HOOK-164, 165)',
    async (mode, _, grouped) => {
      const session = await startSession({ BeforeTool: grouped('true', 'true ') });
      expect((await session.fire('BeforeTool', tool)).plan).toEqual({ mode, count: 2 });
    },
  );

  test('the JSON of a hook that exits with 0 is parsed and takes effect (HOOK-063, 156)', async () => {
    const { config } = await startSession({
      BeforeTool: inParallel(print({ hookSpecificOutput: { tool_input: { a: 2 } } })),
      AfterTool: inParallel(print({ suppressOutput: true, systemMessage: 'noted' })),
    });
    const result = await executeToolWithHooks(config, 'write_file', { a: 1 }, async (input) => ({
      llmContent: JSON.stringify(input),
      returnDisplay: '',
    }));
    expect(result).toEqual({
      llmContent: '{"a":2}\n\n[System] noted',
      returnDisplay: '',
      suppressDisplay: true,
    });
  });

  test('permissionDecision alone blocks, even among several hooks (HOOK-171, C-52)', async () => {
    const session = await startSession({
      BeforeTool: inParallel(
        print({ decision: 'allow' }),
        print({
          hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no' },
        }),
      ),
    });
    const { finalOutput } = await session.fire('BeforeTool', tool);
    expect(finalOutput?.isBlockingDecision()).toBe(true);
    expect(finalOutput?.getEffectiveReason()).toBe('no');
  });

  test('each event is merged by its own strategy (HOOK-190, 210)', async () => {
    const session = await startSession({
      BeforeTool: inParallel(print({ reason: 'one' }), print({ reason: 'two' })),
      BeforeModel: inParallel(print({ reason: 'one' }), print({ reason: 'two' })),
      BeforeToolSelection: inParallel(
        print({
          hookSpecificOutput: { toolConfig: { mode: 'AUTO', allowedFunctionNames: ['b'] } },
        }),
        print({ hookSpecificOutput: { toolConfig: { mode: 'ANY', allowedFunctionNames: ['a'] } } }),
      ),
    });
    const reasonOf = async (...args: Parameters<typeof session.fire>) =>
      (await session.fire(...args)).finalOutput?.reason;
    expect(await reasonOf('BeforeTool', tool)).toBe('one\ntwo');
    expect(await reasonOf('BeforeModel', { llm_request })).toBe('two');
    const selected = await session.fire('BeforeToolSelection', { llm_request });
    expect(selected.finalOutput?.hookSpecificOutput?.['toolConfig']).toEqual({
      mode: 'ANY',
      allowedFunctionNames: ['a', 'b'],
    });
  });

  test('each event is logged with its name, hook count, success and duration (HOOK-146)', async () => {
    const lines = debugLines('llxprt:core:hooks:event-handler');
    const session = await startSession({ BeforeTool: inParallel('true', 'exit 1') });
    await session.fire('BeforeTool', tool);
    expect(lines.join('\n')).toMatch(/BeforeTool: 2 hooks, success false, \d+ ms in all/);
  });

  test('an internal error does not throw but gives an unsuccessful result and a warning (HOOK-113 as superseded by C-91, HOOK-147, 214)', async () => {
    const session = await startSession({ BeforeTool: inParallel('exit 2') });
    vi.spyOn(session.config, 'getSessionId').mockImplementation(() => {
      throw new Error('no session');
    });
    const result = await session.fire('BeforeTool', tool);
    expect(result).toMatchObject({ success: false, allOutputs: [], totalDuration: 0 });
    expect(result.finalOutput).toBeUndefined();
    expect(result.errors.map(({ message }) => message)).toEqual(['no session']);
    expect(session.warnings).toEqual([expect.stringContaining('no session')]);
  });
});
