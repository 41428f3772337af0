import { describe, expect, test } from 'vitest';
import type { EventFromLogic, SnapshotFrom } from 'xstate';
import type { HookEventInput, HookEventOutcome } from '../../machines/hook-event.ts';
import {
  toolCallMachine,
  type ToolCallInput,
  type ToolCallOutcome,
} from '../../machines/tool-call.ts';
import { pathOf } from './path-of.ts';
import { Script } from './script.ts';
import { statesOf } from './states-of.ts';
import { walk } from './walk.ts';

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

type Phase = 'beforeHooks' | 'permissionHooks' | 'failureHooks' | 'afterHooks';

const phaseAnswers = (
  phase: Phase,
  more: Readonly<Record<string, HookEventOutcome['verdict']>> = {},
): Record<string, object> => ({
  ...Object.fromEntries(
    Object.entries({ ...verdicts, ...more }).map(([word, verdict]) => [
      `${phase} ${word}`,
      { type: `xstate.done.actor.${phase}`, output: settled(verdict) },
    ]),
  ),
  [`${phase} cancelled`]: { type: `xstate.done.actor.${phase}`, output: ended },
  [`${phase} breaks`]: { type: `xstate.error.actor.${phase}`, error: 'broken' },
});

/** Every answer of the outside world, by a word for it, as the event that XState turns it into. */
const answers: Record<string, object> = {
  ...phaseAnswers('beforeHooks'),
  ...phaseAnswers('permissionHooks', {
    approves: { blocked: false, stop: false, approved: true },
  }),
  'user agrees': { type: 'answer', approved: true, reason: '' },
  'user declines': { type: 'answer', approved: false, reason: 'no' },
  'nobody answers': { type: 'expire', reason: 'late' },
  'host asks': { type: 'question' },
  'tool gives': { type: 'xstate.done.actor.tool', output: { llmContent: 'given' } },
  'tool throws': { type: 'xstate.error.actor.tool', error: 'thrown' },
  ...phaseAnswers('failureHooks'),
  ...phaseAnswers('afterHooks'),
  'hooks break': { type: 'xstate.error.actor.hooks', error: 'broken' },
  cancel: { type: 'cancel', reason: 'user' },
};
const wordFor = (event: object): string =>
  Object.keys(answers).find((word) => answers[word] === event) ?? 'hooks ready';

const isCancelled = ({ context }: Snapshot): boolean => context.cancelReason !== undefined;

/** Only what can happen: the call is cancelled once, and only then are its hooks. */
const filterEvents = (snapshot: Snapshot, event: Event): boolean =>
  snapshot.status === 'active' &&
  snapshot.can(event) &&
  !(event.type === 'cancel' && isCancelled(snapshot)) &&
  !(event.type === 'question' && snapshot.context.ports.takeQuestion === undefined) &&
  !(wordFor(event).endsWith('cancelled') && !isCancelled(snapshot));

/** Everything that was received, so that no two ways to a state are taken for one. */
const serializeState = ({ value, context }: Snapshot): string => {
  const { ports: _, ...received } = context;
  return JSON.stringify({ value, ...received });
};

const options = { filterEvents, serializeState };

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
  readonly permission?: boolean;
  readonly failed?: boolean;
  /** The host asks its own question, once hooks let the call run. */
  readonly late?: boolean;
  /** The hooks must be prepared first. */
  readonly unready?: boolean;
}

const portsFor = (setting: Setting): ToolCallInput['ports'] => ({
  ...portsOf(setting),
  ...(setting.permission && { hooksOnPermission: () => plan }),
  ...(setting.failed && { hooksOnFailure: () => plan }),
  ...(setting.late && { ask: () => undefined, asksForHooksAlone: true, takeQuestion: () => {} }),
  hasFailed: (result) => 'error' in result,
});

