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

/**
 * Returns a thrown value as an error; anything else becomes the cause of a new one. An error that does not
 * simply have its message is replaced, because reading it may throw.
 */
export const errorOf = (thrown: unknown): Error => {
  if (!isError(thrown)) return new Error(messageOf(thrown), { cause: thrown });
  return hasPlainTexts(thrown) ? thrown : new Error(messageOf(thrown));
};

function hasPlainTexts(error: Error): boolean {
  try {
    return ['message', 'name', 'cause'].every((name) => {
      const own = Object.getOwnPropertyDescriptor(error, name);
      return own === undefined
        ? name === 'cause' || typeof error[name as 'name'] === 'string'
        : 'value' in own && (name === 'cause' || typeof own.value === 'string');
    });
  } catch {
    return false;
  }
}

/** Describes a value in a few words that continue "it …". */
export function said(value: unknown): string {
  if (value === undefined) return 'is missing';
  if (Array.isArray(value)) return 'is an array';
  if (typeof value === 'object' && value !== null) return 'is an object';
  const text =
    typeof value === 'string'
      ? JSON.stringify(value.slice(0, 100))
      : process.getBuiltinModule('node:util').inspect(value);
  return `is ${text.length > 60 ? `${text.slice(0, 57)}...` : text}`;
}
