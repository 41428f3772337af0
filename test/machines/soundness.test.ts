import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  and,
  type AnyStateMachine,
  createMachine,
  fromCallback,
  not,
  setup,
  StateMachine,
  stopChild,
} from 'xstate';
import { jsonOf } from '../../visualizations/json.ts';
import { edges } from './edges.ts';
import { sketch, withoutTypes } from './sketch.ts';
import { findings } from './soundness.ts';

const folder = new URL('../../machines/', import.meta.url);

const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));

describe.each(files)('%s', async (file) => {
  const code = readFileSync(new URL(file, folder), 'utf8');
  const id = file
    .replace(/\.ts$/, '')
    .replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const exported: Record<string, unknown> = await import(new URL(file, folder).href);
  const machines = Object.entries(exported).filter(
    (entry): entry is [string, AnyStateMachine] => entry[1] instanceof StateMachine,
  );
  const machine = machines[0]?.[1] as AnyStateMachine;

  test('holds one machine, named after the file', () => {
    expect(machines.map(([name, { id: own }]) => [name, own])).toEqual([[`${id}Machine`, id]]);
  });

  test('takes values from xstate only', async () => {
    const imports = [...(await withoutTypes(code)).matchAll(/\bimport\b.*?["'](.+?)["']/g)];
    expect(imports.map(([, from]) => from)).toEqual(['xstate']);
  });

  // The static extractor behind Stately's editors drops these states without a word.
  test('makes no state by a helper', () => {
    expect(code).not.toMatch(/\bcreateStateConfig\b/);
  });

  test('opens in Stately Sketch as it is', async () => {
    const opened = (await sketch(code, `${id}Machine`)) as AnyStateMachine;
    expect(edges(opened)).toEqual(edges(machine));
  });

  test('draws the same from its JSON', () => {
    expect(edges(createMachine(JSON.parse(jsonOf(machine))))).toEqual(edges(machine));
  });

  test('is sound', () => {
    expect(findings(machine)).toEqual([]);
  });
});

const described = { description: 'Said.' };

/** Takes plain data, since the types of `setup` refuse a part of what is checked. */
const check = (config: object): string[] => findings(workshop.createMachine(config));
const workshop = setup({ delays: { budget: 10 }, guards: { isReady: () => true } });

describe('the check of soundness', () => {
  test('passes what is sound', () => {
    const waiting = {
      ...described,
      after: { budget: 'over', 20: { guard: 'isReady', target: 'over' } },
    };
    const over = { ...described, type: 'final' };
    expect(
      check({ id: 'good', ...described, initial: 'waiting', states: { waiting, over } }),
    ).toEqual([]);
  });

  test('finds a mistyped delay, which would fire at once', () => {
    const waiting = { ...described, after: { budgt: 'waiting' } };
    expect(check({ id: 'bad', ...described, initial: 'waiting', states: { waiting } })).toEqual([
      'bad.waiting: no delay "budgt"',
    ]);
  });

  test('finds guards and actions that do not exist or have no name', () => {
    const waiting = {
      ...described,
      entry: ['greet', () => undefined],
      on: {
        go: { guard: 'isRedy', actions: { type: 'kep' } },
        come: { guard: and(['isReady', not('isLate')]), actions: stopChild('child') },
        stay: { guard: () => true },
      },
    };
    expect(check({ id: 'bad', ...described, initial: 'waiting', states: { waiting } })).toEqual([
      'bad.waiting: no guard "isRedy"',
      'bad.waiting: no guard "isLate"',
      'bad.waiting: guard without a name',
      'bad.waiting: no action "greet"',
      'bad.waiting: action without a name',
      'bad.waiting: no action "kep"',
    ]);
  });

  test('finds actors that do not exist, have no id or whose error nobody hears', () => {
    const invoke = [{ src: 'proces' }, { id: 'inline', src: fromCallback(() => {}), onError: {} }];
    expect(check({ id: 'bad', ...described, invoke })).toEqual([
      'bad: invoke without id',
      'bad: invoke without onError',
      'bad: no actor "proces"',
      'bad: actor without a name',
    ]);
  });

  test('finds initial states that do not exist, and states that nothing leads to', () => {
    const states = { inner: described };
    expect(check({ id: 'bad', ...described, initial: 'innr', states })).toEqual([
      'bad: no initial state "innr"',
      'bad.inner: nothing leads here',
    ]);
  });

  test('finds missing descriptions and outcomes', () => {
    const over = { type: 'final' };
    expect(check({ id: 'bad', initial: 'over', output: () => 'over', states: { over } })).toEqual([
      'bad: no description',
      'bad.over: no description',
      'bad.over: no output',
    ]);
  });

  test('can leave targets to XState, which refuses those that do not exist', () => {
    const waiting = { ...described, on: { go: 'nowhere' } };
    expect(() => check({ initial: 'waiting', states: { waiting } })).toThrow(/nowhere/);
  });
});

describe('the check in the way of Stately Sketch', () => {
  test('fails on a value from another file', async () => {
    const code = "import { ten } from './ten.ts';\nexport const a = ten;";
    await expect(sketch(code, 'a')).rejects.toThrow(/import/);
  });

  test('fails on a name that is not in scope there', async () => {
    const code = "import { createActor } from 'xstate';\nexport const a = createActor;";
    await expect(sketch(code, 'a')).rejects.toThrow(/createActor/);
  });

  test('does not mind types from anywhere', async () => {
    const code = "import type { Ten } from './ten.ts';\nexport const a: Ten = 10;";
    await expect(sketch(code, 'a')).resolves.toBe(10);
  });
});