const portsOf = ({ before, after, asks }: Setting): ToolCallInput['ports'] => ({
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

const settings: readonly (Setting & { readonly hooks: string })[] = [
  { hooks: 'no hooks', before: false, after: false },
  { hooks: 'BeforeTool hooks', before: true, after: false },
  { hooks: 'AfterTool hooks', before: false, after: true },
  { hooks: 'BeforeTool and AfterTool hooks', before: true, after: true },
].flatMap(({ hooks, before, after }) =>
  [false, true].flatMap((asks) =>
    // Whether hooks must be prepared first makes the same difference in all settings.
    [false, ...(before && after ? [true] : [])].map((unready) => {
      const name = [asks && 'a question', unready && 'not ready yet'].filter(Boolean);
      return { hooks: [hooks, ...name].join(', '), before, after, asks, unready };
    }),
  ),
);

const others: typeof settings = [
  { hooks: 'ToolPermission hooks', before: false, after: false, asks: true, permission: true },
  { hooks: 'a late question', before: false, after: false, asks: false, late: true },
  {
    hooks: 'a late question, ToolPermission hooks',
    before: false,
    after: false,
    asks: false,
    late: true,
    permission: true,
  },
  { hooks: 'ToolFailed hooks', before: false, after: false, asks: false, failed: true },
  {
    hooks: 'ToolFailed and AfterTool hooks',
    before: false,
    after: true,
    asks: false,
    failed: true,
  },
];

const cases = [...settings, ...others].map((setting) => {
  const input = inputFor(setting);
  return {
    ...setting,
    input,
    ...walk(machine, { ...options, events: eventsFor(setting), input }),
  };
});

const paths = cases.flatMap(({ hooks, ways, places: _, ...setting }) =>
  ways.map(({ steps }) => {
    const received = steps.slice(1).map(({ event }) => event);
    const words = received.map(wordFor);
    const states = steps.map(({ state }) => pathOf(state.value));
    const name = `a tool call with ${hooks} ends as it must after: ${words.join(', ')}`;
    return { name, received, words, states, ...setting };
  }),
);

/** How a call must end, derived from what was received and not from the machine. */
function expectedOf(words: readonly string[]): object {
  const untilCancel = words.includes('cancel') ? words.slice(0, words.indexOf('cancel')) : words;
  const failed = phases.filter(({ id }) => words.includes(`${id} breaks`));
  return {
    toolInput: {
      path: /(before|permission)Hooks (passes|defers|approves)/.test(untilCancel.join())
        ? 'b'
        : 'a',
    },
    failures: failed.map(({ phase }) => ({ phase, error: 'broken' })),
    ...(words.includes('tool gives') && { result: { llmContent: 'given' } }),
    ...(words.includes('tool throws') && { result: { error: 'thrown' } }),
    ...endOf(words),
  };
}

const phases = [
  { phase: 'BeforeTool', id: 'beforeHooks' },
  { phase: 'ToolPermission', id: 'permissionHooks' },
  { phase: 'ToolFailed', id: 'failureHooks' },
  { phase: 'AfterTool', id: 'afterHooks' },
];

function endOf(words: readonly string[]): object {
  if (words.includes('cancel')) return { status: 'cancelled', reason: 'user' };
  const [before = ''] = words.filter((word) => word.startsWith('beforeHooks'));
  const [after = ''] = words.filter((word) => word.startsWith('afterHooks'));
  if (words.includes('user declines')) return { status: 'refused', by: 'user', reason: 'no' };
  if (words.includes('nobody answers')) return { status: 'refused', by: 'expiry', reason: 'late' };
  if (words.includes('hooks break')) return { status: 'failed', error: 'broken' };
  if (before.includes('defers')) return { status: 'deferred', id: '1', toolName: 'write_file' };
  if (before.includes('blocks')) return { status: 'blocked', stop: before.includes('stops') };
  const more = words.filter((word) => /^(permission|failure)Hooks/.test(word)).join();
  if (/permissionHooks blocks/.test(more))
    return { status: 'blocked', stop: more.includes('stops') };
  return { status: `${before} ${more} ${after}`.includes('stops') ? 'stopped' : 'done' };
}

type Path = (typeof paths)[number];

/** The states that a call must be in, derived from what was received and not from the machine. */
function expectedStates(path: Path): string[] {
  const { words, before, after, asks, late, unready, permission, failed } = path;
  const asked = asks || late ? 'asking' : 'executing';
  const questioned = permission ? 'permissionHooks.running' : 'asking';
  const approved = late ? 'executing' : permission ? 'permissionHooks.running' : asked;
  const then = (said: string): string =>
    after ? 'afterHooks.running' : said.includes('stops') ? 'stopped' : 'done';
  const first = before ? 'beforeHooks.running' : approved;
  const states = [unready ? 'planning' : first];
  for (const [index, word] of words.entries()) {
    const last = states.at(-1)!;
    if (words.slice(0, index).includes('cancel')) states.push('cancelled');
    else if (word === 'cancel')
      states.push(last.endsWith('.running') ? last.replace('running', 'cancelling') : 'cancelled');
    else if (word === 'hooks ready') states.push(first);
    else if (word === 'hooks break') states.push('failed');
    else if (word === 'user agrees') states.push('executing');
    else if (word === 'host asks') states.push(questioned);
    else if (failed && word === 'tool throws') states.push('failureHooks.running');
    else if (word.startsWith('tool')) states.push(then(''));
    else if (word.startsWith('failureHooks')) states.push(then(word));
    else if (word.startsWith('afterHooks') && /failureHooks.*stops/.test(words[index - 1]!))
      states.push('stopped');
    else if (word.startsWith('permissionHooks')) states.push(afterPermission[word] ?? asked);
    else states.push(afterVerdict[word] ?? approved);
  }
  return states;
}

const afterPermission: Record<string, string> = {
  'permissionHooks approves': 'executing',
  'permissionHooks blocks': 'blocked',
  'permissionHooks stops': 'stopped',
  'permissionHooks blocks and stops': 'blocked',
};

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

/** What the hooks of a phase said, as the outcome must report it. */
const saidIn = (words: readonly string[], phase: string): unknown =>
  words
    .filter((word) => word.startsWith(phase))
    .map((word) => (answers[word] as { output?: unknown }).output)
    .at(0);

describe('every path of a tool call, run on a real actor', () => {
  for (const path of paths)
    test(path.name, async () => {
      const { words } = path;
      const played = await script.play(machine, path.input, path.received);
      expect(played.states).toEqual(expectedStates(path));
      const { before, permission, failed, after, ...outcome } = played.output as ToolCallOutcome;
      expect(outcome).toEqual(expectedOf(words));
      expect(outcome.status).toBe(played.states.at(-1));
      expect(before).toEqual(saidIn(words, 'beforeHooks'));
      expect(permission).toEqual(saidIn(words, 'permissionHooks'));
      expect(failed).toEqual(saidIn(words, 'failureHooks'));
      expect(after).toEqual(saidIn(words, 'afterHooks'));
      const running =
        words.at(-2) === 'cancel' && words.at(-1)!.includes('Hooks')
          ? [words.at(-1)!.split(' ')[0]]
          : [];
      expect(played.cancelled).toEqual(running);
    });

  test('the paths of a tool call together pass through every state', async () => {
    const passed = new Set<string>();
    for (const { received, input } of paths)
      for (const id of (await script.play(machine, input, received)).passed) passed.add(id);
    expect([...passed].toSorted()).toEqual(statesOf(machine));
  });
});

describe('the graph of a tool call', () => {
  test('a tool that is not offered is only refused', async () => {
    const input = { ...inputFor({ before: true, after: true, asks: true }), notOffered: 'not now' };
    expect(await script.play(machine, input, [])).toMatchObject({
      states: ['refused'],
      output: { status: 'refused', by: 'selection', reason: 'not now', toolInput: { path: 'a' } },
    });
  });

  test('if the user must be asked, a tool runs only after an approval', () => {
    for (const { words, states, asks } of paths)
      if (asks && states.includes('executing'))
        expect(words.join()).toMatch(/user agrees|permissionHooks approves/);
  });

  test('no path of a tool call leads from a block, a stop or a deferral to the tool', () => {
    const denied = paths.filter(({ words }) =>
      /beforeHooks (blocks|stops|defers)|permissionHooks (blocks|stops)/.test(words.join()),
    );
    expect(denied.length).toBeGreaterThan(0);
    for (const { states, late } of denied)
      expect(late ? states.slice(1) : states).not.toContain('executing');
  });

  test('a cancelled tool call leads only to its end', () => {
    const cancelled = paths.filter(({ words }) => words.includes('cancel'));
    expect(cancelled.length).toBeGreaterThan(0);
    for (const { words, states } of cancelled) {
      // Running hooks are waited for; a tool is not.
      expect(words.slice(words.indexOf('cancel') + 1).length).toBeLessThanOrEqual(1);
      expect(states.at(-1)).toBe('cancelled');
    }
  });

  for (const { hooks, places } of cases) {
    const waiting = places.filter(({ state }) => state.status === 'active');

    test(`a tool call has no dead end and no error, with ${hooks}`, () => {
      expect(new Set(places.map(({ state }) => state.status))).toEqual(new Set(['active', 'done']));
      for (const { transitions } of waiting) expect(transitions).not.toEqual({});
    });

    test(`a tool call has no state that cannot be cancelled, with ${hooks}`, () => {
      for (const { state } of waiting)
        expect(state.can({ type: 'cancel', reason: '' }), pathOf(state.value)).toBe(
          !pathOf(state.value).endsWith('.cancelling'),
        );
    });
  }
});
