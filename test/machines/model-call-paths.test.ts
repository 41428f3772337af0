import { describe, expect, test } from 'vitest';
import type { EventFromLogic, EventObject, SnapshotFrom } from 'xstate';
import type { HookEventInput, HookEventOutcome, HookVerdict } from '../../machines/hook-event.ts';
import {
  modelCallMachine,
  type ModelCallInput,
  type ModelCallOutcome,
} from '../../machines/model-call.ts';
import { pathOf } from './path-of.ts';
import { Script } from './script.ts';
import { statesOf } from './states-of.ts';
import { walk } from './walk.ts';

type Snapshot = SnapshotFrom<typeof modelCallMachine>;
type Event = EventFromLogic<typeof modelCallMachine>;

/** What hooks say, and whether they have an answer instead of the model's. */
interface Said extends HookVerdict {
  readonly answers?: true;
}

const verdicts: Record<string, Said> = {
  passes: { blocked: false, stop: false },
  blocks: { blocked: true, stop: false },
  stops: { blocked: false, stop: true },
  'blocks and stops': { blocked: true, stop: true },
};
const answering: Record<string, Said> = Object.fromEntries(
  Object.entries(verdicts).map(([word, said]) => [
    `${word}, answering`,
    { ...said, answers: true },
  ]),
);

/** Hooks that were ended; what one of them had said before decides nothing. */
const ended: HookEventOutcome = {
  status: 'cancelled',
  verdict: answering['blocks and stops, answering']!,
  reason: 'user',
};

const phaseAnswers = (phase: string, said: Record<string, Said>): Record<string, object> => ({
  ...Object.fromEntries(
    Object.entries(said).map(([word, verdict]) => [
      `${phase} ${word}`,
      { type: `xstate.done.actor.${phase}`, output: { status: 'settled', verdict } },
    ]),
  ),
  [`${phase} cancelled`]: { type: `xstate.done.actor.${phase}`, output: ended },
  [`${phase} breaks`]: { type: `xstate.error.actor.${phase}`, error: 'broken' },
});

const modelGives = { text: 'given' };

/** Every answer of the outside world, by a word for it, as the event that XState turns it into. */
const answers: Record<string, object> = {
  ...phaseAnswers('selectionHooks', verdicts),
  ...phaseAnswers('beforeHooks', { ...verdicts, ...answering }),
  'model gives': { type: 'xstate.done.actor.model', output: modelGives },
  'model fails': { type: 'xstate.error.actor.model', error: 'down' },
  ...phaseAnswers('afterHooks', verdicts),
  cancel: { type: 'cancel', reason: 'user' },
};
const events = Object.values(answers) as unknown as Event[];
const wordFor = (event: object): string =>
  Object.keys(answers).find((word) => answers[word] === event) ?? '';

const isCancelled = ({ context }: Snapshot): boolean => context.cancelReason !== undefined;

/** Only what can happen: the call is cancelled once, and only then are its hooks. */
const filterEvents = (snapshot: Snapshot, event: Event): boolean =>
  snapshot.status === 'active' &&
  snapshot.can(event) &&
  !(event.type === 'cancel' && isCancelled(snapshot)) &&
  !(wordFor(event).endsWith('cancelled') && !isCancelled(snapshot));

/** Everything that was received, so that no two ways to a state are taken for one. */
const serializeState = ({ value, context }: Snapshot): string => {
  const { ports: _ports, ...received } = context;
  return JSON.stringify({ value, received });
};

const options = { events, filterEvents, serializeState };

const plan: HookEventInput = {
  event: '',
  hooks: [],
  lanes: [],
  payload: {},
  rules: {
    prepare: () => ({
      name: '',
      timeout: 1,
      command: { command: '', cwd: '', env: {}, stdin: () => '' },
    }),
    read: () => ({ decision: undefined, stop: false, status: 'ok' }),
    merge: () => verdicts['passes']!,
  },
  reports: { answered: () => undefined, decided: () => undefined },
};

interface Configured {
  readonly selection: boolean;
  readonly before: boolean;
  readonly after: boolean;
}

const synthetic = { text: 'synthetic' };

