import { inspect } from 'node:util';

/** What was thrown, or given as the reason of an abort, as a text; anything can be, so nothing is assumed of it. */
export const messageOf = (thrown: unknown): string => {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  return typeof thrown === 'string' ? thrown : inspect(thrown);
};
