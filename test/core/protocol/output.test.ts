import { expect, test } from 'vitest';
import {
  checkHookOutput,
  type HookOutput,
  ignored,
  isBlocking,
  isDecision,
} from '../../../src/core/protocol/output.ts';
import { isRecord } from '../../../src/base/json.ts';

test('a valid output is used as it is (HOOK-157)', () => {
  const output: HookOutput = {
    decision: 'ask',
    reason: 'r',
    continue: true,
    stopReason: 's',
    suppressOutput: false,
    systemMessage: 'm',
    hookSpecificOutput: { a: 1 },
  };
  expect(checkHookOutput({ ...output })).toEqual({ output, notes: [] });
});

test('a field that is null counts as omitted, but a null decision is kept (HOOK-158)', () => {
  expect(
    checkHookOutput({ decision: null, reason: null, continue: null, hookSpecificOutput: null }),
  ).toEqual({ output: { decision: null }, notes: [] });
});

test('the printed object is not changed', () => {
  const printed = Object.freeze({ decision: 5, other: {} });
  expect(checkHookOutput(printed).output).toEqual({ other: {} });
});

test('a field named __proto__ is ignored', () => {
  const printed = JSON.parse('{"__proto__":{"decision":5}}') as Record<string, unknown>;
  expect(checkHookOutput(printed).notes).toEqual([]);
});

test('only exactly these five words are decisions (C-31)', () => {
  for (const word of ['block', 'deny', 'allow', 'approve', 'ask'])
    expect(isDecision(word)).toBe(true);
  for (const word of ['Block', ' deny', '', null, undefined, 1, ['deny']])
    expect(isDecision(word)).toBe(false);
  expect(['block', 'deny', 'allow', 'ask', null].filter(isBlocking)).toEqual(['block', 'deny']);
});

test('isRecord accepts objects, but not arrays and null', () => {
  expect([{}, Object.create(null)].every(isRecord)).toBe(true);
  expect([null, [], 'x', 1, undefined].some(isRecord)).toBe(false);
});

test('a note shows short values and only describes large ones', () => {
  expect(ignored('"x"', 'Yes', 'true')).toBe('"x" is "Yes" and was ignored: it must be true');
  expect(ignored('x', 'a'.repeat(1_000_000), 'b').length).toBeLessThan(120);
  expect(ignored('x', [[]], 'b')).toContain('is a list and');
  expect(ignored('x', {}, 'b')).toContain('is an object and');
});
