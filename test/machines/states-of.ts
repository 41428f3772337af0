import type { AnyStateMachine } from 'xstate';
import { nodesOf } from '../../visualizations/walk.ts';

/** The ids of all states of a machine, sorted. */
export const statesOf = (machine: AnyStateMachine): string[] =>
  nodesOf(machine)
    .filter((node) => node !== machine.root)
    .map(({ id }) => id)
    .toSorted();
