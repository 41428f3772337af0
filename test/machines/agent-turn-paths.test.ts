import { describe, expect, test } from 'vitest';
import type { EventFromLogic, SnapshotFrom } from 'xstate';
import { getAdjacencyMap, getSimplePaths } from 'xstate/graph';
import {
  agentTurnMachine,
  type AgentTurnInput,
  type AgentTurnOutcome,
  type ModelStep,
  type ToolStep,
} from '../../machines/agent-turn.ts';
import { Script } from './script.ts';

type Snapshot = SnapshotFrom<typeof agentTurnMachine>;
type Event = EventFromLogic<typeof agentTurnMachine>;

const stop = { reason: 'Enough.' };
const calls = [{ name: 'write_file' }];

const modelSteps: Record<string, ModelStep> = {
  'model is content': { status: 'answered', calls: [] },
  'model wants tools': { status: 'answered', calls },
  'model is stopped': { status: 'answered', calls: [], stop },
  'model wants tools and is stopped': { status: 'answered', calls, stop },
  'model fails': { status: 'failed', error: 'down' },
  'model gives up': { status: 'cancelled' },
};
const toolSteps: Record<string, ToolStep> = {
  'tools give': {},
  'tools are stopped': { stop },
};

const answered = (id: string, steps: Record<string, object>) =>
  Object.entries(steps).map(([word, output]) => [
    word,
    { type: `xstate.done.actor.${id}`, output },
  ]);

/** Every answer of the outside world, by a word for it, as the event that XState makes of it. */
const answers: Record<string, object> = {
  ...Object.fromEntries([
    ...answered('modelCall', modelSteps),
    ...answered('toolBatch', toolSteps),
  ]),
  'model breaks': { type: 'xstate.error.actor.modelCall', error: 'broken' },
  'tools break': { type: 'xstate.error.actor.toolBatch', error: 'broken' },
  cancel: { type: 'cancel', reason: 'user' },
};
const wordFor = (event: object): string =>
  Object.keys(answers).find((word) => answers[word] === event) ?? '';

/** What the ports were told. */
let told: string[] = [];

const inputFor = (maxSteps: number): AgentTurnInput => ({
  maxSteps,
  ports: {
    callModel: () => Promise.reject(new Error('the script answers for the model')),
    runTools: () => Promise.reject(new Error('the script answers for the tools')),
    cancel: (reason) => void told.push(reason),
  },
});

/** A turn is cancelled once; and its limit keeps its graph finite. */
const filterEvents = (snapshot: Snapshot, event: Event): boolean =>
  snapshot.status === 'active' &&
  snapshot.can(event) &&
  !(event.type === 'cancel' && snapshot.context.cancelReason !== undefined);

const serializeState = ({ value, context }: Snapshot): string => {
  const { ports: _ports, ...heard } = context;
  return JSON.stringify({ value, heard });
};

const script = new Script();
const machine = agentTurnMachine.provide({
  actors: { callModel: script.child as never, runTools: script.child as never },
});

const limits = [1, 3];
const walkFor = (maxSteps: number) => ({
  events: Object.values(answers) as unknown as Event[],
  filterEvents,
  serializeState,
  input: inputFor(maxSteps),
});

const paths = limits.flatMap((maxSteps) => {
  const walk = walkFor(maxSteps);
  return getSimplePaths(machine, { ...walk, toState: ({ status }) => status !== 'active' }).map(
    ({ steps }) => {
      const heard = steps.slice(1).map(({ event }) => event);
      const words = heard.map(wordFor);
      const states = steps.map(({ state }): string => state.value);
      return { name: `limit ${maxSteps}: ${words.join(', ')}`, heard, words, states, maxSteps };
    },
  );
});
type Path = (typeof paths)[number];

