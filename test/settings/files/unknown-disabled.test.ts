import { expect, test } from 'vitest';
import { formatProblem } from '../../../src/core/definitions/problem.ts';
import { unknownDisabled } from '../../../src/settings/format/unknown-names.ts';

const hooks = [
  { name: 'scan', command: './scan.sh' },
  { name: 'no-env', command: './no-env.sh' },
];

const reported = (names: readonly string[], knowsAll?: () => boolean) =>
  unknownDisabled([{ source: 'user', file: '/s.json', names }], hooks, knowsAll).map(formatProblem);

test('a disabled name or command that some hook has is not reported', () => {
  expect(reported(['scan', './no-env.sh', 'no-env'])).toEqual([]);
  expect(reported([])).toEqual([]);
});

test('a disabled name that no hook has is reported with the nearest one', () => {
  const said = 'is not the name or command of any hook, so it disables none';
  expect(reported(['scna', 'scan', 'something'])).toEqual([
    `/s.json hooksConfig.disabled: "scna" ${said}; write "scan"`,
    `/s.json hooksConfig.disabled: "something" ${said}; write a name that "hookmachine list" shows`,
  ]);
});

test('nothing is reported if there may be hooks that were not read', () => {
  expect(reported(['scna'], () => false)).toEqual([]);
});

test('the first hundred of very many unknown names are reported', () => {
  const many = Array.from({ length: 250 }, (_, at) => `unknown ${at}`);
  expect(reported(many)).toHaveLength(101);
  expect(reported(many).at(-1)).toBe('/s.json: there are 150 more problems; fix those above first');
});
