import { describe, expect, test } from 'vitest';
import type { EventFromLogic, SnapshotFrom } from 'xstate';
import {
  agentTurnMachine,
  type AgentTurnInput,
  type AgentTurnOutcome,
  type EndedToolStep,
  type ModelStep,
} from '../../machines/agent-turn.ts';
import type { HookEventInput, HookEventOutcome } from '../../machines/hook-event.ts';
import { pathOf } from './path-of.ts';
import { Script } from './script.ts';
import { statesOf } from './states-of.ts';
import { walk } from './walk.ts';

type Snapshot = SnapshotFrom<typeof agentTurnMachine>;
type Event = EventFromLogic<typeof agentTurnMachine>;

const stop = { reason: 'Enough.' };
const calls = [{ name: 'write_file' }, { name: 'read_file' }];

const modelSteps: Record<string, ModelStep> = {
  'model is content': { status: 'answered', calls: [] },
  'model wants tools': { status: 'answered', calls },
  'model is stopped': { status: 'answered', calls: [], stop },
  'model wants tools and is stopped': { status: 'answered', calls, stop },
  'model fails': { status: 'failed', error: 'down' },
  'model gives up': { status: 'cancelled' },
};
const toolSteps: Record<string, object> = {
  'tool gives': { status: 'done' },
  'tool is stopped': { status: 'stopped' },
};

/** What calls that are kept beyond the process end with. */
const keptSteps: Record<string, object> = {
  'kept call gives': { status: 'kept', ended: {} },
  'kept call is stopped': { status: 'kept', ended: { stop } },
  'kept call waits': { status: 'kept', ended: { isSuspended: true } },
};

const settled = (blocked: boolean, stops: boolean): HookEventOutcome => ({
  status: 'settled',
  verdict: { blocked, stop: stops },
});
const beforeSteps: Record<string, HookEventOutcome> = {
  'before allows': settled(false, false),
  'before blocks': settled(true, false),
  'before stops': settled(false, true),
  'before blocks and stops': settled(true, true),
};
const afterSteps: Record<string, HookEventOutcome> = {
  'after allows': settled(false, false),
  'after rejects': settled(true, false),
  'after has more': {
    status: 'settled',
    verdict: { blocked: false, stop: false, followUp: true },
  },
  'after stops': settled(false, true),
  'after rejects and stops': settled(true, true),
};

/** The hooks want the agent to continue. */
const sendsOn = (word: string | undefined): boolean =>
  word === 'after rejects' || word === 'after has more';

const answered = (id: string, steps: Record<string, object>) =>
  Object.entries(steps).map(([word, output]) => [
    word,
    { type: `xstate.done.actor.${id}`, output, actorId: id },
  ]);

/** Every answer of the outside world, by a word for it, as the event that XState turns it into. */
const answers: Record<string, object> = {
  ...Object.fromEntries([
    ...answered('modelCall', modelSteps),
    ...answered('tool.0', { ...toolSteps, ...keptSteps }),
    ...answered('beforeHooks', beforeSteps),
    ...answered('afterHooks', afterSteps),
  ]),
  'model breaks': { type: 'xstate.error.actor.modelCall', error: 'broken' },
  'before breaks': { type: 'xstate.error.actor.beforeHooks', error: 'broken' },
  'after breaks': { type: 'xstate.error.actor.afterHooks', error: 'broken' },
  'tool breaks': { type: 'xstate.error.actor.tool.0', error: 'broken', actorId: 'tool.0' },
  'request comes': { type: 'xstate.done.actor.request', output: undefined },
  'request fails': { type: 'xstate.error.actor.request', error: 'broken' },
  'hooks break': { type: 'xstate.error.actor.hooks', error: 'broken' },
  cancel: { type: 'cancel', reason: 'user' },
};
const wordFor = (event: Event): string =>
  Object.keys(answers).find((word) => answers[word] === event) ?? 'hooks ready';

/** What the ports received. */
let asked: string[] = [];

/** The results of each answer's calls, as they were added to the conversation. */
let taken: (readonly (EndedToolStep | undefined)[])[] = [];

/** Which hooks are configured, and how far a turn may go. */
interface Setting {
  readonly maxSteps: number;
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
  /** Calls are kept beyond the process. */
  readonly keeps?: true;
  /** The turn continues with calls of one that was suspended. */
  readonly isResumed?: true;
  /** A framework says when the model is asked. */
  readonly isDriven?: true;
}

