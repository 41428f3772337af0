import { isRecord } from './json.ts';

/** How deep a value may be nested. */
const mostDepth = 128;

/**
 * Returns the canonical JSON of a value (RFC 8785).
 *
 * @throws an error for what has no interoperable JSON form: it is never rewritten
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > mostDepth) throw new Error('it is nested too deeply');
  switch (typeof value) {
    case 'number':
      if (!Number.isFinite(value)) throw new Error('a number is not finite');
      // A number that is written with an exponent was never meant as an identifier.
      if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21)
        throw new Error('integer exceeds 2^53; string-encode 64-bit identifiers');
      return JSON.stringify(value);
    case 'string':
      if (/\p{Surrogate}/u.test(value)) throw new Error('a text holds half a character');
      return JSON.stringify(value);
    case 'boolean':
      return String(value);
    default:
  }
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value))
    return `[${value.map((one) => canonicalJson(one, depth + 1)).join(',')}]`;
  if (!isRecord(value)) throw new Error('a value has no JSON form');
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    // By UTF-16 code units, as the language compares.
    .toSorted((one, other) => (one < other ? -1 : 1))
    .map((key) => `${canonicalJson(key, depth)}:${canonicalJson(value[key], depth + 1)}`);
  return `{${members.join(',')}}`;
}