const inputFor = ({ selection, before, after }: Configured): ModelCallInput => ({
  id: '1',
  request: { changes: [] },
  ports: {
    ...(selection && { hooksOnSelection: () => plan }),
    ...(before && { hooksBefore: () => plan }),
    ...(after && { hooksAfter: () => plan }),
    selectTools: (request) => changed(request, 'tools'),
    rewrite: (request) => changed(request, 'rewritten'),
    synthetic: ({ verdict }) => ((verdict as Said).answers ? synthetic : undefined),
    call: () => Promise.reject(new Error('the script answers for the model')),
    streamed: (response) => response ?? {},
    revise: (response) => ({ ...response, revised: true }),
  },
});

const changed = (request: object, change: string) => ({
  changes: [...(request as { changes: string[] }).changes, change],
});

const script = new Script();
const machine = modelCallMachine.provide({
  actors: {
    hookEvent: script.child as never,
    callModel: script.child as never,
    answerStream: script.child as never,
    planHooks: script.child as never,
  },
});

const onOrOff = [false, true];
const cases = onOrOff
  .flatMap((selection) =>
    onOrOff.flatMap((before) => onOrOff.map((after) => ({ selection, before, after }))),
  )
  .map((configured) => {
    const { selection, before, after } = configured;
    const fired = [
      selection && 'BeforeToolSelection',
      before && 'BeforeModel',
      after && 'AfterModel',
    ].filter((event) => event !== false);
    const input = inputFor(configured);
    return {
      hooks: fired.length === 0 ? 'no hooks' : `${fired.join(' and ')} hooks`,
      configured,
      input,
      ...walk(machine, { ...options, input }),
    };
  });

const pathsOf = ({ configured, input, ways }: (typeof cases)[number]) =>
  ways.map(({ steps }) => {
    const received = steps.slice(1).map(({ event }) => event);
    const words = received.map(wordFor);
    const states = steps.map(({ state }) => pathOf(state.value));
    return { received, words, states, configured, input };
  });

const paths = cases.flatMap(pathsOf);
type Path = (typeof paths)[number];

const phases = [
  { phase: 'BeforeToolSelection', id: 'selectionHooks', kept: 'selection' },
  { phase: 'BeforeModel', id: 'beforeHooks', kept: 'before' },
  { phase: 'AfterModel', id: 'afterHooks', kept: 'after' },
] as const;

/** The states that a call must be in, derived from what was received and not from the machine. */
function expectedStates({ words, configured: { selection, before, after } }: Path): string[] {
  const asking = before ? 'beforeHooks.running' : 'calling';
  const states = [selection ? 'selectingTools.running' : asking];
  for (const [index, word] of words.entries()) {
    const [who, ...what] = word.split(' ');
    const said = what.join(' ');
    if (words.slice(0, index).includes('cancel')) states.push('cancelled');
    else if (word === 'cancel')
      states.push(
        states.at(-1) === 'calling' ? 'cancelled' : states.at(-1)!.replace('running', 'cancelling'),
      );
    else if (word === 'model fails') states.push('failed');
    else if (word === 'model gives') states.push(after ? 'afterHooks.running' : 'done');
    else if (who === 'beforeHooks') states.push(afterBeforeModel(said));
    else if (said.includes('stops')) states.push('stopped');
    else states.push(who === 'selectionHooks' ? asking : 'done');
  }
  return states;
}

function afterBeforeModel(said: string): string {
  if (said.includes('blocks')) return said.includes('answering') ? 'answered' : 'blocked';
  return said.includes('stops') ? 'stopped' : 'calling';
}

/** How a call must end, derived from what was received and not from the machine. */
function expectedOutcome({ words, states }: Path): object {
  const untilCancel = words.includes('cancel') ? words.slice(0, words.indexOf('cancel')) : words;
  const received = (pattern: RegExp): boolean => untilCancel.some((word) => pattern.test(word));
  return {
    request: {
      changes: [
        ...(received(/^selectionHooks (passes|blocks)$/) ? ['tools'] : []),
        ...(received(/^beforeHooks passes/) ? ['rewritten'] : []),
      ],
    },
    failures: phases
      .filter(({ id }) => words.includes(`${id} breaks`))
      .map(({ phase }) => ({ phase, error: 'broken' })),
    ...Object.fromEntries(
      phases.flatMap(({ id, kept }) => {
        const said = words.filter((word) => word.startsWith(id)).map((word) => answers[word]);
        const { output }: { output?: unknown } = said[0] ?? {};
        return output === undefined ? [] : [[kept, output]];
      }),
    ),
    ...endOf(words, states.at(-1)!),
  };
}

