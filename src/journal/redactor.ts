import { messageOf } from '../hooks/message-of.ts';
import { readRedactEntries } from './redact-entries.ts';
import { replaceBounded } from './replace-bounded.ts';
import { hideSecrets, redacted, secretKeys } from './secrets.ts';

/** The longest text of a payload that is kept. */
const longestText = 10_000;
/** The most items of a list, or fields of an object, that are kept. */
const mostItems = 1_000;
const deepest = 20;
/** About how many characters one payload may take. */
const largest = 200_000;

/** Makes what happened fit to be told: without secrets, and not too long. */
export interface Redactor {
  readonly text: (text: string, longest?: number) => string;
  readonly value: (value: unknown) => unknown;
}

/**
 * A redactor for the entries of `hooksConfig.redact`. The values of keys that usually hold secrets
 * are redacted whatever the entries say.
 *
 * @example
 * redactor(['customer', '/\\bsk-\\w+/']).value({ customer: 'Ann', note: 'key sk-1' });
 * // { customer: '[redacted]', note: 'key [redacted]' }
 */
export function redactor(
  entries: readonly unknown[] = [],
  onProblem: (text: string) => void = () => undefined,
): Redactor {
  const { names, expressions } = readRedactEntries(entries);
  const isSecret = secretKeys(names);
  const hide = [
    hideSecrets(names),
    ...expressions.map((regex) => {
      let told = false;
      return replaceBounded(regex, () => {
        if (!told)
          onProblem(
            `hooksConfig.redact: /${regex.source}/ takes too long, so long texts are redacted as a whole; write a simpler expression`,
          );
        told = true;
      });
    }),
  ];

  /** Cut only afterwards, lest half a secret be left at the end. */
  const text = (whole: string, longest = longestText): string => {
    const hidden = hide.reduce((now, each) => each(now), whole.slice(0, 4 * longest));
    if (whole.length <= longest || hidden === redacted) return hidden;
    const kept = hidden.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '');
    return `${kept}… (${whole.length - longest} more characters)`;
  };

  const walk = (value: unknown, depth: number, room: { left: number }): unknown => {
    room.left -= 8;
    if (room.left <= 0 || depth > deepest) return '… (cut)';
    switch (typeof value) {
      case 'string': {
        const told = text(jsonWithin(value) ?? value, Math.min(longestText, room.left));
        room.left -= told.length;
        return told;
      }
      case 'bigint':
        return String(value);
      case 'object':
        return value === null ? null : walkObject(value, depth, room);
      case 'number':
      case 'boolean':
        return value;
      default:
        return undefined;
    }
  };

  const walkObject = (object: object, depth: number, room: { left: number }): unknown => {
    if (object instanceof Error) return walk(messageOf(object), depth, room);
    if (ArrayBuffer.isView(object)) return `… (${object.byteLength} bytes)`;
    if ('toJSON' in object && typeof object.toJSON === 'function')
      return walk((object.toJSON as () => unknown)(), depth + 1, room);
    if (Array.isArray(object)) {
      const items = object.slice(0, mostItems).map((item) => walk(item, depth + 1, room));
      return object.length > mostItems
        ? [...items, `… (${object.length - mostItems} more items)`]
        : items;
    }
    const fields: [string, unknown][] = [];
    const keys = Object.keys(object);
    for (const key of keys.slice(0, mostItems)) {
      if (room.left <= 0) break;
      room.left -= key.length;
      const value = (object as Readonly<Record<string, unknown>>)[key];
      fields.push([text(key, 200), isSecret(key) ? redacted : walk(value, depth + 1, room)]);
    }
    if (fields.length < keys.length)
      fields.push(['…', `${keys.length - fields.length} more fields`]);
    return Object.fromEntries(fields);
  };

  /** JSON within a text is looked through as if it were none: a hook's stdout, a tool's arguments. */
  const jsonWithin = (whole: string): string | undefined => {
    if (whole.length > 4 * longestText || !/^\s*[[{]/.test(whole)) return undefined;
    try {
      let found = false;
      const value: unknown = JSON.parse(whole, (key, inner: unknown) => {
        if (!isSecret(key)) return inner;
        found = true;
        return redacted;
      });
      return found ? JSON.stringify(value) : undefined;
    } catch {
      return undefined;
    }
  };

  return {
    text: (whole, longest) => text(jsonWithin(whole) ?? whole, longest),
    value: (value) => {
      try {
        return walk(value, 0, { left: largest });
      } catch {
        return '… (cannot be shown)';
      }
    },
  };
}
