import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  createActor,
  fromCallback,
  SimulatedClock,
  StateMachine,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type EventObject,
} from 'xstate';
import type { AgentTurnInput } from '../../machines/agent-turn.ts';
import type { AnswerStreamInput } from '../../machines/answer-stream.ts';
import type { HookEventContext, HookEventInput, HookLane } from '../../machines/hook-event.ts';
import type { HookProcessInput } from '../../machines/hook-process.ts';
import type { ModelCallInput } from '../../machines/model-call.ts';
import type { ToolCallInput } from '../../machines/tool-call.ts';
import { Steps } from '../../src/core/run/steps.ts';
import { nodesOf, transitionsOf } from '../../visualizations/walk.ts';
import { walk } from './walk.ts';

/** What the outside world may do to a machine. */
interface World {
  /**
   * The inputs that the machine may be started with, so that every way through it is open with one of them.
   */
  readonly inputs: readonly unknown[];
  /** By the id of an actor, what it may end with; by the type of an event, what it may carry. */
  readonly says: Readonly<Record<string, readonly object[]>>;
  /** The states in which something is done that a block or a stop must prevent. */
  readonly acts: readonly string[];
  /** Whether this event says that it must not be done. */
  readonly forbids: (event: Said) => boolean;
  /** What a state has begun in the lane of the actor that forbids beginning more. */
  readonly begun?: (state: AnyMachineSnapshot, actorId: string | undefined) => unknown;
  /** For events that may occur repeatedly, whether this one may occur once more. */
  readonly mayCome?: (state: AnyMachineSnapshot, event: Said) => boolean;
  /** How a machine may end after it was asked to cancel. */
  readonly afterCancel: readonly string[];
}

/** An event, as XState makes it from what the world says. */
interface Said extends EventObject {
  readonly output?: unknown;
  readonly error?: unknown;
  readonly actorId?: string;
  /** What the user said, in an answer. */
  readonly approved?: boolean;
}

const broken = { error: new Error('broken') };
const verdict = (blocked: boolean, stop: boolean, more: object = {}) => ({
  output: { status: 'settled', verdict: { blocked, stop, ...more } },
});
const verdicts = [
  verdict(false, false),
  verdict(true, false),
  verdict(false, true),
  verdict(true, true),
  broken,
];
const cancel = [{ reason: 'user' }];

interface Verdicts {
  readonly status?: string;
  readonly verdict?: {
    readonly blocked: boolean;
    readonly stop: boolean;
    readonly defer?: boolean;
  };
}
const blocks = ({ output }: Said): boolean =>
  (output as Verdicts | undefined)?.verdict?.blocked === true;
const stops = ({ output }: Said): boolean =>
  (output as Verdicts | undefined)?.verdict?.stop === true;
const defers = ({ output }: Said): boolean =>
  (output as Verdicts | undefined)?.verdict?.defer === true;
const isBroken = (event: Said, id: string): boolean => isFrom(event, id) && 'error' in event;
const isFrom = ({ type }: Said, id: string): boolean => type.endsWith(`.actor.${id}`);

const rules: HookEventInput['rules'] = {
  prepare: ({ name }) => ({
    name,
    timeout: 1,
    command: { command: '', cwd: '', env: {}, stdin: () => '' },
  }),
  read: (_, outcome) =>
    outcome.status === 'exited'
      ? (JSON.parse(outcome.exit.stdout) as never)
      : { decision: undefined, stop: false, status: 'failed' },
  merge: (answers) => ({
    blocked: answers.some(({ decision }) => decision === 'deny'),
    stop: answers.some(({ stop }) => stop),
  }),
};
const reports = { answered: () => undefined, decided: () => undefined };
const plan: HookEventInput = {
  event: '',
  hooks: [],
  lanes: [],
  payload: {},
  rules,
  reports,
};
const lane = (mode: HookLane['mode'], ...positions: number[]): HookLane => ({
  dialect: mode,
  mode,
  positions,
});
const streamOf = (count: number): AnswerStreamInput => ({
  event: '',
  hooks: Array.from({ length: count }, (_, place) => ({ name: `${place}` })),
  rules: {
    prepare: (hook) => rules.prepare(hook, {}),
    read: (_, outcome, { text, done }) => {
      const said = (
        outcome.status === 'exited' ? JSON.parse(outcome.exit.stdout) : { status: 'failed' }
      ) as { text?: string; held?: string; decision?: 'deny'; stop?: boolean; status?: 'failed' };
      const { held = '', decision, stop = false, status = 'ok' } = said;
      return {
        text: held === '' || done ? text : '',
        held: done ? '' : held,
        answer: { decision, stop, status },
      };
    },
    merge: (answers) => rules.merge(answers, {}),
  },
  reports: { ...reports, shown: () => undefined },
});
const either = [true, false];
const afterwards = [...either, 'as it comes'] as const;
const planned = (): HookEventInput => plan;
const never = (): Promise<never> => Promise.reject(new Error('the world answers'));

