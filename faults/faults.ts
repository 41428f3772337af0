import { endFaults } from './ends.ts';
import type { Fault } from './fault.ts';
import { guardFaults } from './guards.ts';
import { leftFaults } from './left-behind.ts';
import { scriptFaults } from './scripts.ts';
import { streamFaults } from './streams.ts';
import { surroundingFaults } from './surroundings.ts';

/** Every fault, by kind. */
export const faults: Readonly<Record<string, readonly Fault[]>> = {
  'The script': scriptFaults,
  'How it ends': endFaults,
  'What it leaves behind': leftFaults,
  'Its streams': streamFaults,
  'Its surroundings': surroundingFaults,
  'Attacks on it': guardFaults,
};

export const allFaults: readonly Fault[] = Object.values(faults).flat();
