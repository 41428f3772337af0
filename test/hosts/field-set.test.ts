import { expect, test } from 'vitest';
import { FieldSet, joinTexts } from '../../src/core/answers/merge-effects.ts';
import { specificOutput } from '../../src/hosts/plain/merge-answers.ts';
import { defined } from '../../src/base/json.ts';

test('a FieldSet keeps the last value of a field and records every hook that set it', () => {
  const fields = new FieldSet();
  fields.set('colour', 'red', 'a');
  fields.set('colour', 'blue', 'b');
  fields.set('colour', 'red', 'c');
  fields.set('size', { width: 1 }, 'a');
  fields.set('size', { width: 1 }, 'b');
  expect(fields.toObject()).toEqual({ colour: 'red', size: { width: 1 } });
  expect(fields.conflicts()).toEqual([{ field: 'colour', hooks: ['a', 'b', 'c'], winner: 'c' }]);
  expect(fields.setBy()).toEqual({ colour: 'c', size: 'b' });
});

test('a FieldSet spreads objects over each other without changing them', () => {
  const fields = new FieldSet();
  const [one, two, three] = [{ a: 1, b: 1 }, { b: 2, c: 2 }, { a: 3 }].map(Object.freeze) as [
    { a: number },
    { b: number },
    { a: number },
  ];
  fields.spread('tool_input', one, 'x');
  expect(fields.setBy()).toEqual({ 'tool_input.a': 'x', 'tool_input.b': 'x' });
  fields.spread('tool_input', two, 'y');
  fields.spread('tool_input', three, 'z');
  expect(fields.toObject()).toEqual({ tool_input: { a: 3, b: 2, c: 2 } });
  expect(fields.setBy()).toEqual({
    'tool_input.a': 'z',
    'tool_input.b': 'y',
    'tool_input.c': 'y',
  });
  expect(fields.conflicts().map(({ field }) => field)).toEqual(['tool_input.a', 'tool_input.b']);
});

test('a FieldSet records a very large object of one hook as a whole', () => {
  const fields = new FieldSet();
  const large = Object.fromEntries(Array.from({ length: 1_000 }, (_, key) => [`k${key}`, key]));
  fields.spread('tool_input', large, 'a');
  expect(fields.setBy()).toEqual({ tool_input: 'a' });
  fields.spread('tool_input', { k0: 'other' }, 'b');
  expect(fields.setBy()['tool_input.k0']).toBe('b');
  expect(fields.setBy()['tool_input.k1']).toBe('a');
});

test('joinTexts joins texts one per line and leaves out empty ones', () => {
  expect(joinTexts(['a', '', undefined, 'b'])).toBe('a\nb');
  expect(joinTexts(['', undefined])).toBeUndefined();
});

test('undefined fields and empty objects are left out of an output', () => {
  expect(defined({ a: 1, b: undefined, c: null, d: '' })).toEqual({ a: 1, c: null, d: '' });
  expect(specificOutput({})).toEqual({});
  expect(specificOutput({ a: 1 })).toEqual({ hookSpecificOutput: { a: 1 } });
});
