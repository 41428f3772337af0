import type { StateValue } from 'xstate';

/** A state by its path, such as `beforeHooks.running`. */
export const pathOf = (value: StateValue): string =>
  typeof value === 'string'
    ? value
    : Object.entries(value)
        .map(([state, inner]) => (inner ? `${state}.${pathOf(inner)}` : state))
        .join(' ');
