import type vm from 'node:vm';
import { expect, test, vi } from 'vitest';
import { boundedExpressions } from '../../src/redaction/replace-bounded.ts';

const runs = vi.hoisted(() => ({ count: 0 }));

vi.mock('node:vm', async (original) => {
  const real = await original<typeof vm>();
  class Script extends real.Script {
    override runInContext(...args: Parameters<vm.Script['runInContext']>) {
      runs.count++;
      return super.runInContext(...args) as unknown;
    }
  }
  return { ...real, Script };
});

test('many texts and expressions are watched as one', () => {
  const { hide, watch } = boundedExpressions([/a+/g, /b+/g], vi.fn());
  const told = watch(() => Array.from({ length: 1_000 }, () => hide('aaxbb')));
  expect(new Set(told)).toEqual(new Set(['[redacted]x[redacted]']));
  expect(runs.count).toBe(1);
});

test('expressions that cannot take long are not watched', () => {
  runs.count = 0;
  const { hide, watch } = boundedExpressions([/ab/g], vi.fn());
  expect(watch(() => hide('xab'))).toBe('x[redacted]');
  expect(runs.count).toBe(0);
});

test('work that goes on for ever by itself is given up', () => {
  const tooSlow = vi.fn();
  const { watch } = boundedExpressions([/a+/g], tooSlow);
  expect(() =>
    watch(() => {
      for (;;);
    }),
  ).toThrow('timed out');
  expect(tooSlow).not.toHaveBeenCalled();
});
