import { createMachine, not, setup } from 'xstate';

/** A machine without a meaning that has every kind of state and edge that can be drawn. */
export const exampleMachine = setup({
  actors: { fetch: createMachine({}), worker: createMachine({}) },
  actions: { note: () => {} },
  guards: { isLate: () => true, isEmpty: () => true },
  delays: { patience: 5_000, budget: () => 1 },
}).createMachine({
  id: 'example',
  description: 'One of "each" kind, <drawn> & tested.',
  initial: 'asking',
  on: { cancel: '.over' },
  states: {
    asking: {
      description: 'Waits for the answer.',
      invoke: {
        id: 'fetch',
        src: 'fetch',
        onDone: [{ guard: 'isLate', target: 'over' }, { target: 'working' }],
        onError: { target: 'over', description: 'It could not be asked.' },
      },
      after: { patience: 'over', budget: 'over' },
      on: { tick: { actions: 'note', description: 'Only noted.' }, again: 'asking' },
    },
    working: {
      type: 'parallel',
      onDone: 'over',
      states: {
        left: {
          initial: 'one',
          states: {
            one: {
              on: { 'xstate.done.actor.*': 'two', 'xstate.error.actor.*': { actions: 'note' } },
            },
            two: { type: 'final' },
          },
        },
        right: {
          initial: 'one',
          states: {
            one: { always: { guard: not('isEmpty'), target: 'two' } },
            two: { type: 'final' },
          },
        },
      },
    },
    over: { type: 'final' },
  },
});
