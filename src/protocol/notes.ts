/** What to tell a hook's author whose value was left out: where it stood, what it was, what it must be. */
export const ignored = (path: string, value: unknown, wanted: string): string =>
  `${path} is ${shown(value)} and was ignored: it must be ${wanted}`;

const longest = 60;

/** A value as it may stand in a message: short, whatever its size. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, longest)) : String(value);
  return text.length > longest ? `${text.slice(0, longest - 3)}...` : text;
}
