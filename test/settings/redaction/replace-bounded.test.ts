import { expect, test, vi } from 'vitest';
import type * as bounded from '../../../src/base/bounded-regex.ts';
import { boundedExpressions } from '../../../src/settings/redaction/replace-bounded.ts';

const runs = vi.hoisted(() => ({ count: 0 }));

vi.mock('../../../src/base/bounded-regex.ts', async (original) => {
  const real = await original<typeof bounded>();
  const inTime: typeof bounded.inTime = (work, limit) => {
    runs.count++;
    return real.inTime(work, limit);
  };
  return { ...real, inTime };
});

test('many texts and expressions share one watch', () => {
  const { hide, watch } = boundedExpressions([/a+/g, /b+/g], vi.fn());
  const shown = watch(() => Array.from({ length: 1_000 }, () => hide('aaxbb')));
  expect(new Set(shown)).toEqual(new Set(['[redacted]x[redacted]']));
  expect(runs.count).toBe(1);
});

test('expressions that cannot take long are not watched', () => {
  runs.count = 0;
  const { hide, watch } = boundedExpressions([/ab/g], vi.fn());
  expect(watch(() => hide('xab'))).toBe('x[redacted]');
  expect(runs.count).toBe(0);
});

test('work that runs forever by itself is abandoned', () => {
  const tooSlow = vi.fn();
  const { watch } = boundedExpressions([/a+/g], tooSlow);
  expect(() =>
    watch(() => {
      for (;;);
    }),
  ).toThrow('timed out');
  expect(tooSlow).not.toHaveBeenCalled();
});
