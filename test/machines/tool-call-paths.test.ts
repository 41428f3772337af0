import { describe, expect, test } from 'vitest';
import type { EventFromLogic, SnapshotFrom } from 'xstate';
import { getAdjacencyMap, getSimplePaths } from 'xstate/graph';
import type { HookEventInput, HookEventOutcome } from '../../machines/hook-event.ts';
import {
  toolCallMachine,
  type ToolCallInput,
  type ToolCallOutcome,
} from '../../machines/tool-call.ts';
import { pathOf } from './path-of.ts';
import { Script } from './script.ts';
import { statesOf } from './states-of.ts';

type Snapshot = SnapshotFrom<typeof toolCallMachine>;
type Event = EventFromLogic<typeof toolCallMachine>;

/** What the hooks of a phase may say. */
const verdicts = {
  passes: { blocked: false, stop: false },
  blocks: { blocked: true, stop: false },
  stops: { blocked: false, stop: true },
  'blocks and stops': { blocked: true, stop: true },
  defers: { blocked: false, stop: false, defer: true },
};
const settled = (verdict: HookEventOutcome['verdict']): HookEventOutcome => ({
  status: 'settled',
  verdict,
});
/** Hooks that were ended; what one of them had said before decides nothing. */
const ended: HookEventOutcome = { status: 'cancelled', verdict: verdicts.blocks, reason: 'user' };

const phaseAnswers = (phase: 'beforeHooks' | 'afterHooks'): Record<string, object> => ({
  ...Object.fromEntries(
    Object.entries(verdicts).map(([word, verdict]) => [
      `${phase} ${word}`,
      { type: `xstate.done.actor.${phase}`, output: settled(verdict) },
    ]),
  ),
  [`${phase} cancelled`]: { type: `xstate.done.actor.${phase}`, output: ended },
  [`${phase} breaks`]: { type: `xstate.error.actor.${phase}`, error: 'broken' },
});

/** Every answer of the outside world, by a word for it, as the event that XState makes of it. */
const answers: Record<string, object> = {
  ...phaseAnswers('beforeHooks'),
  'user agrees': { type: 'answer', approved: true, reason: '' },
  'user declines': { type: 'answer', approved: false, reason: 'no' },
  'nobody answers': { type: 'expire', reason: 'late' },
  'tool gives': { type: 'xstate.done.actor.tool', output: { llmContent: 'given' } },
  'tool throws': { type: 'xstate.error.actor.tool', error: 'thrown' },
  ...phaseAnswers('afterHooks'),
  'hooks break': { type: 'xstate.error.actor.hooks', error: 'broken' },
  cancel: { type: 'cancel', reason: 'user' },
};
const wordFor = (event: object): string =>
  Object.keys(answers).find((word) => answers[word] === event) ?? 'hooks ready';

const isCancelled = ({ context }: Snapshot): boolean => context.cancelReason !== undefined;

/** Only what can happen: the call is cancelled once, and its hooks only then are. */
const filterEvents = (snapshot: Snapshot, event: Event): boolean =>
  snapshot.status === 'active' &&
  snapshot.can(event) &&
  !(event.type === 'cancel' && isCancelled(snapshot)) &&
  !(wordFor(event).endsWith('cancelled') && !isCancelled(snapshot));

/** All that was heard, so that no two ways to a state are taken for one. */
const serializeState = ({ value, context }: Snapshot): string => {
  const { before, after, result, failures, refusal, cancelReason } = context;
  return JSON.stringify({ value, before, after, result, failures, refusal, cancelReason });
};

const walk = { filterEvents, serializeState };

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
    merge: () => verdicts.passes,
  },
  reports: { answered: () => undefined, decided: () => undefined },
};

interface Setting {
  readonly before: boolean;
  readonly after: boolean;
  readonly asks: boolean;
  /** The hooks have to be made ready first. */
  readonly unready?: boolean;
}

const portsFor = ({ before, after, asks }: Setting): ToolCallInput['ports'] => ({
  ...(before && { hooksBefore: () => plan }),
  ...(after && { hooksAfter: () => plan }),
  ...(asks && { ask: () => undefined }),
  rewrite: (toolInput) => ({ ...toolInput, path: 'b' }),
  execute: () => Promise.reject(new Error('the script answers for the tool')),
  failure: (error) => ({ error }),
});

