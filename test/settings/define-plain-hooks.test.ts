import {
  array,
  assert,
  constantFrom,
  oneof,
  property,
  record,
  type Arbitrary,
  type MaybeWeightedArbitrary,
} from 'fast-check';
import { expect, test } from 'vitest';
import { defineHooks } from '../../src/settings/define-hooks.ts';
import { definePlainHooks } from '../../src/settings/define-plain-hooks.ts';

const odd: Arbitrary<unknown> = constantFrom<unknown>(null, undefined, '', ' ', 'x', '[', '*', 0, -1, 5, 1e12, NaN, Infinity, true, false, [], {}); // prettier-ignore

/** A field as it should be, most of the time. */
const mostly = (...values: readonly unknown[]) =>
  oneof<MaybeWeightedArbitrary<unknown>[]>(
    { weight: 30, arbitrary: constantFrom(...values) },
    { weight: 1, arbitrary: odd },
  );

/** Now and then with something that is no field of it, or with another type. */
const perhapsOther = (arbitrary: Arbitrary<object>): Arbitrary<unknown> =>
  oneof<MaybeWeightedArbitrary<unknown>[]>(
    { weight: 30, arbitrary },
    { weight: 1, arbitrary: arbitrary.map((value) => ({ ...value, beforeTool: [] })) },
    { weight: 1, arbitrary: arbitrary.map((value) => ({ ...value, type: 'plugin' })) },
  );

const hook = record(
  {
    type: mostly('command'),
    command: mostly('true', ' ./check.sh '),
    timeout: mostly(5, 0.5, 1e12),
    name: mostly('check', ' check '),
    description: mostly('Checks.'),
    onFailure: mostly('allow', 'block'),
  },
  { requiredKeys: ['type', 'command'], noNullPrototype: false },
);
const oneOrOdd = <T>(arbitrary: Arbitrary<T>) =>
  oneof<MaybeWeightedArbitrary<unknown>[]>(
    { weight: 30, arbitrary },
    { weight: 1, arbitrary: odd },
  );
const group = record(
  {
    matcher: mostly('write_file', ' a|b ', '*', '', 'startup'),
    sequential: mostly(true, false),
    hooks: oneOrOdd(array(oneOrOdd(perhapsOther(hook)), { maxLength: 2 })),
  },
  { requiredKeys: ['hooks'] },
);
const hooks = record(
  {
    BeforeTool: oneOrOdd(array(oneOrOdd(perhapsOther(group)), { maxLength: 2 })),
    SessionStart: oneOrOdd(array(oneOrOdd(perhapsOther(group)), { maxLength: 2 })),
    enabled: odd,
    disabled: odd,
  },
  { requiredKeys: [] },
);

test('what is taken as plain the schema takes without a word, as the same definitions', () => {
  let plain = 0;
  assert(
    property(oneOrOdd(perhapsOther(hooks)), (given) => {
      const from = { source: 'user', hooks: given, file: '/s.json', env: { a: 'b' } } as const;
      const definitions = definePlainHooks(from);
      if (definitions === undefined) return;
      if (definitions.length > 0) plain++;
      expect({ definitions, problems: [] }).toStrictEqual(defineHooks(from));
    }),
    { numRuns: 3_000 },
  );
  expect(plain).toBeGreaterThan(200);
});