const toolPorts: ToolCallInput['ports'] = {
  rewrite: (input) => input,
  takeQuestion: () => undefined,
  execute: never,
  failure: (error) => ({ error }),
  hasFailed: (result) => 'error' in result,
};

const exit = { exitCode: 0, signal: null, stdout: '', stderr: '', truncated: [], durationMs: 1 };

/** A hook that ends with this answer, in the form that the rules above read. */
const answering = (answer: object) => ({
  output: {
    status: 'exited',
    leftBackground: false,
    exit: { ...exit, stdout: JSON.stringify({ stop: false, status: 'ok', ...answer }) },
  },
});
const hookAnswers = [
  answering({ decision: 'allow' }),
  answering({ decision: 'deny' }),
  answering({ stop: true }),
  answering({ status: 'failed' }),
  broken,
];

const worlds: Readonly<Record<string, World>> = {
  durableHook: {
    inputs: [
      {
        name: 'x',
        effect: 'x',
        timeout: 5,
        command: { command: '', cwd: '', env: {}, stdin: () => '' },
      },
    ],
    says: {
      claim: [
        { output: { status: 'claimed' } },
        { output: { status: 'recorded', outcome: answering({}).output } },
        broken,
      ],
      process: [answering({}), broken],
      record: [
        answering({}),
        { output: { status: 'failed', error: broken.error } },
        { output: { status: 'timedOut', timeout: 5 } },
        broken,
      ],
      cancel,
    },
    acts: ['running'],
    // What somebody else has begun must not be begun again, nor what is unknown.
    forbids: (event) =>
      isFrom(event, 'claim') &&
      (event.output as { status?: string } | undefined)?.status !== 'claimed',
    // The hook's own answer meanwhile, or what somebody else has recorded, counts.
    afterCancel: ['exited', 'failed', 'timedOut', 'cancelled'],
  },
  hookProcess: {
    inputs: (['end-group', 'end', 'leave'] as const).map((leftBehind): HookProcessInput => ({
      name: 'x',
      timeout: 5,
      leftBehind,
      command: { command: '', cwd: '', env: {}, stdin: () => '' },
    })),
    says: {
      process: [broken],
      'process.admitting': [{}],
      'process.started': [{ pid: 1 }],
      'process.unreachable': [{}],
      'process.exited': [{ left: { living: 'group', output: false } }],
      // A daemon may hold the streams.
      'process.left': [{ left: { living: 'daemons', output: true } }],
      'process.closed': [{ exit }],
      'process.failed': [{ error: new Error('broken') }],
      cancel,
    },
    acts: [],
    forbids: () => false,
    // A process that could not be started cannot be cancelled either.
    afterCancel: ['cancelled', 'failed'],
  },
  hookEvent: {
    inputs: [
      [],
      ...(['parallel', 'sequential'] as const).flatMap((mode) =>
        [1, 2, 3].map((count) => [lane(mode, ...Array.from({ length: count }).keys())]),
      ),
      [lane('sequential', 0, 2), lane('parallel', 1)],
    ]
      .map((lanes) => ({
        ...plan,
        lanes,
        hooks: lanes.flatMap(({ positions }) => positions.map((index) => ({ name: `${index}` }))),
      }))
      .concat({
        ...plan,
        lanes: [lane('parallel', 0, 1)],
        hooks: [{ name: '0' }, { name: '1' }],
        rules: {
          ...rules,
          recheck: (_, { blocked, stop }) =>
            blocked || stop ? undefined : { positions: [0], payload: {} },
        },
      }),
    says: { 'hook.0': hookAnswers, 'hook.1': hookAnswers, 'hook.2': hookAnswers, cancel },
    acts: [],
    // Side by side, all hooks are already running; in a sequence, no further one may begin.
    begun: (state, actorId) => {
      const { input, started } = state.context as HookEventContext;
      const own = input.lanes.find(({ positions }) =>
        positions.some((position) => actorId === `hook.${position}`),
      );
      return own?.positions.map((position) => started[position]);
    },
    forbids: ({ output }) =>
      /"deny"|"stop":true/.test((output as { exit?: typeof exit } | undefined)?.exit?.stdout ?? ''),
    afterCancel: ['cancelled'],
  },
  toolCall: {
    inputs: either.flatMap((before) =>
      either.flatMap((after) =>
        [...either, 'judged' as const].flatMap((asks) =>
          [undefined, 'not on offer'].flatMap((notOffered) =>
            either.map((unready): ToolCallInput => ({
              id: '1',
              notOffered,
              toolName: 'write_file',
              toolInput: {},
              ports: {
                ...toolPorts,
                ...(unready && { planHooks: never }),
                ...(before && { hooksBefore: planned }),
                ...(after && { hooksAfter: planned }),
                ...(asks && { ask: () => undefined }),
                ...(asks === 'judged' && { hooksOnPermission: planned }),
                hooksOnFailure: planned,
              },
            })),
          ),
        ),
      ),
    ),
    says: {
      hooks: [{ output: { ...toolPorts, hooksBefore: planned } }, broken],
      beforeHooks: [
        ...verdicts,
        verdict(false, false, { defer: true }),
        verdict(false, false, { approved: true }),
        verdict(false, false, { ask: true }),
      ],
      permissionHooks: [...verdicts, verdict(false, false, { approved: true })],
      failureHooks: verdicts,
      tool: [{ output: { llmContent: 'done' } }, broken],
      afterHooks: verdicts,
      answer: [
        { approved: true, reason: '' },
        { approved: false, reason: 'no' },
      ],
      expire: [{ reason: 'late' }],
      question: [{}],
      cancel,
    },
    acts: ['executing'],
    forbids: (event) =>
      blocks(event) ||
      stops(event) ||
      defers(event) ||
      isBroken(event, 'hooks') ||
      event['approved'] === false ||
      event.type === 'expire',
    afterCancel: ['cancelled'],
  },
  modelCall: {
    inputs: either.flatMap((selection) =>
      either.flatMap((before) =>
        afterwards
          .filter((after): boolean => after !== 'as it comes' || !selection)
          .flatMap((after) =>
            (after === 'as it comes' ? [false] : [...either, 'unready' as const]).map(
              (answers): ModelCallInput => ({
                id: '1',
                request: {},
                ports: {
                  ...(answers === 'unready' && { planHooks: never }),
                  ...(selection && { hooksOnSelection: planned }),
                  ...(before && { hooksBefore: planned }),
                  ...(after && !(after === 'as it comes' && before) && { hooksAfter: planned }),
                  ...(after === 'as it comes' && { hooksOnText: () => streamOf(1) }),
                  selectTools: (request) => request,
                  rewrite: (request) => request,
                  synthetic: () => (answers ? { text: 'instead' } : undefined),
                  call: never,
                  streamed: (response) => response ?? {},
                  revise: (response) => response,
                },
              }),
            ),
          ),
      ),
    ),
    says: {
      hooks: [
        {
          output: {
            hooksBefore: planned,
            rewrite: (request: object) => request,
            synthetic: () => undefined,
            call: never,
          },
        },
        broken,
      ],
      selectionHooks: verdicts,
      beforeHooks: verdicts,
      model: [{ output: { text: 'Hi' } }, broken],
      stream: [
        { output: { status: 'done', blocks: [], verdict: { blocked: false, stop: false } } },
        { output: { status: 'blocked', blocks: [], verdict: { blocked: true, stop: false } } },
        { output: { status: 'stopped', blocks: [], verdict: { blocked: false, stop: true } } },
        broken,
      ],
      text: [{ text: 'a' }],
      'text.end': [{ whenShown: () => undefined }],
      afterHooks: verdicts,
      cancel,
    },
    acts: ['calling', 'streaming.running'],
    // A selection of tools can be stopped, but not blocked (C-63).
    forbids: (event) =>
      stops(event) ||
      isBroken(event, 'hooks') ||
      (blocks(event) && !isFrom(event, 'selectionHooks')),
    afterCancel: ['cancelled'],
  },
  answerStream: {
    inputs: [0, 1, 2].map(streamOf),
    says: {
      // The hook lets the text through, holds it back, denies, stops the agent, or fails.
      hook: [
        ...[{ text: 'x' }, { held: 'x' }, { decision: 'deny' }, { stop: true }].map((said) => ({
          output: { status: 'exited', exit: { stdout: JSON.stringify(said) } },
        })),
        broken,
      ],
      text: [{ text: 'a' }],
      'text.end': [{ whenShown: () => undefined }],
      finish: [{}],
      cancel,
    },
    acts: [],
    forbids: () => false,
    mayCome: (state, { type }) => {
      const { isOver, waiting, progress } = contextOf(state) as {
        readonly [Name in 'waiting' | 'progress']: readonly unknown[];
      } & { readonly isOver: boolean };
      // One hook gets two pieces, two hooks get one.
      if (type === 'text') return textIn(state).length + progress.length < 3 && !isOver;
      return type === 'text.end'
        ? waiting.length === 0 && !isOver && textIn(state) !== ''
        : !isOver;
    },
    afterCancel: ['cancelled'],
  },
  agentTurn: {
    // One call at a time, and two at a time; and a turn that continues with a call of one that was suspended.
    inputs: (
      [
        [false, 1],
        [false, 2],
        [false, 1, {}],
        // A framework says when the model is asked.
        [true, 1],
      ] as const
    ).map(([isDriven, limit, ...resumed]): AgentTurnInput => ({
      maxSteps: resumed.length > 0 ? 1 : 3 - limit,
      resumed,
      maxRejections: 1,
      toolLimit: limit,
      ports: {
        planHooks: never,
        ...(isDriven && { nextRequest: never }),
        acceptPrompt: () => undefined,
        sendOn: () => undefined,
        stopOf: () => ({ reason: 'stopped' }),
        modelCall: () => ({}) as never,
        readAnswer: (outcome) => outcome as never,
        takeAnswer: () => undefined,
        reportCalls: () => undefined,
        toolCall: () => ({}) as never,
        readResult: (_, { status }) => (status === 'stopped' ? { stop: { reason: '' } } : {}),
        reportResults: () => undefined,
        takeResults: () => undefined,
      },
    })),
    says: {
      hooks: [
        ...either.flatMap((before) =>
          either.map((after) => ({
            // Distinguishes these events: functions have no JSON form.
            planned: { before, after },
            output: { ...(before && { before: planned }), ...(after && { after: planned }) },
          })),
        ),
        broken,
      ],
      request: [{ output: undefined }, broken],
      beforeHooks: verdicts,
      modelCall: [
        { output: { status: 'answered', calls: [] } },
        { output: { status: 'answered', calls: [{}, {}] } },
        { output: { status: 'answered', calls: [{}], stop: { reason: 'stopped' } } },
        { output: { status: 'failed', error: 'down' } },
        { output: { status: 'cancelled' } },
        broken,
      ],
      'tool.0': [
        { output: { status: 'done' } },
        { output: { status: 'stopped' } },
        { output: { status: 'kept', ended: { isSuspended: true } } },
        broken,
      ],
      'tool.1': [{ output: { status: 'done' } }],
      afterHooks: [...verdicts, verdict(false, false, { followUp: true })],
      cancel,
    },
    acts: ['callingModel.running'],
    // A block of AfterAgent is a rejection: it sends the agent on, a limited number of times.
    forbids: (event) =>
      stops(event) ||
      (event.output as Verdicts | undefined)?.status === 'stopped' ||
      (event.output as { stop?: unknown } | undefined)?.stop !== undefined ||
      isBroken(event, 'hooks') ||
      (blocks(event) && !isFrom(event, 'afterHooks')),
    afterCancel: ['cancelled'],
  },
};