const inputFor = (setting: Setting): ToolCallInput => ({
  id: '1',
  toolName: 'write_file',
  toolInput: { path: 'a' },
  ports: setting.unready
    ? {
        ...portsFor({ before: false, after: false, asks: false }),
        planHooks: () => Promise.reject(new Error('the script answers for the hooks')),
      }
    : portsFor(setting),
});

const eventsFor = (setting: Setting): Event[] =>
  [
    { type: 'xstate.done.actor.hooks', output: portsFor(setting) },
    ...Object.values(answers),
  ] as unknown as Event[];

const script = new Script();
const machine = toolCallMachine.provide({
  actors: {
    hookEvent: script.child as never,
    executeTool: script.child as never,
    planHooks: script.child as never,
  },
});

const cases = [
  { hooks: 'no hooks', before: false, after: false },
  { hooks: 'BeforeTool hooks', before: true, after: false },
  { hooks: 'AfterTool hooks', before: false, after: true },
  { hooks: 'BeforeTool and AfterTool hooks', before: true, after: true },
].flatMap(({ hooks, before, after }) =>
  [false, true].flatMap((asks) =>
    // Whether hooks have to be made ready first is the same to all settings.
    [false, ...(before && after ? [true] : [])].map((unready) => {
      const setting = { before, after, asks, unready };
      const name = [asks && 'a question', unready && 'not ready yet'].filter(Boolean);
      return {
        hooks: [hooks, ...name].join(', '),
        ...setting,
        walk: { ...walk, events: eventsFor(setting), input: inputFor(setting) },
      };
    }),
  ),
);

const paths = cases.flatMap(({ hooks, before, after, asks, unready, walk: options }) =>
  getSimplePaths(machine, { ...options, toState: ({ status }) => status !== 'active' }).map(
    ({ steps }) => {
      const heard = steps.slice(1).map(({ event }) => event);
      const words = heard.map(wordFor);
      const states = steps.map(({ state }) => pathOf(state.value));
      const name = `${hooks}: ${words.join(', ')}`;
      return { name, heard, words, states, before, after, asks, unready, input: options.input };
    },
  ),
);

/** How a call must end, told from what was heard and not from the machine. */
function expectedOf(words: readonly string[]): object {
  const untilCancel = words.includes('cancel') ? words.slice(0, words.indexOf('cancel')) : words;
  const failed = phases.filter(({ id }) => words.includes(`${id} breaks`));
  return {
    toolInput: { path: /beforeHooks (passes|defers)/.test(untilCancel.join()) ? 'b' : 'a' },
    failures: failed.map(({ phase }) => ({ phase, error: 'broken' })),
    ...(words.includes('tool gives') && { result: { llmContent: 'given' } }),
    ...(words.includes('tool throws') && { result: { error: 'thrown' } }),
    ...(words.includes('hooks break') && { result: { error: 'broken' } }),
    ...endOf(words),
  };
}

const phases = [
  { phase: 'BeforeTool', id: 'beforeHooks' },
  { phase: 'AfterTool', id: 'afterHooks' },
];

function endOf(words: readonly string[]): object {
  if (words.includes('cancel')) return { status: 'cancelled', reason: 'user' };
  const [before = ''] = words.filter((word) => word.startsWith('beforeHooks'));
  const [after = ''] = words.filter((word) => word.startsWith('afterHooks'));
  if (words.includes('user declines')) return { status: 'refused', by: 'user', reason: 'no' };
  if (words.includes('nobody answers')) return { status: 'refused', by: 'expiry', reason: 'late' };
  if (before.includes('defers')) return { status: 'deferred', id: '1', toolName: 'write_file' };
  if (before.includes('blocks')) return { status: 'blocked', stop: before.includes('stops') };
  return { status: `${before} ${after}`.includes('stops') ? 'stopped' : 'done' };
}

type Path = (typeof paths)[number];

/** The states that a call must be in, told from what was heard and not from the machine. */
function expectedStates({ words, before, after, asks, unready }: Path): string[] {
  const approved = asks ? 'asking' : 'executing';
  const first = before ? 'beforeHooks.running' : approved;
  const states = [unready ? 'planning' : first];
  for (const [index, word] of words.entries()) {
    const last = states.at(-1)!;
    if (words.slice(0, index).includes('cancel')) states.push('cancelled');
    else if (word === 'cancel')
      states.push(last.endsWith('.running') ? last.replace('running', 'cancelling') : 'cancelled');
    else if (word === 'hooks ready') states.push(first);
    else if (word === 'hooks break') states.push('done');
    else if (word === 'user agrees') states.push('executing');
    else if (word.startsWith('tool')) states.push(after ? 'afterHooks.running' : 'done');
    else states.push(afterVerdict[word] ?? approved);
  }
  return states;
}

