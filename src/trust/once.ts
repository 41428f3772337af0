/** Does a piece of work, or has what it came to the last time. */
export type Once = <T>(key: string, work: () => T) => T;

/** Remembers nothing: what is about to start is looked at as it is now. */
export const each: Once = (_key, work) => work();

/** For one look at many hooks: what is behind several of them is read, hashed and compared once. */
export function rememberAll(): Once {
  const known = new Map<string, unknown>();
  return <T>(key: string, work: () => T): T => {
    if (!known.has(key)) known.set(key, work());
    return known.get(key) as T;
  };
}
