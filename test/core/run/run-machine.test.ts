import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { assign, fromPromise, setup, type InspectionEvent } from 'xstate';
import { onAbort, runMachine } from '../../../src/core/run/run-machine.ts';

interface Work {
  readonly done: Promise<string>;
  readonly breaks?: boolean;
}

const machine = setup({
  types: {
    context: {} as Work & { reason?: string },
    input: {} as Work,
    events: {} as { type: 'cancel'; reason: string },
    output: {} as { said: string },
  },
  actors: { work: fromPromise<string, Promise<string>>(({ input }) => input) },
  actions: {
    check: ({ context }) => {
      if (context.breaks) throw new Error('it broke');
    },
    keep: assign({ reason: (_, reason: string) => reason }),
  },
  delays: { long: 60_000 },
}).createMachine({
  context: ({ input }) => input,
  initial: 'working',
  states: {
    working: {
      entry: 'check',
      invoke: {
        src: 'work',
        input: ({ context }) => context.done,
        onDone: { target: 'done', actions: { type: 'keep', params: ({ event }) => event.output } },
      },
      on: {
        cancel: {
          target: 'done',
          actions: { type: 'keep', params: ({ event }) => `cancelled: ${event.reason}` },
        },
      },
      after: { long: 'done' },
    },
    done: { type: 'final' },
  },
  output: ({ context }) => ({ said: context.reason ?? 'late' }),
});

const never = new Promise<never>(() => undefined);

test('among runs side by side, one that breaks or is cancelled ends alone', async () => {
  const abort = new AbortController();
  const finish: ((said: string) => void)[] = [];
  const done = new Promise<string>((resolve) => finish.push(resolve));
  const others = Array.from({ length: 200 }, () => runMachine(machine, { done }, {}));
  const cancelled = runMachine(machine, { done: never }, { signal: abort.signal });
  const broken = runMachine(machine, { done: never, breaks: true }, {});
  await expect(broken).rejects.toThrow('it broke');
  abort.abort('enough');
  expect(await cancelled).toEqual({ said: 'cancelled: enough' });
  finish[0]?.('worked');
  expect(await Promise.all(others)).toEqual(others.map(() => ({ said: 'worked' })));
});

test('a signal that has already been aborted cancels the run', async () => {
  const signal = AbortSignal.abort('too late');
  const { said } = await runMachine(machine, { done: never }, { signal });
  expect(said).toBe('cancelled: too late');
});

test('a run that is observed is the root of everything that is reported about it', async () => {
  const inspected: InspectionEvent[] = [];
  const inspect = (event: InspectionEvent): void => void inspected.push(event);
  await runMachine(machine, { done: Promise.resolve('worked') }, { inspect });
  const [first] = inspected;
  expect(first?.type).toBe('@xstate.actor');
  expect(first?.rootId).toBe(first?.actorRef.sessionId);
  expect(new Set(inspected.map(({ rootId }) => rootId)).size).toBe(1);
});

test('a signal has one listener for all who wait, and none once nobody waits', () => {
  const abort = new AbortController();
  const { signal } = abort;
  const heard: string[] = [];
  const listeners = (): number => getEventListeners(signal, 'abort').length;
  const stops = ['a', 'b', 'c'].map((name) => onAbort(signal, () => void heard.push(name)));
  expect(listeners()).toBe(1);
  stops[0]!();
  stops[0]!();
  stops[1]!();
  expect(listeners()).toBe(1);
  stops[2]!();
  expect(listeners()).toBe(0);
  const stop = onAbort(signal, () => void heard.push('d'));
  stops[2]!();
  abort.abort();
  expect(heard).toEqual(['d']);
  stop();
});