const afterVerdict: Record<string, string> = {
  'beforeHooks blocks': 'blocked',
  'beforeHooks stops': 'stopped',
  'beforeHooks blocks and stops': 'blocked',
  'beforeHooks defers': 'deferred',
  'user declines': 'refused',
  'nobody answers': 'refused',
  'afterHooks passes': 'done',
  'afterHooks defers': 'done',
  'afterHooks breaks': 'done',
  'afterHooks blocks': 'done',
  'afterHooks stops': 'stopped',
  'afterHooks blocks and stops': 'stopped',
};

/** What the hooks of a phase said, as the outcome must tell it. */
const saidIn = (words: readonly string[], phase: string): unknown =>
  words
    .filter((word) => word.startsWith(phase))
    .map((word) => (answers[word] as { output?: unknown }).output)
    .at(0);

describe('every path of a tool call, played on a real actor', () => {
  for (const path of paths)
    test(path.name, async () => {
      const { words } = path;
      const played = await script.play(machine, path.input, path.heard);
      expect(played.states).toEqual(expectedStates(path));
      const { before, after, ...outcome } = played.output as ToolCallOutcome;
      expect(outcome).toEqual(expectedOf(words));
      expect(outcome.status).toBe(played.states.at(-1));
      expect(before).toEqual(saidIn(words, 'beforeHooks'));
      expect(after).toEqual(saidIn(words, 'afterHooks'));
      const running =
        words.at(-2) === 'cancel' && words.at(-1)!.includes('Hooks')
          ? [words.at(-1)!.split(' ')[0]]
          : [];
      expect(played.toldToCancel).toEqual(running);
    });

  test('together they pass through every state', async () => {
    const passed = new Set<string>();
    for (const { heard, input } of paths)
      for (const id of (await script.play(machine, input, heard)).passed) passed.add(id);
    expect([...passed].toSorted()).toEqual(statesOf(machine));
  });
});

describe('the graph of a tool call', () => {
  test('leads from a tool that is not on offer to nothing but a refusal', async () => {
    const input = { ...inputFor({ before: true, after: true, asks: true }), notOffered: 'not now' };
    expect(await script.play(machine, input, [])).toMatchObject({
      states: ['refused'],
      output: { status: 'refused', by: 'selection', reason: 'not now', toolInput: { path: 'a' } },
    });
  });

  test('leads to the tool only by an approval, where the user has to be asked', () => {
    for (const { words, states, asks } of paths)
      if (asks && states.includes('executing')) expect(words).toContain('user agrees');
  });

  test('leads from no block, no stop and no deferral to the tool', () => {
    const denied = paths.filter(({ words }) =>
      /beforeHooks (blocks|stops|defers)/.test(words.join()),
    );
    expect(denied.length).toBeGreaterThan(0);
    for (const { states } of denied) expect(states).not.toContain('executing');
  });

  test('leads from a cancel to nothing but the end', () => {
    const cancelled = paths.filter(({ words }) => words.includes('cancel'));
    expect(cancelled.length).toBeGreaterThan(0);
    for (const { words, states } of cancelled) {
      // Hooks that run are heard out; a tool is not waited for.
      expect(words.slice(words.indexOf('cancel') + 1).length).toBeLessThanOrEqual(1);
      expect(states.at(-1)).toBe('cancelled');
    }
  });

  for (const { hooks, walk: options } of cases) {
    const places = Object.values(getAdjacencyMap(machine, options));
    const waiting = places.filter(({ state }) => state.status === 'active');

    test(`has no dead end and no error, with ${hooks}`, () => {
      expect(new Set(places.map(({ state }) => state.status))).toEqual(new Set(['active', 'done']));
      for (const { transitions } of waiting) expect(transitions).not.toEqual({});
    });

    test(`has no state that cannot be cancelled, with ${hooks}`, () => {
      for (const { state } of waiting)
        expect(state.can({ type: 'cancel', reason: '' }), pathOf(state.value)).toBe(
          !pathOf(state.value).endsWith('.cancelling'),
        );
    });
  }
});
