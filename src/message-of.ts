import { isError } from './errors.ts';

/**
 * Returns the text of a thrown value or of an abort's reason. It may be anything, so nothing is assumed about
 * it.
 */
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

/** Returns a thrown value as an error; anything else becomes the cause of a new one. */
export const errorOf = (thrown: unknown): Error =>
  isError(thrown) ? thrown : new Error(messageOf(thrown), { cause: thrown });