/** The text that a machine has, joined. */
const textIn = (state: AnyMachineSnapshot): string =>
  (contextOf(state)['blocks'] as { given: string }[]).map(({ given }) => given).join('');

const folder = new URL('../../machines/', import.meta.url);
const machines = (
  await Promise.all(
    readdirSync(folder)
      .filter((file) => file.endsWith('.ts'))
      .map(async (file) => Object.values((await import(new URL(file, folder).href)) as object)),
  )
)
  .flat()
  .filter((exported): exported is AnyStateMachine => exported instanceof StateMachine);

/** What the children of a run were begun with, and told. */
let heard: unknown[] = [];

/** As JSON, because functions are made anew for each run, and the machine itself may be among the input. */
const noteHeard = (what: object): number =>
  heard.push(JSON.stringify(what, (key, value: unknown) => (key === 'streaming' ? '' : value)));

/** Children that only wait: what they end with is sent to the machine as the corresponding event. */
const waiting = fromCallback(({ input, receive }) => {
  noteHeard({ begun: input });
  receive(noteHeard);
  return () => heard.push('ended');
});
const withWaitingChildren = (machine: AnyStateMachine): AnyStateMachine =>
  machine.provide({
    actors: Object.fromEntries(
      Object.keys(machine.implementations.actors).map((name) => [name, waiting]),
    ) as never,
  });

