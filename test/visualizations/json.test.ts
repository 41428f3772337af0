import { expect, test } from 'vitest';
import { type AnyStateMachine, assign, createMachine, not, stopChild } from 'xstate';
import { guardName } from '../../visualizations/condition.ts';
import { jsonOf } from '../../visualizations/json.ts';
import { machines } from '../../visualizations/machines.ts';
import { nodesOf, transitionsOf } from '../../visualizations/walk.ts';
import { exampleMachine } from './example.ts';

const reread = (config: object): unknown => JSON.parse(jsonOf(createMachine(config)));

test('the JSON of a machine leaves out code', () => {
  const actions = { type: 'keep', params: () => 1 };
  expect(reread({ context: () => ({}), output: () => 1, entry: actions })).toEqual({
    entry: { type: 'keep' },
  });
});

test('the JSON of a machine keeps the names of what XState represents as functions', () => {
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

test.each([['the example', exampleMachine] as const, ...(await machines())])(
  'createMachine reads the JSON of %s, with every state, actor and transition',
  (_, machine) => {
    const again = createMachine(JSON.parse(jsonOf(machine)));
    expect(partsOf(again)).toEqual(partsOf(machine));
    expect(partsOf(machine).length).toBeGreaterThan(2);
  },
);

const partsOf = (machine: AnyStateMachine): object[] =>
  nodesOf(machine).map((node) => ({
    id: node.id,
    type: node.type,
    description: node.description,
    starts: node.type === 'compound' ? node.initial.target.map(({ id }) => id) : [],
    actors: node.invoke.map(({ id, src }) => [id, src]),
    transitions: transitionsOf(node).map((transition) => ({
      event: transition.eventType,
      guard: guardName(transition.guard),
      targets: transition.target?.map(({ id }) => id),
      reenters: transition.reenter,
      actions: transition.actions.length,
    })),
  }));
