import { expect, test } from 'vitest';
import { formatProblem } from '../../src/settings/problem.ts';
import { unknownDisabled } from '../../src/settings/unknown-names.ts';

const hooks = [
  { name: 'scan', command: './scan.sh' },
  { name: 'no-env', command: './no-env.sh' },
];

const reported = (names: readonly string[], knowsAll?: () => boolean) =>
  unknownDisabled([{ source: 'user', file: '/s.json', names }], hooks, knowsAll).map(formatProblem);

test('a name or a command of a hook is none to report', () => {
  expect(reported(['scan', './no-env.sh', 'no-env'])).toEqual([]);
  expect(reported([])).toEqual([]);
});

test('a name that no hook has is reported with the nearest one', () => {
  const said = 'is the name or command of no hook, so it disables none';
  expect(reported(['scna', 'scan', 'something'])).toEqual([
    `/s.json hooksConfig.disabled: "scna" ${said}; write "scan"`,
    `/s.json hooksConfig.disabled: "something" ${said}; write a name that "hookmachine list" shows`,
  ]);
});

test('nothing is reported where hooks may be there that nobody looked at', () => {
  expect(reported(['scna'], () => false)).toEqual([]);
});

test('of very many names the first hundred are reported', () => {
  const many = Array.from({ length: 250 }, (_, at) => `unknown ${at}`);
  expect(reported(many)).toHaveLength(101);
  expect(reported(many).at(-1)).toBe('/s.json: there are 150 more problems; fix those above first');
});