function endOf(words: readonly string[], status: string): object {
  const said = words.join('; ');
  const response = said.includes('model gives')
    ? /afterHooks (?!breaks)/.test(said)
      ? { ...modelGives, revised: true }
      : modelGives
    : said.includes('answering')
      ? synthetic
      : undefined;
  switch (status) {
    case 'done':
      return { status, response };
    case 'answered':
      return { status, response, stop: said.includes('and stops') };
    case 'blocked':
      return { status, stop: said.includes('and stops') };
    case 'stopped':
      return { status, ...(response && { response }) };
    case 'failed':
      return { status, error: 'down' };
    default:
      return { status: 'cancelled', reason: 'user' };
  }
}

describe('every path of a model call, run on a real actor', () => {
  for (const oneCase of cases) {
    const own = paths.filter(({ input }) => input === oneCase.input);
    test(`with ${oneCase.hooks}, each of the ${own.length} paths of a model call ends as what was received demands`, async () => {
      for (const path of own) {
        const { words } = path;
        const name = words.join(', ');
        const played = await script.play(machine, path.input, path.received);
        expect(played.states, name).toEqual(expectedStates(path));
        expect(played.output as ModelCallOutcome, name).toEqual(expectedOutcome(path));
        const running = words.at(-2) === 'cancel' ? [words.at(-1)!.split(' ')[0]] : [];
        expect(played.cancelled, name).toEqual(running);
      }
    });
  }

  test('the paths of a model call together pass through every state', async () => {
    const passed = new Set<string>();
    for (const { received, input } of paths)
      for (const id of (await script.play(machine, input, received)).passed) passed.add(id);
    const others = ['planning', 'streaming', 'streaming.running', 'streaming.cancelling'];
    expect([...passed, ...others.map((state) => `modelCall.${state}`)].toSorted()).toEqual(
      statesOf(machine),
    );
  });
});

const eventOf = (word: string): EventObject => answers[word] as EventObject;

describe('a model call whose text passes through hooks as it arrives', () => {
  const configured = inputFor({ selection: false, before: false, after: true });
  const input = {
    ...configured,
    ports: {
      ...configured.ports,
      hooksOnText: () => ({}) as never,
      streamed: (response: object | undefined, { status }: { readonly status: string }) => ({
        ...response,
        streamed: status,
      }),
    },
  };
  const streamEnds = (status: string, verdict: HookVerdict = verdicts['passes']!): EventObject => {
    const output = { status, blocks: [], verdict, reason: 'user' };
    return { type: 'xstate.done.actor.stream', output } as EventObject;
  };
  const given = eventOf('model gives');
  const passes = eventOf('afterHooks passes');

  test.each<[string, readonly EventObject[], readonly string[], object]>([
    [
      'continues with what the hooks let through',
      [given, streamEnds('done'), passes],
      ['streaming.running', 'afterHooks.running', 'done'],
      { status: 'done', response: { ...modelGives, streamed: 'done', revised: true } },
    ],
    [
      'is blocked by a denial of a hook, with the text so far',
      [streamEnds('blocked', verdicts['blocks']), passes],
      ['afterHooks.running', 'blocked'],
      { status: 'blocked', response: { streamed: 'blocked', revised: true }, stop: false },
    ],
    [
      'is blocked and stops if the hooks do both',
      [streamEnds('blocked', verdicts['blocks and stops']), passes],
      ['afterHooks.running', 'blocked'],
      { status: 'blocked', stop: true },
    ],
    [
      'is stopped by a stop of a hook',
      [streamEnds('stopped', verdicts['stops']), eventOf('afterHooks breaks')],
      ['afterHooks.running', 'stopped'],
      { status: 'stopped', response: { streamed: 'stopped' } },
    ],
    [
      'fails if the model fails',
      [eventOf('model fails')],
      ['failed'],
      { status: 'failed', error: 'down' },
    ],
    [
      'fails if it is unknown what was shown',
      [{ type: 'xstate.error.actor.stream', error: 'broken' } as EventObject],
      ['failed'],
      { status: 'failed', error: 'broken' },
    ],
    [
      'is cancelled once a hook that has text has been ended',
      [eventOf('cancel'), streamEnds('cancelled')],
      ['streaming.cancelling', 'cancelled'],
      { status: 'cancelled', reason: 'user' },
    ],
  ])('a model call whose text passes through hooks %s', async (_, received, states, outcome) => {
    const played = await script.play(machine, input, [...received]);
    expect(played.states).toEqual(['streaming.running', ...states]);
    expect(played.output).toMatchObject(outcome);
  });
});

