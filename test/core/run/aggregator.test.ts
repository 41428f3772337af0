import { describe, expect, test } from 'vitest';
import type { HookLane } from '../../../machines/hook-event.ts';
import { llxprt } from '../../../src/hosts/llxprt/index.ts';
import { aggregateResults } from '../../../src/core/run/event-result.ts';
import type { HookEventName } from '../../../src/core/protocol/events.ts';
import {
  AfterToolHookOutput,
  BeforeToolHookOutput,
  DefaultHookOutput,
} from '../../../src/core/protocol/output.ts';
import {
  AfterModelHookOutput,
  BeforeModelHookOutput,
  BeforeToolSelectionHookOutput,
} from '../../../src/core/translate/model-outputs.ts';
import { exited } from '../../support/answers.ts';
import { definition } from '../../support/definition.ts';

/** Aggregates the results of hooks that exit like this. */
function aggregate(
  event: HookEventName,
  exits: readonly Parameters<typeof exited>[0][],
  mode: HookLane['mode'] = 'parallel',
) {
  const hooks = exits.map((_, index) => definition(event, { name: `hook ${index}` }));
  return aggregateResults(
    {
      event,
      hooks,
      lanes: [{ dialect: 'llxprt', mode, positions: [...hooks.keys()] }],
      dialects: new Map([['llxprt', llxprt]]),
    },
    exits.map((exit, index) => ({
      ...llxprt.read(hooks[index]!, exited(exit), {}),
      hook: hooks[index]!,
      event,
    })),
    {},
  );
}

test('the outputs of successful hooks are merged, and the outputs of all hooks are kept (HOOK-112, HOOK-166)', () => {
  const result = aggregate('BeforeTool', [
    { stdout: '{"reason":"one"}', durationMs: 5 },
    { exitCode: 1, stderr: 'boom', durationMs: 7 },
    { stdout: '' },
    { stdout: '{"reason":"two"}', durationMs: 11 },
  ]);
  expect(result.finalOutput).toEqual({ decision: 'allow', reason: 'one\ntwo' });
  expect(result.allOutputs).toEqual([
    { reason: 'one' },
    { decision: 'allow', systemMessage: 'Warning: boom' },
    { reason: 'two' },
  ]);
  expect(result.errors).toHaveLength(1);
  expect(result.totalDuration).toBe(24);
  expect(result.plan).toEqual({ mode: 'parallel', count: 4 });
});

test('success means health: exit 2 is not a success although nothing failed (HOOK-070, HOOK-160, HOOK-213)', () => {
  expect(aggregate('BeforeTool', [{ stdout: '{"decision":"deny"}' }]).success).toBe(true);
  expect(aggregate('BeforeTool', [{ exitCode: 2 }, {}])).toMatchObject({
    success: false,
    errors: [],
  });
});

test('each result names its hook (G-18)', () => {
  const { results } = aggregate('BeforeTool', [{}, { exitCode: 2 }]);
  expect(results.map(({ hook: { name }, exitCode }) => [name, exitCode])).toEqual([
    ['hook 0', 0],
    ['hook 1', 2],
  ]);
});

describe('conflicts between hooks', () => {
  const exits = ['one', 'two'].map((command) => ({
    stdout: JSON.stringify({ hookSpecificOutput: { tool_input: { command } } }),
  }));

  test('hooks that run side by side and set the same field are in conflict', () => {
    expect(aggregate('BeforeTool', exits).conflicts).toEqual([
      { field: 'tool_input.command', hooks: ['hook 0', 'hook 1'], winner: 'hook 1' },
    ]);
  });

  test('a sequence has no conflicts, but remembers which hook set a field', () => {
    const { conflicts, setBy } = aggregate('BeforeTool', exits, 'sequential');
    expect(conflicts).toEqual([]);
    expect(setBy).toEqual({ 'tool_input.command': 'hook 1' });
  });
});

const finalOutputOf = (event: HookEventName) => aggregate(event, [{ stdout: '{}' }]).finalOutput;

test('the final output belongs to the class of its event (HOOK-200)', () => {
  expect(finalOutputOf('BeforeTool')).toBeInstanceOf(BeforeToolHookOutput);
  expect(finalOutputOf('AfterTool')).toBeInstanceOf(AfterToolHookOutput);
  expect(finalOutputOf('BeforeModel')).toBeInstanceOf(BeforeModelHookOutput);
  expect(finalOutputOf('AfterModel')).toBeInstanceOf(AfterModelHookOutput);
  expect(finalOutputOf('BeforeToolSelection')).toBeInstanceOf(BeforeToolSelectionHookOutput);
  expect(finalOutputOf('SessionStart')?.constructor).toBe(DefaultHookOutput);
});
