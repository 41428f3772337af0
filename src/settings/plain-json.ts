/** Deeper than settings are, and far from where any parser gives up. */
const deepest = 50;

/**
 * The value of a JSON text without comments, trailing commas or keys that stand more than once;
 * undefined for any other text. Its objects have no prototype, so that no inherited name is taken
 * for a key.
 */
export function parsePlainJson(source: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(source);
    return keysIn(value, 0) === keysWritten(source) ? { value } : undefined;
  } catch {
    return undefined;
  }
}

/** How many keys the objects of a value have, whose prototypes it takes away. */
function keysIn(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > deepest) return Number.NaN;
  if (!Array.isArray(value)) Object.setPrototypeOf(value, null);
  const inner = Object.values(value);
  return inner.reduce<number>(
    (count, each) => count + keysIn(each, depth + 1),
    Array.isArray(value) ? 0 : inner.length,
  );
}

/** How many keys a valid JSON text writes: texts before a colon. */
function keysWritten(json: string): number {
  let count = 0;
  for (const [, colon] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"\s*(:?)/g)) if (colon) count++;
  return count;
}
