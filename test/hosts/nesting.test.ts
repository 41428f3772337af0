import { expect, test } from 'vitest';
import { withoutDeepFields } from '../../src/hosts/parts/printed-json.ts';
import { isTooDeep } from '../../src/base/json.ts';

const nested = (levels: number): unknown =>
  Array.from({ length: levels }).reduce((inner) => [inner], 'x');

test('nesting is counted, and brackets in strings are not', () => {
  expect(isTooDeep(JSON.stringify(nested(1_000)))).toBe(false);
  expect(isTooDeep(JSON.stringify(nested(1_001)))).toBe(true);
  expect(isTooDeep(JSON.stringify({ text: '[{'.repeat(1_000) }))).toBe(false);
  expect(isTooDeep(JSON.stringify({ text: `\\"${'['.repeat(1_000)}` }))).toBe(false);
  expect(isTooDeep(JSON.stringify(Array.from({ length: 1_000 }, () => [[]])))).toBe(false);
});

test('only the fields that are nested too deep are left out', () => {
  const notes: string[] = [];
  const kept = withoutDeepFields(
    {
      decision: 'deny',
      deep: nested(1_001),
      hookSpecificOutput: { deep: nested(1_100), fine: [1] },
    },
    notes,
  );
  expect(kept).toEqual({ decision: 'deny', hookSpecificOutput: { fine: [1] } });
  expect(notes).toEqual([
    '"deep" was ignored: it is nested more than 1,000 levels deep',
    '"deep" was ignored: it is nested more than 1,000 levels deep',
  ]);
});
