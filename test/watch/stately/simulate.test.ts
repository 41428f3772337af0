import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  initialTransition,
  transition,
  type AnyMachineSnapshot,
  type AnyStateMachine,
} from 'xstate';
import { sketch } from '../../machines/sketch.ts';
import { stubs } from '../../machines/stubs.ts';

const folder = new URL('../../../machines/', import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));

/**
 * Finds every snapshot that can be reached by bare events, one per state: a simulator knows no outputs, and
 * is given an input.
 */
function simulated(machine: AnyStateMachine, input: object): Map<string, AnyMachineSnapshot> {
  const seen = new Map<string, AnyMachineSnapshot>();
  const [first] = initialTransition(machine, input);
  const open: AnyMachineSnapshot[] = [first];
  for (let snapshot = open.pop(); snapshot; snapshot = open.pop()) {
    const state = JSON.stringify([snapshot.status, snapshot.value]);
    if (seen.has(state)) continue;
    seen.set(state, snapshot);
    if (snapshot.status !== 'active') continue;
    // A simulator does not offer an error that no state handles as a step.
    for (const type of machine.events)
      if (snapshot.can({ type })) open.push(transition(machine, snapshot, { type })[0]);
  }
  return seen;
}

describe.each(files)('%s in a simulator such as Stately Sketch’s', async (file) => {
  const code = readFileSync(new URL(file, folder), 'utf8');
  const name = `${file.replace(/\.ts$/, '').replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())}Machine`;
  const machine = (await sketch(code, name)) as AnyStateMachine;

  test('the source of a machine is recognized as XState code', () => {
    expect(code).not.toMatch(/^\s*(?:stateDiagram|flowchart|graph\s)/m);
    expect(code).toMatch(/\bsetup\s*\(/);
  });

  const input = stubs[file.replace(/\.ts$/, '')]!;

  test('a machine begins in a simulator if it is given an input', () => {
    const [snapshot] = initialTransition(machine, input);
    expect(snapshot.error).toBeUndefined();
    expect(snapshot.status).toBe('active');
  });

  test('a machine without an input ends in an error, and allows nothing', () => {
    const [snapshot] = initialTransition(machine);
    expect(snapshot.status).toBe('error');
  });

  test('a machine survives events without data', () => {
    const broken = [...simulated(machine, input)].flatMap(([state, { status, error }]) =>
      status === 'error' ? [[state, String(error)]] : [],
    );
    expect(broken).toEqual([]);
  });
});
