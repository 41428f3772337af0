import { fstatSync, readdirSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  openOutput,
  orderFifos,
  scratchFolder,
  type OutputPipe,
} from '../../../src/handlers/process/pipes.ts';
import { waitUntil } from '../../support/until.ts';

const made = () => readdirSync(scratchFolder()).length;

const take = (count: number): OutputPipe[] => Array.from({ length: count }, openOutput);

test('FIFOs that were ordered serve the next hooks, and nobody else can open them', async () => {
  const before = made();
  orderFifos();
  await waitUntil(() => made() === before + 8);
  const taken = take(8);
  expect(made()).toBe(before + 8);
  expect(taken.map(({ reader }) => fstatSync(reader).mode & 0o777)).toEqual(Array(8).fill(0o600));
});

test('a hook that does not wait for the ordered FIFOs gets others', () => {
  orderFifos();
  const taken = take(20).map(({ reader }) => fstatSync(reader));
  expect(taken.every((pipe) => pipe.isFIFO())).toBe(true);
  expect(new Set(taken.map(({ ino }) => ino)).size).toBe(20);
});

test('a FIFO that is returned is never used again once a cleaner has removed its folder', () => {
  const [old] = take(1);
  rmSync(scratchFolder(), { recursive: true });
  const current = take(1);
  old!.release(true);
  for (const { reader, writer } of [...current, ...take(10)]) {
    expect(fstatSync(reader).isFIFO()).toBe(true);
    expect(fstatSync(writer).ino).toBe(fstatSync(reader).ino);
  }
});
