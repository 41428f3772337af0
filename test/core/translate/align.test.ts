import { expect, test } from 'vitest';
import { align } from '../../../src/core/translate/rebuild-contents.ts';
import { dice } from './conversation.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const pairs = (before: string, after: string): string =>
  [...align(before.split(''), after.split(''))]
    .toSorted(([one], [other]) => one - other)
    .map(([to, from]) => `${from}>${to}`)
    .join(' ');

const many = (text: (index: number) => string): string[] =>
  Array.from({ length: 5000 }, (_, index) => text(index));

/** The textbook algorithm, for comparison. */
function lengthOfLongest(before: string, after: string): number {
  const row = Array.from({ length: after.length + 1 }, () => 0);
  for (const item of before) {
    let corner = 0;
    for (let index = 1; index <= after.length; index++) {
      const above = row[index]!;
      row[index] = item === after[index - 1] ? corner + 1 : Math.max(above, row[index - 1]!);
      corner = above;
    }
  }
  return row.at(-1)!;
}

test.each([
  ['', '', ''],
  ['abc', 'abc', '0>0 1>1 2>2'],
  ['abc', 'xabc', '0>1 1>2 2>3'],
  ['abc', 'abcx', '0>0 1>1 2>2'],
  ['abc', 'ac', '0>0 2>1'],
  ['abc', 'axc', '0>0 2>2'],
  ['abc', 'xyz', ''],
  ['abcd', 'cdab', '2>0 3>1'],
])('align pairs the equal items of %j and %j', (before, after, expected) => {
  expect(pairs(before, after)).toBe(expected);
});

test('C-75: among equal items align takes the later one', () => {
  expect(pairs('xaxb', 'xb')).toBe('2>0 3>1');
  expect(pairs('axbxcz', 'xcy')).toBe('3>0 4>1');
});

test('C-75: align finds a longest pairing without crossings in any lists', () => {
  for (let seed = 0; seed < 500; seed++) {
    const roll = dice(seed);
    const letters = 1 + roll(5);
    const text = (): string =>
      Array.from({ length: roll(14) }, () => 'abcde'[roll(letters)]!).join('');
    const [before, after] = [text(), text()];
    const found = [...align(before.split(''), after.split(''))].toSorted(
      ([one], [other]) => one - other,
    );
    expect(found.length, `${before} ${after}`).toBe(lengthOfLongest(before, after));
    for (const [index, [to, from]] of found.entries()) {
      expect(before[from]).toBe(after[to]);
      if (index > 0) expect(from).toBeGreaterThan(found[index - 1]![1]);
    }
  }
});

test('thousands of messages, all rewritten or all alike, are aligned quickly', () => {
  const start = cpuTime();
  expect(
    align(
      many(String),
      many((index) => `new ${index}`),
    ).size,
  ).toBe(0);
  expect(
    align(
      many(() => 'ok'),
      many(() => 'ok').slice(1),
    ).size,
  ).toBe(4999);
  expect(cpuTime() - start).toBeLessThan(1000);
});
