import { describe, expect, test } from 'vitest';
import type { EventFromLogic, SnapshotFrom } from 'xstate';
import {
  hookEventMachine,
  type HookAnswer,
  type HookEventInput,
  type HookEventOutcome,
  type HookLane,
  type HookPayload,
  type HookVerdict,
} from '../../machines/hook-event.ts';
import type { HookProcessOutcome } from '../../machines/hook-process.ts';
import { pathOf } from './path-of.ts';
import { Script } from './script.ts';
import { statesOf } from './states-of.ts';
import { walk } from './walk.ts';

type Snapshot = SnapshotFrom<typeof hookEventMachine>;
type Event = EventFromLogic<typeof hookEventMachine>;

/** How a hook may end: with an answer, with a process that breaks, or by a cancel. */
const meanings = {
  allows: { decision: 'allow', stop: false, status: 'ok' },
  denies: { decision: 'deny', stop: false, status: 'ok' },
  stops: { decision: undefined, stop: true, status: 'ok' },
  fails: { decision: undefined, stop: false, status: 'failed' },
  breaks: { decision: undefined, stop: false, status: 'failed' },
  ends: { decision: undefined, stop: false, status: 'cancelled' },
} as const satisfies Record<string, HookAnswer>;
type Word = keyof typeof meanings;
const words = Object.keys(meanings) as Word[];

/** What the machine must know of an answer, and which hook gave it. */
interface NamedAnswer extends HookAnswer {
  readonly by: string;
}

/** A verdict that keeps what it was made from. */
interface FullVerdict extends HookVerdict {
  readonly answers: readonly NamedAnswer[];
  readonly payload: HookPayload;
}

/** An ended process that stands for a word. */
const exited = (word: Word): HookProcessOutcome => ({
  status: 'exited',
  leftBackground: false,
  exit: { exitCode: 0, signal: null, stdout: word, stderr: '', truncated: [], durationMs: 1 },
});

/** Every answer of the outside world, as the event that XState turns it into. */
const answersOf = (count: number): { word: Word; hook: number; event: object }[] =>
  Array.from({ length: count }, (_, hook) =>
    words.map((word) => {
      const actorId = `hook.${hook}`;
      const event =
        word === 'breaks'
          ? { type: `xstate.error.actor.${actorId}`, error: new Error('broken'), actorId }
          : { type: `xstate.done.actor.${actorId}`, output: exited(word), actorId };
      return { word, hook, event };
    }),
  ).flat();

/** How the hooks of a plan are distributed over dialects. */
interface Lanes {
  readonly name: string;
  readonly lanes: readonly HookLane[];
  readonly count: number;
}

const lane = (dialect: string, mode: HookLane['mode'], ...positions: number[]): HookLane => ({
  dialect,
  mode,
  positions,
});

const plans: readonly Lanes[] = [
  ...(['parallel', 'sequential'] as const).flatMap((mode) =>
    [0, 1, 2, 3].map((count) => ({
      name: `${count} hooks, ${mode}`,
      lanes: count === 0 ? [] : [lane('a', mode, ...Array.from({ length: count }).keys())],
      count,
    })),
  ),
  {
    name: 'two hooks in sequence beside one',
    lanes: [lane('a', 'sequential', 0, 2), lane('b', 'parallel', 1)],
    count: 3,
  },
  {
    name: 'two sequences',
    lanes: [lane('a', 'sequential', 1), lane('b', 'sequential', 0, 2)],
    count: 3,
  },
];

