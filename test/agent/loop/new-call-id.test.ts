import { expect, test } from 'vitest';
import { newCallId } from '../../../src/core/calls/event-hooks.ts';

test('the id for a call is a new UUID each time', () => {
  const ids = Array.from({ length: 100 }, newCallId);
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  expect(new Set(ids).size).toBe(100);
});