/**
 * Every event that the machine's own graph has a transition for, with everything that the world may say in
 * it.
 */
function eventsOf(machine: AnyStateMachine, { says }: World): Said[] {
  const types = new Set(
    nodesOf(machine).flatMap((node) => transitionsOf(node).map(({ eventType }) => eventType)),
  );
  return [...types]
    .filter((type) => type !== '')
    .flatMap((type) => {
      const [, ending, id] = /^xstate\.(done|error)\.actor\.(.+)$/.exec(type) ?? [];
      if (ending !== undefined) {
        const ids = id === '*' ? Object.keys(says).filter((one) => /\.\d+$/.test(one)) : [id!];
        return ids.flatMap((actorId) =>
          saidBy(says, actorId)
            .filter((said) => 'error' in said === (ending === 'error'))
            .map((said) => ({ ...said, type: `xstate.${ending}.actor.${actorId}`, actorId })),
        );
      }
      if (type.startsWith('xstate.after.')) return [{ type }];
      return saidBy(says, type).map((said) => ({ ...said, type }));
    });
}

/** A situation that a machine can be in, and what may follow from it. */
interface Place {
  readonly state: AnyMachineSnapshot;
  readonly next: readonly Step[];
}

interface Step {
  readonly state: AnyMachineSnapshot;
  readonly event: Said;
}

