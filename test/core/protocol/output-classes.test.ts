import { describe, expect, test } from 'vitest';
import {
  BeforeToolHookOutput,
  DefaultHookOutput,
  type HookOutput,
} from '../../../src/core/protocol/output.ts';

const of = (output: HookOutput) => new DefaultHookOutput(output);

test('an output has only the documented fields (003)', () => {
  const fields: HookOutput = {
    decision: null,
    reason: 'r',
    continue: false,
    stopReason: 's',
    suppressOutput: true,
    systemMessage: 'm',
    hookSpecificOutput: {},
  };
  expect(of({ ...fields, other: 1 } as HookOutput)).toEqual(fields);
  expect(Object.keys(new DefaultHookOutput())).toEqual([]);
});

test('only block and deny block (HOOK-016b, HOOK-018, HOOK-182)', () => {
  for (const decision of ['block', 'deny'] as const)
    expect(of({ decision }).isBlockingDecision()).toBe(true);
  for (const decision of ['allow', 'approve', 'ask', null] as const)
    expect(of({ decision }).isBlockingDecision()).toBe(false);
  expect(of({ continue: false }).isBlockingDecision()).toBe(false);
});

test('only continue: false stops the agent', () => {
  expect(of({ continue: false }).shouldStopExecution()).toBe(true);
  expect(of({ continue: true }).shouldStopExecution()).toBe(false);
  expect(of({ decision: 'deny' }).shouldStopExecution()).toBe(false);
});

describe('reasons (C-39)', () => {
  const both = { reason: 'r', stopReason: 's' };

  test('a block prefers reason, a stop prefers stopReason, and each falls back to the other', () => {
    const output = of({ ...both, decision: 'deny', continue: false });
    expect(output.getBlockReason()).toBe('r');
    expect(output.getStopReason()).toBe('s');
    expect(of({ continue: false, reason: 'only' }).getStopReason()).toBe('only');
    expect(of({ decision: 'deny', stopReason: 'only' }).getBlockReason()).toBe('only');
  });

  test('the effective reason is stopReason on a stop, otherwise reason', () => {
    expect(of({ ...both, continue: false }).getEffectiveReason()).toBe('s');
    expect(of({ ...both, decision: 'deny' }).getEffectiveReason()).toBe('r');
    expect(of({ continue: false, reason: 'r' }).getEffectiveReason()).toBe('r');
  });

  test('an empty reason counts as missing', () => {
    for (const output of [of({}), of({ reason: '', stopReason: '', continue: false })]) {
      expect(output.getEffectiveReason()).toBe('No reason provided');
      expect(output.getBlockReason()).toBe('No reason provided');
      expect(output.getStopReason()).toBe('No reason provided');
    }
  });
});

test('getBlockingError returns whether the output blocks, and why (003)', () => {
  expect(of({ decision: 'deny', reason: 'no' }).getBlockingError()).toEqual({
    blocked: true,
    reason: 'no',
  });
  expect(of({ decision: 'allow', reason: 'fine' }).getBlockingError()).toEqual({
    blocked: false,
    reason: '',
  });
});

test('additional context is a non-empty string or undefined', () => {
  const context = (additionalContext: unknown) =>
    of({ hookSpecificOutput: { additionalContext } }).getAdditionalContext();
  expect(context('x')).toBe('x');
  for (const value of ['', 5, null, ['x'], {}]) expect(context(value)).toBeUndefined();
  expect(of({}).getAdditionalContext()).toBeUndefined();
});

const tool = (hookSpecificOutput: Record<string, unknown>, output: HookOutput = {}) =>
  new BeforeToolHookOutput({ ...output, hookSpecificOutput });

describe('a BeforeTool output', () => {
  test('a BeforeTool output honours permissionDecision and its reason (HOOK-169, HOOK-170, HOOK-199)', () => {
    for (const permissionDecision of ['deny', 'block']) {
      const output = tool(
        { permissionDecision, permissionDecisionReason: 'compat' },
        { reason: 'top', stopReason: 'stop', continue: false },
      );
      expect(output.isBlockingDecision()).toBe(true);
      expect(output.getEffectiveReason()).toBe('compat');
      expect(output.getBlockReason()).toBe('compat');
      expect(output.getBlockingError()).toEqual({ blocked: true, reason: 'compat' });
      expect(output.getStopReason()).toBe('stop');
    }
    expect(tool({ permissionDecision: 'allow' }).isBlockingDecision()).toBe(false);
    expect(tool({ permissionDecision: 'allow' }, { decision: 'deny' }).isBlockingDecision()).toBe(
      true,
    );
    expect(tool({ permissionDecisionReason: 5 }, { reason: 'top' }).getEffectiveReason()).toBe(
      'top',
    );
  });

  test('a BeforeTool output carries rewritten arguments as a copy (003)', () => {
    const tool_input = { a: 1 };
    const modified = tool({ tool_input }).getModifiedToolInput();
    expect(modified).toEqual({ a: 1 });
    modified!['a'] = 2;
    expect(tool_input).toEqual({ a: 1 });
    for (const value of ['text', 5, [1], null, undefined])
      expect(tool({ tool_input: value }).getModifiedToolInput()).toBeUndefined();
  });
});
