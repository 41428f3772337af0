import { describe, expect, test } from 'vitest';
import type { EventFromLogic, SnapshotFrom } from 'xstate';
import { getAdjacencyMap, getSimplePaths } from 'xstate/graph';
import type { HookEventInput, HookEventOutcome } from '../../machines/hook-event.ts';
import {
  toolCallMachine,
  type ToolCallInput,
  type ToolCallOutcome,
} from '../../machines/tool-call.ts';
import { Script } from './script.ts';

type Snapshot = SnapshotFrom<typeof toolCallMachine>;
type Event = EventFromLogic<typeof toolCallMachine>;

/** What the hooks of a phase may say. */
const verdicts = {
  passes: { blocked: false, stop: false },
  blocks: { blocked: true, stop: false },
  stops: { blocked: false, stop: true },
  'blocks and stops': { blocked: true, stop: true },
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
  'tool gives': { type: 'xstate.done.actor.tool', output: { llmContent: 'given' } },
  'tool throws': { type: 'xstate.error.actor.tool', error: 'thrown' },
  ...phaseAnswers('afterHooks'),
  cancel: { type: 'cancel', reason: 'user' },
};
const events = Object.values(answers) as unknown as Event[];
const wordFor = (event: object): string =>
  Object.keys(answers).find((word) => answers[word] === event) ?? '';

const isCancelled = ({ context }: Snapshot): boolean => context.cancelReason !== undefined;

/** Only what can happen: the call is cancelled once, and its hooks only then are. */
const filterEvents = (snapshot: Snapshot, event: Event): boolean =>
  snapshot.status === 'active' &&
  snapshot.can(event) &&
  !(event.type === 'cancel' && isCancelled(snapshot)) &&
  !(wordFor(event).endsWith('cancelled') && !isCancelled(snapshot));

/** All that was heard, so that no two ways to a state are taken for one. */
const serializeState = ({ value, context }: Snapshot): string => {
  const { before, after, result, failures, cancelReason } = context;
  return JSON.stringify({ value, before, after, result, failures, cancelReason });
};

const walk = { events, filterEvents, serializeState };

const plan: HookEventInput = {
  event: '',
  mode: 'parallel',
  hooks: [],
  payload: {},
  rules: {
    prepare: () => ({
      name: '',
      timeout: 1,
      command: { command: '', cwd: '', env: {}, stdin: () => '' },
    }),
    read: () => ({ decision: undefined, stop: false, fared: 'ok' }),
    chain: (payload) => payload,
    merge: () => verdicts.passes,
  },
};

const inputFor = (hooks: { before: boolean; after: boolean }): ToolCallInput => ({
  id: '1',
  toolName: 'write_file',
  toolInput: { path: 'a' },
  ports: {
    planBefore: () => (hooks.before ? plan : undefined),
    planAfter: () => (hooks.after ? plan : undefined),
    rewrite: (toolInput) => ({ ...toolInput, path: 'b' }),
    execute: () => Promise.reject(new Error('the script answers for the tool')),
    failure: (error) => ({ error }),
  },
});

const script = new Script();
const machine = toolCallMachine.provide({
  actors: { hookEvent: script.child as never, executeTool: script.child as never },
});

const cases = [
  { hooks: 'no hooks', before: false, after: false },
  { hooks: 'BeforeTool hooks', before: true, after: false },
  { hooks: 'AfterTool hooks', before: false, after: true },
  { hooks: 'BeforeTool and AfterTool hooks', before: true, after: true },
].map((hooks) => ({ ...hooks, walk: { ...walk, input: inputFor(hooks) } }));

const paths = cases.flatMap(({ hooks, walk: options }) =>
  getSimplePaths(machine, { ...options, toState: ({ status }) => status !== 'active' }).map(
    ({ state, steps }) => {
      const heard = steps.slice(1).map(({ event }) => event);
      const words = heard.map(wordFor);
      const states = steps.map((step) => step.state.value);
      return { name: `${hooks}: ${words.join(', ')}`, state, heard, words, states, ...options };
    },
  ),
);