/** The rules of a plan whose hooks are only names: they ask nobody anything. */
const inputFor = ({ lanes, count }: Lanes): HookEventInput => ({
  event: 'BeforeTool',
  hooks: Array.from({ length: count }, (_, hook) => ({ name: `${hook}` })),
  lanes,
  payload: { passedOn: [] },
  rules: {
    prepare: ({ name }, payload) => {
      prepared.push({ name, payload });
      return { name, timeout: 1, command: { command: '', cwd: '', env: {}, stdin: () => '' } };
    },
    read: ({ name }, outcome, { passedOn }): NamedAnswer => {
      const word = outcome.status === 'exited' ? (outcome.exit.stdout as Word) : 'breaks';
      return {
        ...meanings[word],
        by: name,
        ...(word === 'allows' && { passesOn: { passedOn: [...(passedOn as string[]), name] } }),
      };
    },
    merge: (answers, payload): FullVerdict => ({
      blocked: answers.some(({ decision }) => decision === 'deny'),
      stop: answers.some(({ stop }) => stop),
      answers: (answers as NamedAnswer[]).map(({ passesOn: _, ...answer }) => answer),
      payload,
    }),
  },
  reports: {
    answered: (answer) => reported.push((answer as NamedAnswer).by),
    decided: () => reported.push('verdict'),
  },
});

/** The hooks that were started, with what each received. */
let prepared: { name: string; payload: HookPayload }[] = [];

/** What was reported, in the order in which it happened. */
let reported: string[] = [];

const script = new Script();
const machine = hookEventMachine.provide({ actors: { hookProcess: script.child as never } });

function walkOf(plan: Lanes) {
  const answers = answersOf(plan.count);
  const cancel = { type: 'cancel', reason: 'user' };
  const answerIn = (event: Event) => answers.find((answer) => answer.event === event);
  return {
    answerIn,
    input: inputFor(plan),
    events: [...answers.map(({ event }) => event), cancel] as Event[],
    /** Only what can happen: a running hook answers once; one that was cancelled may still answer. */
    filterEvents: (snapshot: Snapshot, event: Event): boolean => {
      if (snapshot.status !== 'active') return false;
      const { started, answers: received, cancelReason } = snapshot.context;
      const answer = answerIn(event);
      if (answer === undefined) return cancelReason === undefined && snapshot.can(event);
      const { word, hook } = answer;
      const fits = cancelReason === undefined ? word !== 'ends' : lateWords.includes(word);
      return fits && started[hook] === true && received[hook] === undefined;
    },
    serializeState: ({ value, context }: Snapshot): string => {
      const { started, answers: received, payloads, cancelReason } = context;
      return JSON.stringify({ value, started, received, payloads, cancelReason });
    },
  };
}

/** How a hook may end after a cancel: ended by it, or with an answer that was already on its way. */
const lateWords: readonly Word[] = ['ends', 'denies', 'breaks'];

const cases = plans.map((plan) => {
  const options = walkOf(plan);
  return { ...plan, options, ...walk(machine, options) };
});

/** What is received on a path: answers of hooks, and possibly a cancel in between. */
interface Received {
  readonly answers: readonly { word: Word; hook: number }[];
  /** How many hooks had answered before the cancel; all of them when there was none. */
  readonly inTime: number;
  readonly isCancelled: boolean;
}

const pathsOf = ({ lanes, options, ways }: (typeof cases)[number]) =>
  ways.map(({ steps }) => {
    const events = steps.slice(1).map(({ event }) => event);
    const states = steps.map(({ state }) => pathOf(state.value));
    const inOrder = events.map(options.answerIn);
    const answers = inOrder.filter((answer) => answer !== undefined);
    const isCancelled = answers.length < events.length;
    const inTime = isCancelled ? inOrder.indexOf(undefined) : answers.length;
    const name = inOrder
      .map((answer) => (answer ? `${answer.hook} ${answer.word}` : 'cancel'))
      .join(', ');
    const received: Received = { answers, inTime, isCancelled };
    return { name, lanes, input: options.input, events, states, received };
  });

