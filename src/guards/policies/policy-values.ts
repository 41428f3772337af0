import { isRecord } from '../../base/json.ts';
import type { PolicyValue } from './engine.ts';

/** How deep values are compared; anything deeper is its JSON. */
const mostDepth = 12;

/** Names with which Cedar's JSON says that a record is something else than a record. */
const escapes = ['__entity', '__extn', '__expr'];

/** @throws an error for what is nested so deeply that nobody could write it as JSON */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new Error('its arguments are nested too deeply to be judged', { cause });
  }
}

/** Replaces halves of characters, which no other language can read, in texts and in names. */
export const wellFormed = <Value>(value: Value): Value =>
  /\\ud[89a-f]/.test(JSON.stringify(value))
    ? (JSON.parse(JSON.stringify(value), (_, one: unknown) => repaired(one)) as Value)
    : value;

const repaired = (value: unknown): unknown =>
  typeof value === 'string'
    ? Buffer.from(value).toString()
    : isRecord(value)
      ? Object.fromEntries(
          Object.entries(value).map(([key, one]) => [Buffer.from(key).toString(), one]),
        )
      : value;

/**
 * Turns a call's arguments into values that policies can compare: whole numbers stay numbers, all others become
 * texts, and nothing stands for null. A model chose these values, so nothing in them may be read as an entity.
 */
export function policyValue(value: unknown, depth = 0): PolicyValue | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
      return value;
    case 'number':
      return Number.isSafeInteger(value) ? value : String(value);
    default:
  }
  if (Array.isArray(value))
    return depth >= mostDepth
      ? jsonOf(value)
      : value.flatMap((one) => policyValue(one, depth + 1) ?? []);
  if (!isRecord(value)) return undefined;
  if (depth >= mostDepth || escapes.some((key) => Object.hasOwn(value, key))) return jsonOf(value);
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => {
      const made = policyValue(one, depth + 1);
      return made === undefined ? [] : [[key, made]];
    }),
  );
}

/** Returns arguments as texts by their names. */
export const policyTags = (input: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(input).flatMap(([key, value]) =>
      value === null || value === undefined
        ? []
        : [[key, typeof value === 'string' ? value : jsonOf(value)]],
    ),
  );