const somePlan = {
  event: '',
  hooks: [],
  lanes: [],
  payload: {},
} as unknown as HookEventInput;
const maxRejections = 1;

/** One call runs at a time. */
const inputFor = ({ maxSteps, keeps, isResumed, isDriven }: Setting): AgentTurnInput => ({
  maxSteps,
  ...(isResumed && { resumed: calls }),
  maxRejections,
  toolLimit: 1,
  ports: {
    planHooks: () => Promise.reject(new Error('the script answers for the hooks')),
    acceptPrompt: () => void asked.push('prompt'),
    sendOn: () => void asked.push('sent on'),
    stopOf: () => stop,
    modelCall: () => ({}) as never,
    readAnswer: (outcome) => outcome as unknown as ModelStep,
    takeAnswer: () => undefined,
    reportCalls: () => undefined,
    ...(isDriven && { nextRequest: () => Promise.reject(new Error('the script says when')) }),
    ...(keeps && { runKeptCall: () => Promise.reject(new Error('the script answers for it')) }),
    toolCall: () => ({}) as never,
    readResult: (_, { status }) => (status === 'stopped' ? { stop } : {}),
    reportResults: () => undefined,
    takeResults: (ended) => void taken.push(ended),
  },
});

/** The event that reports a setting's planned hooks. */
const hooksReady = ({ hasBefore, hasAfter }: Setting): object => ({
  type: 'xstate.done.actor.hooks',
  output: {
    ...(hasBefore && { before: () => somePlan }),
    ...(hasAfter && { after: () => somePlan }),
  },
});

/**
 * A turn is cancelled once, which keeps its graph finite, as its limit does; and only tools end while tools
 * run.
 */
const filterEvents = (snapshot: Snapshot, event: Event): boolean =>
  snapshot.status === 'active' &&
  snapshot.can(event) &&
  (event.type === 'cancel'
    ? snapshot.context.cancelReason === undefined
    : event.type.includes('.tool.') === pathOf(snapshot.value).startsWith('runningTools')) &&
  (wordFor(event) in keptSteps
    ? snapshot.context.ports.runKeptCall !== undefined
    : !(wordFor(event) in toolSteps) || snapshot.context.ports.runKeptCall === undefined);

const serializeState = ({ value, context }: Snapshot): string => {
  const { ports: _ports, ...received } = context;
  return JSON.stringify({ value, received });
};

const script = new Script();
const machine = agentTurnMachine.provide({
  actors: {
    hookEvent: script.child as never,
    planHooks: script.child as never,
    nextRequest: script.child as never,
    modelCall: script.child as never,
    toolCall: script.child as never,
    keptToolCall: script.child as never,
  },
});

const settings: readonly Setting[] = [
  { maxSteps: 1, hasBefore: false, hasAfter: false },
  { maxSteps: 2, hasBefore: false, hasAfter: false },
  { maxSteps: 1, hasBefore: true, hasAfter: true },
  { maxSteps: 2, hasBefore: true, hasAfter: true },
  { maxSteps: 2, hasBefore: false, hasAfter: true },
  { maxSteps: 2, hasBefore: false, hasAfter: false, keeps: true },
  { maxSteps: 1, hasBefore: true, hasAfter: false, keeps: true, isResumed: true },
  { maxSteps: 2, hasBefore: false, hasAfter: false, keeps: true, isDriven: true },
  { maxSteps: 2, hasBefore: true, hasAfter: true, isDriven: true },
];
const nameOf = ({ maxSteps, hasBefore, hasAfter, keeps, isResumed, isDriven }: Setting): string =>
  `limit ${maxSteps}${hasBefore ? ', BeforeAgent' : ''}${hasAfter ? ', AfterAgent' : ''}${keeps ? ', kept calls' : ''}${isResumed ? ', resumed' : ''}${isDriven ? ', driven' : ''}`;
const walkFor = (setting: Setting) => ({
  events: [hooksReady(setting), ...Object.values(answers)] as unknown as Event[],
  filterEvents,
  serializeState,
  input: inputFor(setting),
});

const cases = settings.map((setting) => ({ setting, ...walk(machine, walkFor(setting)) }));