/** How an event must end, derived from what was received and not from the machine. */
function expectedOf({ answers, isCancelled }: Received): HookEventOutcome {
  const inPlanOrder = answers.toSorted((one, other) => one.hook - other.hook);
  const verdict: FullVerdict = {
    blocked: answers.some(({ word }) => word === 'denies'),
    stop: answers.some(({ word }) => word === 'stops'),
    answers: inPlanOrder.map(({ word, hook }) => ({ ...meanings[word], by: `${hook}` })),
    payload: { passedOn: [] },
  };
  return isCancelled
    ? { status: 'cancelled', reason: 'user', verdict }
    : { status: 'settled', verdict };
}

const allowing = (answers: Received['answers']): string[] =>
  answers.filter(({ word }) => word === 'allows').map(({ hook }) => `${hook}`);

/** The answers of a lane's hooks, in the lane's order. */
const answersIn = ({ positions }: HookLane, answers: Received['answers']): Received['answers'] =>
  positions.flatMap((position) => answers.filter(({ hook }) => hook === position));

/** What each started hook must have received: in a sequence, what those before it in its lane passed on. */
const inputsOf = (lanes: readonly HookLane[], answers: Received['answers']): typeof prepared =>
  lanes
    .flatMap((one) =>
      answersIn(one, answers).map(({ hook }, index, inOrder) => ({
        name: `${hook}`,
        payload: { passedOn: one.mode === 'parallel' ? [] : allowing(inOrder.slice(0, index)) },
      })),
    )
    .toSorted(byName);

const byName = (one: { name: string }, other: { name: string }): number =>
  one.name.localeCompare(other.name);

/** Whether the hooks that have answered so far leave nothing to wait for. */
const isOver = (lanes: readonly HookLane[], { answers, isCancelled }: Received): boolean =>
  isCancelled ||
  lanes.every((one) => {
    const received = answersIn(one, answers);
    const last = received.at(-1)?.word;
    const isEnded = one.mode === 'sequential' && (last === 'denies' || last === 'stops');
    return isEnded || received.length === one.positions.length;
  });

const passed = new Set<string>();

describe.each(cases)('every path of $name, run on real actors', (plan) => {
  const paths = pathsOf(plan);

  test(`each of the ${paths.length} paths of an event ends as what was received demands`, async () => {
    for (const { name, lanes, input, events, states, received } of paths) {
      prepared = [];
      reported = [];
      const played = await script.play(machine, input, events);
      for (const id of played.passed) passed.add(id);
      const running = received.answers.slice(received.inTime).map(({ hook }) => `hook.${hook}`);
      expect({ ...played, passed: [], prepared: prepared.toSorted(byName) }, name).toEqual({
        states,
        passed: [],
        status: 'done',
        output: expectedOf(received),
        cancelled: running.toSorted(),
        prepared: inputsOf(lanes, received.answers),
      });
      expect(reported, name).toEqual([...received.answers.map(({ hook }) => `${hook}`), 'verdict']);
      expect(isOver(lanes, received), name).toBe(true);
    }
  });

  test('a block or a stop ends only its own sequence, and hooks side by side end only by themselves', () => {
    for (const { name, lanes, received } of paths)
      for (let length = 0; length < received.inTime + (received.isCancelled ? 1 : 0); length++) {
        const earlier = {
          ...received,
          answers: received.answers.slice(0, length),
          isCancelled: false,
        };
        expect(isOver(lanes, earlier), name).toBe(false);
      }
  });

  test('an event has no dead end, no error, and no wait that cannot be cancelled', () => {
    for (const { state, transitions } of plan.places) {
      expect(['active', 'done']).toContain(state.status);
      if (state.status === 'done') continue;
      expect(transitions).not.toEqual({});
      const canBeCancelled = state.can({ type: 'cancel', reason: '' });
      expect(canBeCancelled || state.matches({ hearing: 'cancelling' })).toBe(true);
    }
  });
});

test('the paths of an event together pass through every state except that of hooks that are asked once more', () => {
  expect([...passed, 'hookEvent.rechecking'].toSorted()).toEqual(statesOf(machine));
});
