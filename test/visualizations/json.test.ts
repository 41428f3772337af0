import { expect, test } from 'vitest';
import { assign, createMachine, not, stopChild } from 'xstate';
import { jsonOf } from '../../visualizations/json.ts';

const reread = (config: object): unknown => JSON.parse(jsonOf(createMachine(config)));

test('what is code is left out', () => {
  const actions = { type: 'keep', params: () => 1 };
  expect(reread({ context: () => ({}), output: () => 1, entry: actions })).toEqual({
    entry: { type: 'keep' },
  });
});

test('what XState writes as a function keeps its name', () => {
  const go = { guard: not('isLate'), actions: ['keep', stopChild('child'), assign({})] };
  expect(reread({ on: { go } })).toEqual({
    on: {
      go: {
        guard: { type: 'not(isLate)' },
        actions: ['keep', { type: 'xstate.stopChild' }, { type: 'xstate.assign' }],
      },
    },
  });
});
