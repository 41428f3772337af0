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

describe.each(files)('the machine in %s', async (file) => {
  const code = readFileSync(new URL(file, folder), 'utf8');
  const id = file
    .replace(/\.ts$/, '')
    .replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const exported: Record<string, unknown> = await import(new URL(file, folder).href);
  const machines = Object.entries(exported).filter(
    (entry): entry is [string, AnyStateMachine] => entry[1] instanceof StateMachine,
  );
  const machine = machines[0]?.[1] as AnyStateMachine;

  test("a machine's file holds one machine, named after the file", () => {
    expect(machines.map(([name, { id: own }]) => [name, own])).toEqual([[`${id}Machine`, id]]);
  });

  test("a machine's file imports values only from xstate", async () => {
    const imports = [...(await withoutTypes(code)).matchAll(/\bimport\b.*?["'](.+?)["']/g)];
    expect(imports.map(([, from]) => from)).toEqual(['xstate']);
  });

  // The static extractor behind Stately's editors silently drops these states.
  test("a machine's file creates no state with a helper", () => {
    expect(code).not.toMatch(/\bcreateStateConfig\b/);
  });

  test("a machine's file opens in Stately Sketch as it is", async () => {
    const opened = (await sketch(code, `${id}Machine`)) as AnyStateMachine;
    expect(edges(opened)).toEqual(edges(machine));
  });

  test("a machine's JSON draws the same picture", () => {
    expect(edges(createMachine(JSON.parse(jsonOf(machine))))).toEqual(edges(machine));
  });

  test('every machine is sound', () => {
    expect(findings(machine)).toEqual([]);
  });
});

const described = { description: 'Said.' };

/** Takes plain data, because the types of `setup` reject some of what is checked. */
const check = (config: object): string[] => findings(workshop.createMachine(config));
const workshop = setup({ delays: { budget: 10 }, guards: { isReady: () => true } });

describe('the soundness check', () => {
  test('the soundness check accepts a sound machine', () => {
    const waiting = {
      ...described,
      after: { budget: 'over', 20: { guard: 'isReady', target: 'over' } },
    };
    const over = { ...described, type: 'final' };
    expect(
      check({ id: 'good', ...described, initial: 'waiting', states: { waiting, over } }),
    ).toEqual([]);
  });

  test('the soundness check finds a mistyped delay, which would fire at once', () => {
    const waiting = { ...described, after: { budgt: 'waiting' } };
    expect(check({ id: 'bad', ...described, initial: 'waiting', states: { waiting } })).toEqual([
      'bad.waiting: no delay "budgt"',
    ]);
  });

  test('the soundness check finds guards and actions that do not exist or have no name', () => {
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

  test('the soundness check finds actors that do not exist, have no id or whose error is not handled', () => {
    const invoke = [{ src: 'proces' }, { id: 'inline', src: fromCallback(() => {}), onError: {} }];
    expect(check({ id: 'bad', ...described, invoke })).toEqual([
      'bad: invoke without id',
      'bad: invoke without onError',
      'bad: no actor "proces"',
      'bad: actor without a name',
    ]);
  });

  test('the soundness check finds initial states that do not exist, and states that nothing leads to', () => {
    const states = { inner: described };
    expect(check({ id: 'bad', ...described, initial: 'innr', states })).toEqual([
      'bad: no initial state "innr"',
      'bad.inner: nothing leads here',
    ]);
  });

  test('the soundness check finds missing descriptions and outcomes', () => {
    const over = { type: 'final' };
    expect(check({ id: 'bad', initial: 'over', output: () => 'over', states: { over } })).toEqual([
      'bad: no description',
      'bad.over: no description',
      'bad.over: no output',
    ]);
  });

  test('the soundness check can leave targets to XState, which rejects those that do not exist', () => {
    const waiting = { ...described, on: { go: 'nowhere' } };
    expect(() => check({ initial: 'waiting', states: { waiting } })).toThrow(/nowhere/);
  });
});

describe('running a file like Stately Sketch', () => {
  test('a file that uses a value from another file fails in Stately Sketch', async () => {
    const code = "import { ten } from './ten.ts';\nexport const a = ten;";
    await expect(sketch(code, 'a')).rejects.toThrow(/import/);
  });

  test('a file that uses a name that is not in scope fails in Stately Sketch', async () => {
    const code = "import { createActor } from 'xstate';\nexport const a = createActor;";
    await expect(sketch(code, 'a')).rejects.toThrow(/createActor/);
  });

  test('a file may use types from anywhere in Stately Sketch', async () => {
    const code = "import type { Ten } from './ten.ts';\nexport const a: Ten = 10;";
    await expect(sketch(code, 'a')).resolves.toBe(10);
  });
});
