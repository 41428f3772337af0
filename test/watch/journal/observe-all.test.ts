import { expect, test, vi } from 'vitest';
import { observeAll } from '../../../src/watch/journal/observe-all.ts';
import { callTool } from '../../support/call-tool.ts';

test('several observers see the same events, even if one of them throws', async () => {
  const first = vi.fn();
  const last = vi.fn();
  const inspect = observeAll(
    first,
    undefined,
    () => {
      throw new Error('no');
    },
    last,
  )!;
  await callTool({}, { config: { inspect } });
  expect(first.mock.calls.length).toBeGreaterThan(3);
  expect(last.mock.calls).toEqual(first.mock.calls);
});

test('observeAll returns undefined without observers, and a single observer unchanged', () => {
  const only = vi.fn();
  expect(observeAll()).toBeUndefined();
  expect(observeAll(undefined)).toBeUndefined();
  expect(observeAll(undefined, only)).toBe(only);
});
