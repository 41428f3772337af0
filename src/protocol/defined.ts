/** An object without the keys whose value is undefined. */
export function defined<T extends object>(object: {
  [Key in keyof T]: T[Key] | undefined;
}): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
