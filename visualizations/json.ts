import type { AnyStateMachine } from 'xstate';
import { guardName } from './condition.ts';

/** Returns a machine's config as JSON that Stately's tools and `createMachine` can read. */
export const jsonOf = (machine: AnyStateMachine): string =>
  `${JSON.stringify(machine.config, nameFunctions, 2)}\n`;

/** A built-in action or guard is a function with a type; a mapper is plain code, and is left out. */
function nameFunctions(key: string, value: unknown): unknown {
  if (typeof value !== 'function') return value;
  if (key === 'guard') return { type: guardName(value) };
  return 'type' in value ? { type: value.type } : undefined;
}