/** If a machine can receive something new, it must be added to this check. */
function saidBy(says: World['says'], name: string): readonly object[] {
  const said = says[name];
  if (said === undefined) throw new Error(`say in this check what "${name}" may bring`);
  return said;
}

const contextOf = (snapshot: AnyMachineSnapshot): Readonly<Record<string, unknown>> =>
  snapshot.context as Readonly<Record<string, unknown>>;

const isCancelled = (snapshot: AnyMachineSnapshot): boolean =>
  contextOf(snapshot)['cancelReason'] !== undefined;

/**
 * Whether this child is running: it is invoked in the machine's current state, or is a hook or a tool that
 * has not answered yet.
 */
function isRunning(snapshot: AnyMachineSnapshot, actorId: string | undefined): boolean {
  if (actorId === undefined) return false;
  const [, kind, index] = /^(hook|tool)\.(\d+)$/.exec(actorId) ?? [];
  const {
    started = [],
    answers = [],
    slots = [],
  } = contextOf(snapshot) as { started?: boolean[]; answers?: unknown[]; slots?: unknown[] };
  if (kind === 'hook')
    return started[Number(index)] === true && answers[Number(index)] === undefined;
  if (kind === 'tool') return slots[Number(index)] !== undefined;
  return snapshot._nodes.some(({ invoke }) => invoke.some(({ id }) => id === actorId));
}

