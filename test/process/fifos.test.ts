import { readdirSync, rmSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { orderFifos, returnFifo, scratchFolder, takeFifo } from '../../src/process/pipes.ts';
import { waitUntil } from '../support/until.ts';

const made = () => readdirSync(scratchFolder()).length;

test('FIFOs that were ordered serve the next hooks, and nobody else can open them', async () => {
  const before = made();
  orderFifos();
  await waitUntil(() => made() === before + 8);
  const taken = Array.from({ length: 8 }, takeFifo);
  expect(made()).toBe(before + 8);
  expect(taken.map((path) => statSync(path).mode & 0o777)).toEqual(Array(8).fill(0o600));
});

test('a hook that does not wait for the ordered FIFOs gets others', () => {
  orderFifos();
  const taken = Array.from({ length: 20 }, takeFifo);
  expect(taken.every((path) => statSync(path).isFIFO())).toBe(true);
  expect(new Set(taken).size).toBe(20);
  for (const path of taken) returnFifo(path, false);
});

test('a FIFO that is returned is never used again once a cleaner has removed its folder', () => {
  const old = takeFifo();
  rmSync(scratchFolder(), { recursive: true });
  const current = takeFifo();
  returnFifo(old, true);
  for (const path of [current, ...Array.from({ length: 10 }, takeFifo)])
    expect(statSync(path).isFIFO()).toBe(true);
});