/** How a call must end, told from what was heard and not from the machine. */
function expectedOf(words: readonly string[]): Partial<ToolCallOutcome> {
  const result = words.includes('tool gives')
    ? { result: { llmContent: 'given' } }
    : words.includes('tool throws') && { result: { error: 'thrown' } };
  const isOver = words.includes('cancel');
  const isRewritten = words[0] === 'beforeHooks passes';
  return {
    toolInput: { path: isRewritten ? 'b' : 'a' },
    failures: (['BeforeTool', 'AfterTool'] as const)
      .filter((phase) => !isOver || words.indexOf(breaks[phase]) < words.indexOf('cancel'))
      .filter((phase) => words.includes(breaks[phase]))
      .map((phase) => ({ phase, error: 'broken' })),
    ...result,
    ...endOf(words),
  };
}

const breaks = { BeforeTool: 'beforeHooks breaks', AfterTool: 'afterHooks breaks' };

function endOf(words: readonly string[]): object {
  if (words.includes('cancel')) return { status: 'cancelled', reason: 'user' };
  const [before = ''] = words.filter((word) => word.startsWith('beforeHooks'));
  const [after = ''] = words.filter((word) => word.startsWith('afterHooks'));
  if (before.includes('blocks')) return { status: 'blocked', stop: before.includes('stops') };
  return { status: `${before} ${after}`.includes('stops') ? 'stopped' : 'done' };
}

/** What a phase of hooks said, as the outcome tells it. */
const saidIn = (words: readonly string[], phase: 'beforeHooks' | 'afterHooks'): unknown =>
  words
    .filter((word) => word.startsWith(phase))
    .map((word) => (answers[word] as { output?: unknown }).output)
    .at(0);

describe('every path of a tool call, played on a real actor', () => {
  test.each(paths)('$name', async ({ heard, words, states, state, input }) => {
    const played = await script.play(machine, input, heard);
    expect(played.states).toEqual(states);
    expect(played.status).toBe('done');
    const { before, after, ...outcome } = played.output as ToolCallOutcome;
    expect(outcome).toEqual(expectedOf(words));
    expect(outcome.status).toBe(state.value);
    expect({ before, after }).toEqual({
      before: saidIn(words, 'beforeHooks'),
      after: saidIn(words, 'afterHooks'),
    });
  });

  test.each(paths.filter(({ words }) => words.at(-2) === 'cancel'))(
    'hooks that run are told of a cancel: $name',
    async ({ heard, words, input }) => {
      const { toldToCancel } = await script.play(machine, input, heard);
      expect(toldToCancel).toEqual([words.at(-1)?.split(' ')[0]]);
    },
  );

  test('together they pass through every state', async () => {
    const passed = new Set<unknown>();
    for (const { heard, input } of paths)
      for (const state of (await script.play(machine, input, heard)).passed) passed.add(state);
    expect(passed).toEqual(new Set(Object.keys(machine.states)));
  });
});

describe('the graph of a tool call', () => {
  test('leads from no block and no stop to the tool', () => {
    const denied = paths.filter(({ words }) => /beforeHooks (blocks|stops)/.test(words.join()));
    expect(denied.length).toBeGreaterThan(0);
    for (const { states } of denied) expect(states).not.toContain('executing');
  });

  test('leads from a cancel to nothing but the end', () => {
    const cancelled = paths.filter(({ words }) => words.includes('cancel'));
    expect(cancelled.length).toBeGreaterThan(0);
    for (const { words, states, state } of cancelled) {
      expect(words.length - words.indexOf('cancel')).toBeLessThanOrEqual(2);
      expect(states.slice(words.indexOf('cancel') + 2)).toEqual(
        words.at(-1) === 'cancel' ? [] : ['cancelled'],
      );
      expect(state.value).toBe('cancelled');
    }
  });

  test.each(cases)('has an end on every way, with $hooks', ({ walk: options }) => {
    const places = Object.values(getAdjacencyMap(machine, options));
    for (const { state, transitions } of places)
      expect([state.value, state.status, Object.keys(transitions).length > 0]).toEqual([
        state.value,
        state.status === 'done' ? 'done' : 'active',
        state.status !== 'done',
      ]);
  });

  test.each(cases)('has no state that cannot be cancelled, with $hooks', ({ walk: options }) => {
    for (const { state } of Object.values(getAdjacencyMap(machine, options)))
      if (state.status === 'active')
        expect([state.value, state.can({ type: 'cancel', reason: '' })]).toEqual([
          state.value,
          true,
        ]);
  });
});
