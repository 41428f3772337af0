import { isDeepStrictEqual } from 'node:util';

/** Whether two values are equal. Those that are nested too deep to be compared are not, so they are judged. */
export function isSame(one: unknown, other: unknown): boolean {
  try {
    return isDeepStrictEqual(one, other);
  } catch {
    return false;
  }
}
