/** Runs a piece of work, or returns the result of an earlier run with the same key. */
export type Once = <T>(key: string, work: () => T) => T;

/** Caches nothing: a hook that is about to start is checked in its current state. */
export const each: Once = (_key, work) => work();

/**
 * Returns a cache for checking many hooks at once: files that several of them share are read, hashed and
 * compared once.
 */
export function rememberAll(): Once {
  const known = new Map<string, unknown>();
  return <T>(key: string, work: () => T): T => {
    if (!known.has(key)) known.set(key, work());
    return known.get(key) as T;
  };
}