/** Only what can happen: a running hook ends once. */
function canHappen(snapshot: AnyMachineSnapshot, event: Said, world: World): boolean {
  if (world.mayCome && event.actorId === undefined && event.type !== 'cancel')
    if (!world.mayCome(snapshot, event)) return false;
  if (snapshot.status !== 'active' || !snapshot.can(event)) return false;
  return event.actorId === undefined || isRunning(snapshot, event.actorId);
}

const keys = new Map<string, string>();
const keysOfSnapshots = new WeakMap<AnyMachineSnapshot, string>();

/**
 * One short key for everything that a machine has received and decided; what it was given to work with stays
 * the same. The graph functions ask for it once for each step of each path.
 */
const serializeState = (snapshot: AnyMachineSnapshot): string => {
  const known = keysOfSnapshots.get(snapshot);
  if (known !== undefined) return known;
  const { ports, rules: _, plan: __, input: ___, hooks = ports, ...received } = contextOf(snapshot);
  const whole = JSON.stringify([snapshot.value, received, Object.keys(hooks ?? {})]);
  const key = keys.get(whole) ?? `${nameOf(snapshot.value)} ${keys.size}`;
  keys.set(whole, key);
  keysOfSnapshots.set(snapshot, key);
  return key;
};

/** A state by the names on the way to it, such as `hearing.waiting`. */
const nameOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Object.entries(value as object)
        .map(([name, inner]) => `${name}.${nameOf(inner)}`)
        .join();

const numbers = new WeakMap<object, number>();
let numbered = 0;

function numberOf(event: object): number {
  const known = numbers.get(event);
  if (known !== undefined) return known;
  numbers.set(event, ++numbered);
  return numbered;
}

/**
 * What a path does, and where: a path whose steps others have already taken adds nothing new, because equal
 * situations have one key.
 */
const stepsOf = (steps: readonly Step[]): string[] =>
  steps.map(({ event, state }, index) =>
    index === 0
      ? 'start'
      : `${serializeState(steps[index - 1]!.state)} ${numberOf(event)} ${serializeState(state)}`,
  );

const statusOf = ({ output }: AnyMachineSnapshot): unknown =>
  (output as { status?: unknown } | undefined)?.status;

const documented = readFileSync('docs/reliability.md', 'utf8');