describe('a model call whose hooks are not ready', () => {
  const configured = { selection: false, before: true, after: false };
  const input = {
    ...inputFor({ selection: false, before: false, after: false }),
    ports: {
      ...inputFor({ selection: false, before: false, after: false }).ports,
      planHooks: () => Promise.reject(new Error('the script answers for the hooks')),
    },
  };

  test('a model call waits for its hooks to be ready, and continues with them', async () => {
    const output = inputFor(configured).ports;
    const ready = { type: 'xstate.done.actor.hooks', output };
    const blocked = answers['beforeHooks blocks'] as EventObject;
    const played = await script.play(machine, input, [ready, blocked]);
    expect(played.states).toEqual(['planning', 'beforeHooks.running', 'blocked']);
  });

  test('a model call is not made if its hooks cannot be prepared', async () => {
    const broken = { type: 'xstate.error.actor.hooks', error: 'broken' };
    const played = await script.play(machine, input, [broken]);
    expect(played.states).toEqual(['planning', 'failed']);
    expect(played.output).toMatchObject({ status: 'failed', error: 'broken' });
  });

  test('a model call whose hooks are not ready can be cancelled', async () => {
    const played = await script.play(machine, input, [answers['cancel'] as EventObject]);
    expect(played.states).toEqual(['planning', 'cancelled']);
  });
});

describe('the graph of a model call', () => {
  test('no path of a model call leads from a block or a stop to the model (HOOK-036, 037, 040, 058)', () => {
    const denied = paths.filter(({ words }) =>
      /beforeHooks (blocks|stops)|selectionHooks (stops|blocks and stops)/.test(words.join('; ')),
    );
    expect(denied.length).toBeGreaterThan(0);
    for (const { states } of denied) expect(states).not.toContain('calling');
  });

  test('a model call reaches AfterModel hooks only with a whole response of the model (HOOK-207, C-84)', () => {
    const revised = paths.filter(({ states }) => states.includes('afterHooks.running'));
    expect(revised.length).toBeGreaterThan(0);
    for (const { words, states } of revised) {
      expect(words).toContain('model gives');
      expect(states[states.indexOf('afterHooks.running') - 1]).toBe('calling');
    }
  });

  test('a model call passes through each phase at most once, in order (C-89, C-90)', () => {
    const order = ['selectingTools', 'beforeHooks', 'calling', 'afterHooks'];
    for (const { states } of paths) {
      const phasesOf = states.map((state) => state.split('.')[0]!);
      const visited = phasesOf.filter((state, index) => state !== phasesOf[index - 1]).slice(0, -1);
      expect(visited).toEqual(order.filter((state) => visited.includes(state)));
    }
  });

  test('a cancelled model call leads only to its end', () => {
    const cancelled = paths.filter(({ words }) => words.includes('cancel'));
    expect(cancelled.length).toBeGreaterThan(0);
    for (const { words, states } of cancelled) {
      // Running hooks are waited for; a model is not.
      expect(words.slice(words.indexOf('cancel') + 1).length).toBeLessThanOrEqual(1);
      expect(states.at(-1)).toBe('cancelled');
    }
  });

  for (const { hooks, places } of cases) {
    const waiting = places.filter(({ state }) => state.status === 'active');

    test(`a model call has no dead end and no error, with ${hooks}`, () => {
      expect(new Set(places.map(({ state }) => state.status))).toEqual(new Set(['active', 'done']));
      for (const { transitions } of waiting) expect(transitions).not.toEqual({});
    });

    test(`a model call has no state that cannot be cancelled, with ${hooks}`, () => {
      for (const { state } of waiting)
        expect(state.can({ type: 'cancel', reason: '' }), pathOf(state.value)).toBe(
          !pathOf(state.value).endsWith('.cancelling'),
        );
    });
  }
});
