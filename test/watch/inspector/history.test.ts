import { expect, test } from 'vitest';
import { type Batch, History, type Sent } from '../../../src/watch/inspector/history.ts';
import type { JournalEntry } from '../../../src/watch/journal/entry.ts';

const warned = (text: string): JournalEntry => ({ kind: 'warned', at: 1, text });

const textsIn = (batch: Batch | undefined): string[] =>
  (JSON.parse(batch!.text) as Sent).entries.map((entry) => (entry as { text: string }).text);

const filled = (count: number, limits?: { entries: number; bytes: number }): History => {
  const history = new History(limits);
  for (let i = 1; i <= count; i++) history.push(warned(`w${i}`));
  return history;
};

test('the entries of a history are numbered from 1 and can be read from any number on', () => {
  const history = filled(3);
  expect([history.first, history.next]).toEqual([1, 4]);
  expect(textsIn(history.batch(2))).toEqual(['w2', 'w3']);
  expect(history.batch(4)).toBeUndefined();
});

test('a batch of a history ends when it is full, and says where the next one begins', () => {
  const history = filled(10);
  const one = history.batch(1, 1);
  expect(textsIn(one)).toEqual(['w1']);
  expect(one?.next).toBe(2);
});

test('a history drops its oldest entries beyond its limit, and the others keep their numbers', () => {
  const history = filled(25_000, { entries: 10, bytes: 1_000_000 });
  expect([history.first, history.next]).toEqual([24_991, 25_001]);
  expect(textsIn(history.batch(1))).toEqual(
    Array.from({ length: 10 }, (_, index) => `w${24_991 + index}`),
  );
});

test('a history drops its oldest entries beyond its size in bytes, but never the newest', () => {
  const history = filled(3, { entries: 100, bytes: 100 });
  history.push(warned('x'.repeat(1_000)));
  expect([history.first, history.next]).toEqual([4, 5]);
});

test('a step that several runs took is sent once, with the time of each run', () => {
  const history = new History();
  const moved = (id: string, at: number, to: string, from?: string): void =>
    history.push({ kind: 'moved', id, at, to, event: '', ...(from !== undefined && { from }) });
  moved('a', 1, 'on');
  moved('b "', 2.5, 'on');
  moved('a', 3, 'off', 'on');
  history.push(warned('w'));
  expect(JSON.parse(history.batch(1)!.text)).toEqual({
    last: 4,
    entries: [warned('w')],
    steps: [
      ['on', ''],
      ['off', '', 'on'],
    ],
    moves: [
      ['a', [1, 0, 3, 1]],
      ['b "', [2.5, 0]],
    ],
  });
});