/** How a turn must end, told from what was heard and not from the machine. */
function expectedOf({ words, maxSteps }: Path): AgentTurnOutcome {
  const batches = words.filter((word) => word.startsWith('tools')).length;
  const asked = words.filter((word) => word.startsWith('model')).length;
  const cancelled = words.includes('cancel');
  const steps = asked;
  const last = words.at(-1)!;
  if (cancelled) return { status: 'cancelled', steps, reason: 'user' };
  switch (last) {
    case 'model is content':
      return { status: 'finished', steps };
    case 'model is stopped':
    case 'model wants tools and is stopped':
    case 'tools are stopped':
      return { status: 'stopped', by: 'hook', steps, reason: 'Enough.' };
    case 'model gives up':
      return { status: 'cancelled', steps, reason: '' };
    case 'model fails':
      return { status: 'failed', steps, error: 'down' };
    case 'tools give':
      expect(batches).toBe(maxSteps);
      return {
        status: 'stopped',
        by: 'limit',
        steps,
        reason: `The limit of ${maxSteps} model calls was reached.`,
      };
    default:
      return { status: 'failed', steps, error: 'broken' };
  }
}

/** The states that a turn must be in, told from what was heard and not from the machine. */
function expectedStates(path: Path): string[] {
  const { words, maxSteps } = path;
  const states = ['callingModel'];
  for (const [index, word] of words.entries()) {
    const batches = words.slice(0, index + 1).filter((said) => said === 'tools give').length;
    if (index === words.length - 1) states.push(expectedOf(path).status);
    else if (word === 'cancel') states.push(states.at(-1)!);
    else if (word === 'model wants tools') states.push('runningTools');
    else if (word === 'tools give' && batches < maxSteps) states.push('callingModel');
    else throw new Error(`${path.name}: ends after "${word}"`);
  }
  return states;
}

describe('every path of a turn, played on a real actor', () => {
  for (const path of paths)
    test(path.name, async () => {
      told = [];
      const played = await script.play(machine, inputFor(path.maxSteps), path.heard);
      expect(played.output).toEqual(expectedOf(path));
      expect(played.states).toEqual(expectedStates(path));
      // What runs is told of a cancel, and heard out: its results belong to the history.
      expect(told).toEqual(path.words.includes('cancel') ? ['user'] : []);
    });

  test('together they pass through every state', async () => {
    const passed = new Set<string>();
    for (const { heard, maxSteps } of paths)
      for (const id of (await script.play(machine, inputFor(maxSteps), heard)).passed)
        passed.add(id);
    expect([...passed].toSorted()).toEqual(
      Object.values(machine.states)
        .map(({ id }) => id)
        .toSorted(),
    );
  });
});

describe('the graph of a turn', () => {
  test('leads from no stop and no cancel to a further call', () => {
    for (const { words } of paths) {
      const after = (word: string): number =>
        words.includes(word) ? words.length - 1 - words.indexOf(word) : 0;
      for (const word of Object.keys(answers).filter((said) => said.includes('stopped')))
        expect(after(word)).toBe(0);
      expect(after('cancel')).toBeLessThanOrEqual(1);
    }
  });

  test('leads to no more model calls than the limit', () => {
    for (const { words, maxSteps } of paths)
      expect(words.filter((word) => word.startsWith('model')).length).toBeLessThanOrEqual(maxSteps);
  });

  for (const maxSteps of limits) {
    const places = Object.values(getAdjacencyMap(machine, walkFor(maxSteps)));
    const waiting = places.filter(({ state }) => state.status === 'active');

    test(`has no dead end and no error, with a limit of ${maxSteps}`, () => {
      expect(new Set(places.map(({ state }) => state.status))).toEqual(new Set(['active', 'done']));
      for (const { transitions } of waiting) expect(transitions).not.toEqual({});
    });

    test(`has no state that cannot be cancelled, with a limit of ${maxSteps}`, () => {
      for (const { state } of waiting)
        expect(state.can({ type: 'cancel', reason: '' }), String(state.value)).toBe(true);
    });
  }
});