const paths = cases.flatMap(({ setting, ways }) => {
  return ways.map(({ steps }) => {
    const received = steps.slice(1).map(({ event }) => event);
    const words = received.map(wordFor);
    const states = steps.map(({ state }) => pathOf(state.value));
    return {
      name: `a turn with ${nameOf(setting)} ends as it must after: ${words.join(', ')}`,
      received,
      words,
      states,
      setting,
    };
  });
});
type Path = (typeof paths)[number];

/**
 * How many model calls were begun: one after the prompt, and one after every batch or rejection that lets the
 * turn continue.
 */
function stepsOf(words: readonly string[], setting: Setting): number {
  const { hasBefore, maxSteps, isResumed, isDriven } = setting;
  let steps = 0;
  let rejections = 0;
  for (const [index, word] of words.entries()) {
    if (word === 'cancel') return steps;
    if (isDriven) {
      if (word === 'request comes') steps += 1;
    } else {
      if (word === 'before allows' || word === 'before breaks') steps += 1;
      if (word === 'hooks ready' && !hasBefore && !isResumed) steps += 1;
      if (isLastOfBatch(words, index) && steps < maxSteps && !waits(words, index)) steps += 1;
    }
    if (sendsOn(word) && steps < maxSteps && rejections < maxRejections) {
      steps += 1;
      rejections += 1;
    }
  }
  return steps;
}

/** Whether the second of two calls ended with this word, and no hook stopped the turn with it. */
const isLastOfBatch = (words: readonly string[], index: number): boolean =>
  isToolEnd(words[index]) && isToolEnd(words[index - 1]) && !isToolEnd(words[index - 2]);

const isToolEnd = (word: string | undefined): boolean =>
  word === 'tool gives' ||
  word === 'tool breaks' ||
  word === 'kept call gives' ||
  word === 'kept call waits';

/** Whether one of the two calls, the second of which ended here, is waiting. */
const waits = (words: readonly string[], index: number): boolean =>
  words.slice(index - 1, index + 1).includes('kept call waits');

/** How a turn must end, derived from what was received and not from the machine. */
function expectedOf({ words, setting }: Path): AgentTurnOutcome {
  const { maxSteps, hasAfter } = setting;
  const steps = stepsOf(words, setting);
  const rejections = words.filter(sendsOn).length;
  const last = words.at(-1)!;
  const finished = { status: 'finished', steps, overruled: false } as const;
  if (words.includes('cancel')) return { status: 'cancelled', steps, reason: 'user' };
  switch (last) {
    case 'before blocks':
      return { status: 'blocked', steps, before: beforeSteps[last]! };
    case 'before blocks and stops':
      return { status: 'blocked', steps, before: beforeSteps[last]!, stop };
    case 'model is content':
      expect(hasAfter).toBe(false);
      return finished;
    case 'after allows':
    case 'after breaks':
      return finished;
    case 'after rejects':
    case 'after has more':
      expect(rejections > maxRejections || steps === maxSteps).toBe(true);
      return { ...finished, overruled: true };
    case 'before stops':
    case 'after stops':
    case 'after rejects and stops':
    case 'model is stopped':
    case 'model wants tools and is stopped':
    case 'tool is stopped':
    case 'kept call is stopped':
      return { status: 'stopped', by: 'hook', steps, reason: 'Enough.' };
    case 'model gives up':
      return { status: 'cancelled', steps, reason: '' };
    case 'model fails':
      return { status: 'failed', steps, error: 'down' };
    case 'kept call waits':
    case 'kept call gives':
    case 'tool gives':
    case 'tool breaks':
      if (waits(words, words.length - 1)) return { status: 'suspended', steps };
      expect(steps).toBe(maxSteps);
      return {
        status: 'stopped',
        by: 'limit',
        steps,
        reason: `The limit of ${maxSteps} model ${maxSteps === 1 ? 'call' : 'calls'} was reached.`,
      };
    default:
      return { status: 'failed', steps, error: 'broken' };
  }
}

