import { isError } from './errors.ts';

/** What was thrown, or given as the reason of an abort, as a text; anything can be, so nothing is assumed of it. */
export const messageOf = (thrown: unknown): string => {
  try {
    if (isError(thrown)) return thrown.message || thrown.name;
    return typeof thrown === 'string'
      ? thrown
      : process.getBuiltinModule('node:util').inspect(thrown);
  } catch {
    return 'something that cannot be shown';
  }
};

/** What was thrown as an error; anything but an error becomes the cause of one. */
export const errorOf = (thrown: unknown): Error =>
  isError(thrown) ? thrown : new Error(messageOf(thrown), { cause: thrown });
