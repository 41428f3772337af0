import { expect, test } from 'vitest';
import type { Answer } from '../../../src/core/answers/answer.ts';
import { mergeEffects } from '../../../src/core/answers/merge-effects.ts';
import { mergeLanes, type LaneVerdict } from '../../../src/core/answers/merge-lanes.ts';

const answer = (more: Partial<Answer>): Answer => ({
  decision: undefined,
  stop: false,
  status: 'ok',
  effects: [],
  success: true,
  exitCode: 0,
  stdout: '',
  stderr: '',
  durationMs: 0,
  timedOut: false,
  notes: [],
  plainText: false,
  ...more,
});

const payload = { tool_input: { path: 'a', mode: 'r' } };

/** A lane of hooks that are named after their places in the plan. */
function lane(said: Readonly<Record<number, Partial<Answer>>>): LaneVerdict {
  const answers = Object.entries(said).map(([position, more]) => ({
    hook: `hook ${position}`,
    answer: answer(more),
    position: Number(position),
  }));
  return { verdict: mergeEffects('BeforeTool', answers, payload), answers };
}

const denial = (reason: string): Partial<Answer> => ({ decision: 'deny', reason });
const stop = (stopReason: string): Partial<Answer> => ({ stop: true, stopReason });
const text = (kind: 'context' | 'message', said: string): Partial<Answer> => ({
  effects: [{ kind, text: said }],
});
const replace = (value: Readonly<Record<string, unknown>>): Partial<Answer> => ({
  effects: [{ kind: 'replace', slot: 'tool_input', value }],
});
const patch = (value: Readonly<Record<string, unknown>>): Partial<Answer> => ({
  effects: [{ kind: 'patch', slot: 'tool_input', value }],
});

test('reasons from several dialects are joined in plan order across lanes (S-07)', () => {
  const lanes = [
    lane({ 0: denial('first'), 3: denial('fourth') }),
    lane({ 1: denial('second'), 2: { decision: 'allow', reason: 'fine' }, 4: denial('fifth') }),
  ];
  expect(mergeLanes(lanes, payload).reason).toBe('first\nsecond\nfourth\nfifth');
});

test('stop reasons, contexts and messages from several dialects are joined in plan order (S-07)', () => {
  expect(
    mergeLanes([lane({ 0: {}, 2: stop('last') }), lane({ 1: stop('first') })], payload).stopReason,
  ).toBe('first\nlast');
  for (const kind of ['context', 'message'] as const)
    expect(
      mergeLanes(
        [lane({ 0: text(kind, 'a'), 2: text(kind, 'c') }), lane({ 1: text(kind, 'b') })],
        payload,
      )[kind],
    ).toBe('a\nb\nc');
});

test('a reason that a dialect made from several takes the place of the last of its hooks', () => {
  const { answers, verdict } = lane({ 0: denial('one'), 2: denial('three') });
  const own = { answers, verdict: { ...verdict, reason: 'three, in short' } };
  expect(mergeLanes([own, lane({ 1: denial('two') })], payload).reason).toBe(
    'two\nthree, in short',
  );
});

test('a conflict between dialects names the hook that set the key, not another of its lane', () => {
  const lanes = [
    lane({ 0: patch({ path: 'b' }), 3: patch({ mode: 'w' }) }),
    lane({ 1: patch({ path: 'c' }) }),
  ];
  const { changes, conflicts, setBy } = mergeLanes(lanes, payload);
  expect(changes.tool_input).toEqual({ patch: { path: 'c', mode: 'w' } });
  expect(conflicts).toEqual([
    { field: 'tool_input.path', hooks: ['hook 0', 'hook 1'], winner: 'hook 1' },
  ]);
  expect(setBy).toEqual({ 'tool_input.path': 'hook 1', 'tool_input.mode': 'hook 3' });
});

test('a key that one dialect removes and another sets is a conflict, and the hook later in the plan wins', () => {
  const removing = replace({ mode: 'r' });
  const setting = patch({ path: 'b' });
  const setLast = mergeLanes([lane({ 0: removing }), lane({ 1: setting })], payload);
  expect(setLast.changes.tool_input).toEqual({ whole: { mode: 'r', path: 'b' } });
  expect(setLast.conflicts).toEqual([
    { field: 'tool_input.path', hooks: ['hook 0', 'hook 1'], winner: 'hook 1' },
  ]);
  const removedLast = mergeLanes([lane({ 0: setting }), lane({ 1: removing })], payload);
  expect(removedLast.changes.tool_input).toEqual({ whole: { mode: 'r' } });
  expect(removedLast.conflicts).toEqual([
    { field: 'tool_input.path', hooks: ['hook 0', 'hook 1'], winner: 'hook 1' },
  ]);
});

test('a whole value that replaces another hook’s changes is a conflict in the keys that it reverts', () => {
  const { conflicts, setBy } = lane({
    0: patch({ path: 'b', extra: 1 }),
    1: replace({ path: 'a', mode: 'w' }),
  }).verdict;
  expect(conflicts.map(({ field, winner }) => [field, winner])).toEqual([
    ['tool_input.path', 'hook 1'],
    ['tool_input.extra', 'hook 1'],
  ]);
  expect(setBy).toEqual({ tool_input: 'hook 1' });
});
