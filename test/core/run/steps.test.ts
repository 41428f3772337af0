import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type AnyStateMachine,
  assign,
  fromCallback,
  fromPromise,
  not,
  raise,
  sendTo,
  setup,
} from 'xstate';
import { runMachine } from '../../../src/core/run/run-machine.ts';

/** Runs a machine as if nobody watched, and as if somebody did. */
const ways = [
  ['that nobody watches', {}],
  ['that somebody watches', { inspect: () => undefined }],
] as const;

const run = (machine: AnyStateMachine, options: object = {}): Promise<unknown> =>
  runMachine(machine, undefined as never, options);

/** A machine that works for this long, in ms, and has 100. */
const waiting = (ms: number) =>
  setup({
    actors: { work: fromPromise(() => new Promise((done) => setTimeout(done, ms, 'done'))) },
    delays: { deadline: 100 },
  }).createMachine({
    initial: 'working',
    states: {
      working: {
        invoke: { src: 'work', onDone: 'done', onError: 'done' },
        after: { deadline: 'late' },
      },
      done: { type: 'final', output: 'done' },
      late: { type: 'final', output: 'late' },
    },
    output: ({ event }) => event.output,
  });

describe.each(ways)('a machine %s', (_, options) => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('a deadline passes unless the state is left before', async () => {
    const ended = Promise.all([run(waiting(99), options), run(waiting(101), options)]);
    await vi.advanceTimersByTimeAsync(200);
    expect(await ended).toEqual(['done', 'late']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('what runs for a state ends with the state, and is aborted', async () => {
    const ended: string[] = [];
    const machine = setup({
      actors: {
        promise: fromPromise(
          ({ signal }) =>
            new Promise(() => signal.addEventListener('abort', () => ended.push('promise'))),
        ),
        callback: fromCallback(({ sendBack }) => {
          sendBack({ type: 'leave' });
          return () => ended.push('callback');
        }),
      },
    }).createMachine({
      initial: 'working',
      states: {
        working: {
          invoke: [{ src: 'promise' }, { src: 'callback' }],
          on: { leave: 'done' },
        },
        done: { type: 'final' },
      },
    });
    await run(machine, options);
    expect(ended).toEqual(['promise', 'callback']);
  });

  test('a machine whose child breaks where nobody handles it, or whose action throws, rejects', async () => {
    const broken = new Error('broken');
    const states = { working: { invoke: { id: 'work', src: 'work' } } } as const;
    const child = setup({ actors: { work: fromPromise(() => Promise.reject(broken)) } });
    await expect(run(child.createMachine({ initial: 'working', states }), options)).rejects.toBe(
      broken,
    );
    const action = setup({
      actors: { work: fromPromise(async () => 1) },
      actions: {
        fail: assign(() => {
          throw broken;
        }),
      },
    }).createMachine({
      initial: 'working',
      states: { working: { invoke: { src: 'work', onDone: { actions: 'fail' } } } },
    });
    await expect(run(action, options)).rejects.toBe(broken);
  });
});

test.each([
  ['parallel state', { type: 'parallel', states: { one: {}, two: {} } }],
  [
    'with "reenter"',
    { initial: 'one', states: { one: { always: { target: 'one', reenter: true } } } },
  ],
  [
    'guard',
    { initial: 'one', states: { one: { always: { guard: not('is'), target: 'two' } }, two: {} } },
  ],
  ['raises at once', { initial: 'one', states: { one: { entry: raise({ type: 'x' }) } } }],
  [
    'sent later',
    { initial: 'one', states: { one: { entry: sendTo('two', { type: 'x' }, { delay: 1 }) } } },
  ],
  [
    'final state',
    { initial: 'one', states: { one: { initial: 'two', states: { two: { type: 'final' } } } } },
  ],
])('a chart that cannot be stepped through is an error that names the %s', async (what, config) => {
  const machine = setup({ guards: { is: () => true } }).createMachine(config as never);
  await expect(run(machine as unknown as AnyStateMachine)).rejects.toThrow(what);
});