/** The states that a turn must be in, derived from what was received and not from the machine. */
function expectedStates(path: Path): string[] {
  const { words, setting } = path;
  const states = ['planning'];
  for (const [index, word] of words.entries())
    if (index === words.length - 1) states.push(expectedOf(path).status);
    else if (word === 'cancel') states.push(states.at(-1)!.replace('.running', '.cancelling'));
    else if (word === 'hooks ready' && setting.isResumed) states.push('runningTools.running');
    else if (word === 'hooks ready' && setting.hasBefore) states.push('beforeAgent.running');
    else if (word === 'model wants tools') states.push('runningTools.running');
    else if (isToolEnd(word) && !isLastOfBatch(words, index)) states.push('runningTools.running');
    else if (word === 'model is content') states.push('afterAgent.running');
    else if (setting.isDriven && word !== 'request comes' && !sendsOn(word))
      states.push('awaitingRequest');
    else states.push('callingModel.running');
  return states;
}

/** The child that runs in each state. */
const children: Record<string, string> = {
  'beforeAgent.running': 'beforeHooks',
  'callingModel.running': 'modelCall',
  'runningTools.running': 'tool.0',
  'afterAgent.running': 'afterHooks',
};

describe('every path of a turn, run on a real actor', () => {
  for (const path of paths)
    test(path.name, async () => {
      asked = [];
      taken = [];
      const played = await script.play(machine, inputFor(path.setting), path.received);
      expect(played.output).toEqual(expectedOf(path));
      expect(played.states).toEqual(expectedStates(path));
      const { words, setting } = path;
      const asksModel = ['callingModel.running', 'awaitingRequest'].some((state) =>
        played.states.includes(state),
      );
      const rejected = played.states.filter(
        (state, index) => state === 'callingModel.running' && sendsOn(words[index - 1]),
      );
      const isAccepted = asksModel && !setting.isResumed;
      expect(asked).toEqual([...(isAccepted ? ['prompt'] : []), ...rejected.map(() => 'sent on')]);
      const batches = words.filter(
        (word, index) =>
          (word === 'model wants tools' && words[index - 1] !== 'cancel') ||
          (word === 'hooks ready' && setting.isResumed),
      ).length;
      // Every call has a result, whether it began or not.
      expect(taken.map((ended) => ended.filter(Boolean).length)).toEqual(
        Array.from({ length: batches }, () => calls.length),
      );
      const cancelledIn = played.states[words.indexOf('cancel')];
      expect(played.cancelled).toEqual(
        words.includes('cancel') && children[cancelledIn!] ? [children[cancelledIn!]] : [],
      );
      expect(played.states.includes('beforeAgent.running')).toBe(
        setting.hasBefore && !setting.isResumed && words[0] === 'hooks ready',
      );
    });

  test('the paths of a turn together pass through every state', async () => {
    const passed = new Set<string>();
    for (const { received, setting } of paths)
      for (const id of (await script.play(machine, inputFor(setting), received)).passed)
        passed.add(id);
    expect([...passed].toSorted()).toEqual(statesOf(machine));
  });
});

describe('the graph of a turn', () => {
  test('the graph of a turn has no further call after a stop or a cancel', () => {
    for (const { words } of paths) {
      const after = (word: string): number =>
        words.includes(word) ? words.length - 1 - words.indexOf(word) : 0;
      for (const word of Object.keys(answers).filter(
        (said) => said.includes('stop') || said.startsWith('before blocks'),
      ))
        expect(after(word)).toBe(0);
      expect(after('cancel')).toBeLessThanOrEqual(1);
      expect(after('tool is stopped')).toBe(0);
      expect(after('kept call is stopped')).toBe(0);
    }
  });

  test('the graph of a turn has no more model calls than the limit', () => {
    for (const { words, setting } of paths)
      expect(words.filter((word) => word.startsWith('model ')).length).toBeLessThanOrEqual(
        setting.maxSteps,
      );
  });

  for (const { setting, places } of cases) {
    const waiting = places.filter(({ state }) => state.status === 'active');

    test(`the graph of a turn has no dead end and no error: ${nameOf(setting)}`, () => {
      expect(new Set(places.map(({ state }) => state.status))).toEqual(new Set(['active', 'done']));
      for (const { transitions } of waiting) expect(transitions).not.toEqual({});
    });

    test(`the graph of a turn has no state that cannot be cancelled: ${nameOf(setting)}`, () => {
      for (const { state } of waiting)
        expect(state.can({ type: 'cancel', reason: '' }), pathOf(state.value)).toBe(
          !pathOf(state.value).endsWith('.cancelling'),
        );
    });
  }
});