describe.each(machines.map((machine) => ({ id: machine.id, machine })))(
  'the machine $id',
  ({ id, machine: drawn }) => {
    const world = worlds[id];
    if (world === undefined) throw new Error(`say in this check what the world does to ${id}`);
    const machine = withWaitingChildren(drawn);
    const events = eventsOf(machine, world);
    const options = (input: unknown) => ({
      input,
      events: events as never[],
      filterEvents: ((state: AnyMachineSnapshot, event: Said) =>
        canHappen(state, event, world)) as never,
      serializeState: serializeState as never,
      limit: 1_000_000,
    });
    const walks = world.inputs.map((input) => ({ input, ...walk(machine, options(input)) }));
    const graphs = walks.map((walked) =>
      walked.places.map(({ state, transitions }): Place => ({
        state,
        next: Object.values(transitions),
      })),
    );
    const paths = walks.flatMap(({ input, ways }) => ways.map(({ steps }) => ({ input, steps })));
    const places = graphs.flat();
    /** The events that leave a machine as it is: no path has them as a step. */
    const standing = new Map(
      places.map(({ state, next }) => [
        serializeState(state),
        next
          .filter((one) => serializeState(one.state) === serializeState(state))
          .map(({ event }) => event),
      ]),
    );
    const endings = [
      ...new Set(
        places
          .filter(({ state }) => state.status === 'done')
          .map(({ state }) => nameOf(state.value)),
      ),
    ];

    test('no path of a machine does what a block or a stop forbade', () => {
      const done: string[] = [];
      for (const { steps } of paths) {
        const forbidden = steps.findIndex(({ event }) => world.forbids(event));
        if (forbidden === -1) continue;
        for (const { state, event } of steps.slice(forbidden))
          if (world.acts.includes(nameOf(state.value)))
            done.push(`${event.type} leads to ${nameOf(state.value)}`);
        if (world.begun === undefined) continue;
        const { actorId, type } = steps[forbidden]!.event;
        const begun = world.begun(steps[forbidden - 1]!.state, actorId);
        for (const { state } of steps.slice(forbidden))
          if (!isDeepStrictEqual(world.begun(state, actorId), begun))
            done.push(`${type} begins more`);
      }
      expect(done).toEqual([]);
      for (const act of world.acts)
        expect(
          places.some(({ state }) => nameOf(state.value) === act),
          act,
        ).toBe(true);
    });

    test('every path of a machine ends: there is no dead end and no cycle', () => {
      for (const graph of graphs) {
        const known = new Map(graph.map((place) => [serializeState(place.state), place]));
        const finished = new Set<string>();
        const visit = (key: string, way: ReadonlySet<string>): void => {
          if (finished.has(key)) return;
          const { state, next } = known.get(key)!;
          if (state.status === 'active') {
            const onwards = next
              .map((one) => serializeState(one.state))
              .filter((one) => one !== key);
            expect(onwards, `${key} is a dead end`).not.toEqual([]);
            for (const one of onwards) {
              expect(way.has(one), `a way round leads through ${one}`).toBe(false);
              visit(one, new Set([...way, one]));
            }
          }
          finished.add(key);
        };
        const start = serializeState(graph[0]!.state);
        visit(start, new Set([start]));
        expect(finished.size).toBe(graph.length);
      }
    });

    test('every state of a machine can be left by a cancel, which leads to the outcome for it', () => {
      for (const { state, next } of places) {
        if (state.status !== 'active') continue;
        expect(
          isCancelled(state) || state.can({ type: 'cancel', reason: '' }),
          nameOf(state.value),
        ).toBe(true);
        if (!isCancelled(state))
          expect(
            next.some(({ event }) => event.type === 'cancel'),
            nameOf(state.value),
          ).toBe(true);
      }
      const cancelled = paths
        .filter(({ steps }) => steps.some(({ event }) => event.type === 'cancel'))
        .map(({ steps }) => statusOf(steps.at(-1)!.state));
      expect(world.afterCancel).toEqual(expect.arrayContaining([...new Set(cancelled)]));
    });

    test('every error in a machine leads to a named outcome', () => {
      const errors = places.flatMap(({ next }) => next.filter(({ event }) => 'error' in event));
      expect(errors.length).toBeGreaterThan(0);
      for (const { event, state } of errors) expect(state.status, event.type).not.toBe('error');
      const ends = paths.map(({ steps }) => steps.at(-1)!.state);
      expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['done']));
      const misnamed = ends.filter((state) => statusOf(state) !== nameOf(state.value));
      expect(misnamed.map(({ value }) => nameOf(value))).toEqual([]);
    });

    test('whatever a child of a machine ends or breaks with is handled where the child runs', () => {
      const deaf = places
        .filter(({ state }) => state.status === 'active')
        .flatMap(({ state }) =>
          events
            .filter((event) => isRunning(state, event.actorId) && !state.can(event))
            .map(({ type }) => `${nameOf(state.value)} does not receive ${type}`),
        );
      expect(deaf).toEqual([]);
      for (const node of nodesOf(machine))
        for (const { id: child } of node.invoke)
          expect([...node.transitions.keys()]).toContain(`xstate.error.actor.${child}`);
    });

    test('the paths of a machine cover every state and every transition', () => {
      const states = new Set<string>();
      const taken = new Set<object>();
      const replayed = new Set<string>();
      for (const { input, steps } of paths) {
        const ways = stepsOf(steps).map((step) => `${world.inputs.indexOf(input)} ${step}`);
        if (ways.every((way) => replayed.has(way))) continue;
        for (const way of ways) replayed.add(way);
        const actor = createActor(machine, {
          input,
          clock: new SimulatedClock(),
          inspect: (seen) => {
            if (seen.type !== '@xstate.microstep' || seen.actorRef.sessionId !== seen.rootId)
              return;
            for (const transition of seen._transitions) {
              taken.add(transition);
              for (const node of [transition.source, ...(transition.target ?? [])])
                states.add(node.id);
            }
          },
        });
        actor.start();
        for (const [index, { state }] of steps.entries()) {
          if (index > 0) actor.send(steps[index]!.event);
          for (const event of standing.get(serializeState(state)) ?? []) actor.send(event);
        }
        expect(actor.getSnapshot().value).toEqual(steps.at(-1)!.state.value);
      }
      const nodes = nodesOf(machine).filter((node) => node !== machine.root);
      const transitions = nodesOf(machine).flatMap(transitionsOf);
      expect([...states].filter((one) => one !== machine.id).toSorted()).toEqual(
        nodes.map((node) => node.id).toSorted(),
      );
      const missed = transitions.filter((transition) => !taken.has(transition));
      expect(missed.map(({ source, eventType }) => `${source.id} ${eventType}`)).toEqual([]);
      expect(documented).toContain(
        `${id}: ${nodes.length} states, ${transitions.length} transitions, ${places.length} situations, ${paths.length} paths to ${endings.toSorted().join(', ')}\n`,
      );
    });

    test('a machine that nobody watches goes the way that an actor of it goes', () => {
      const replayed = new Set<string>();
      for (const { input, steps } of paths) {
        const ways = stepsOf(steps).map((step) => `${world.inputs.indexOf(input)} ${step}`);
        if (ways.every((way) => replayed.has(way))) continue;
        for (const way of ways) replayed.add(way);
        const sent = steps.flatMap(({ event, state }, index) => [
          ...(index > 0 ? [event] : []),
          ...(standing.get(serializeState(state)) ?? []),
        ]);
        const actor = createActor(machine, { input, clock: new SimulatedClock() });
        const watched = told(() => actor.start()).with(
          sent,
          (event) => actor.send(event),
          () => {
            const { status, value, context, output } = actor.getSnapshot() as AnyMachineSnapshot;
            return { status, state: `${id}.${nameOf(value)}`, context, output };
          },
        );
        const ended: unknown[] = [];
        const stepped = new Steps(machine, input, {
          ended: (output) => ended.push(output),
          broke: (error) => ended.push({ error }),
          send: () => undefined,
        });
        const unwatched = told(() => stepped.start()).with(
          sent,
          (event) => stepped.send(event),
          () => stepped.getSnapshot(),
        );
        if (!isDeepStrictEqual(unwatched, watched)) expect(unwatched).toEqual(watched);
        expect(ended).toEqual([steps.at(-1)!.state.output]);
      }
    });
  },
);

/** Starts a run and sends it events, and notes after each where it is and what its children heard. */
const told = (start: () => void) => ({
  with(events: readonly Said[], send: (event: Said) => void, look: () => object): unknown[] {
    heard = [];
    start();
    const seen: unknown[] = [{ ...look(), heard: [...heard] }];
    for (const event of events) {
      send(event);
      seen.push({ ...look(), heard: [...heard] });
    }
    return seen;
  },
});

test('every machine is checked', () => {
  expect(machines.map(({ id }) => id).toSorted()).toEqual(Object.keys(worlds).toSorted());
});
