import { isError } from '../../base/errors.ts';
import { redactShapes } from './known-shapes.ts';
import { redactAddresses } from './redact-addresses.ts';
import { redactAssigned } from './redact-assigned.ts';
import { redactCommands } from './redact-commands.ts';
import { readRedactEntries } from './redact-entries.ts';
import { redactJson } from './redact-json.ts';
import { redactLoose } from './redact-loose.ts';
import { redactMarkup } from './redact-markup.ts';
import { boundedExpressions } from './replace-bounded.ts';
import { secretItems } from './secret-items.ts';
import { redacted, secretFields, secretKeys, withoutInvisible } from './secrets.ts';
import { counted } from '../../base/counted.ts';
import { messageOf } from '../../base/message-of.ts';

/** The longest text of a payload that is kept, in characters. */
const longestText = 10_000;
/** How much of a text is examined, however little of it is kept. */
const mostSeen = 4 * longestText;
/** The most items of a list, or fields of an object, that are kept. */
const mostItems = 1_000;
const deepest = 20;
/** How many short texts are cached: names and reasons occur again and again. */
const mostKnown = 200;
const longestKnown = 500;
/** The approximate limit of one payload, in characters. */
const largest = 200_000;

const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/;

/** Makes recorded data fit to be shown: without secrets, and not too long. */
export interface Redactor {
  readonly text: (text: string, longest?: number) => string;
  /** Redacts the id of a call: in a UUID, only what the entries name. */
  readonly id: (id: string, longest?: number) => string;
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
export const redactor = (
  entries: readonly unknown[] = [],
  onProblem: (text: string) => void = () => undefined,
): Redactor => new Hiding(entries, onProblem);

/** How much of a value may still be shown. */
interface Room {
  left: number;
}

class Hiding implements Redactor {
  readonly #isSecret: ReturnType<typeof secretKeys>;
  readonly #hideAssigned: (text: string) => string;
  readonly #expressions: ReturnType<typeof boundedExpressions>;
  readonly #known = new Map<string, string>();

  constructor(entries: readonly unknown[], onProblem: (text: string) => void) {
    const { names, expressions } = readRedactEntries(entries);
    this.#isSecret = secretKeys(names);
    this.#hideAssigned = redactAssigned(this.#isSecret, names);
    this.#expressions = boundedExpressions(expressions, ({ source }) =>
      onProblem(
        `hooksConfig.redact: /${source}/ takes too long, so long texts are redacted as a whole; write a simpler expression`,
      ),
    );
  }

  // Functions of their own, because they are handed on alone.
  readonly text = (whole: string, longest = longestText): string => {
    // A text that is not cut has the same result for any limit.
    if (whole.length > Math.min(longest, longestKnown))
      return this.#watched(() => this.#cut(whole, longest));
    let shown = this.#known.get(whole);
    if (shown === undefined) {
      shown = this.#watched(() => this.#cut(whole, longest));
      if (this.#known.size === mostKnown) this.#known.clear();
      this.#known.set(whole, shown);
    }
    return shown;
  };

  readonly id = (id: string, longest?: number): string =>
    uuid.test(id) ? this.#watched(() => this.#expressions.hide(id)) : this.text(id, longest);

  readonly value = (value: unknown): unknown => {
    try {
      return this.#expressions.watch(() => this.#walk(value, 0, { left: largest }));
    } catch {
      return '… (cannot be shown)';
    }
  };

  #watched(work: () => string): string {
    try {
      return this.#expressions.watch(work);
    } catch {
      return redacted;
    }
  }

  #hide(text: string): string {
    const hide = (inner: string): string => this.#hide(inner);
    const inJson = redactJson(withoutInvisible(text), this.#isSecret, hide);
    const assigned = this.#hideAssigned(redactMarkup(inJson, this.#isSecret));
    const named = redactAddresses(redactCommands(assigned));
    return this.#expressions.hide(redactShapes(redactLoose(named)));
  }

  /** Cuts only after hiding, so that no half of a secret is left at the end. */
  #cut(whole: string, longest: number): string {
    const hidden = this.#hide(whole.slice(0, mostSeen));
    if (whole.length <= longest || hidden === redacted) return hidden;
    // A match that extends beyond the examined part was not detected.
    const certain = whole.length > mostSeen ? Math.max(0, hidden.length - longestText) : Infinity;
    const length = Math.min(longest, certain);
    const kept = hidden.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
    return `${kept}… (${counted(whole.length - length, 'more character')})`;
  }

  #walk(value: unknown, depth: number, room: Room, field?: string): unknown {
    room.left -= 8;
    if (room.left <= 0 || depth > deepest) return '… (cut)';
    switch (typeof value) {
      case 'string': {
        const shown = this.#cut(value, Math.min(longestText, room.left));
        room.left -= shown.length;
        return shown;
      }
      case 'bigint':
        return String(value);
      case 'object':
        return value === null ? null : this.#walkObject(value, depth, room, field);
      case 'number':
      case 'boolean':
        return value;
      default:
        return undefined;
    }
  }

  #walkObject(object: object, depth: number, room: Room, field?: string): unknown {
    if (isError(object)) return this.#walk(messageOf(object), depth, room);
    if (ArrayBuffer.isView(object)) return `… (${object.byteLength} bytes)`;
    if ('toJSON' in object && typeof object.toJSON === 'function')
      return this.#walk((object.toJSON as () => unknown)(), depth + 1, room);
    return Array.isArray(object)
      ? this.#walkItems(object, depth, room, field)
      : this.#walkFields(object, depth, room);
  }

  #walkItems(list: readonly unknown[], depth: number, room: Room, field?: string): unknown[] {
    const kept = list.slice(0, mostItems);
    const isSecretItem = secretItems(kept, this.#isSecret, field);
    const items = kept.map((item, index) =>
      isSecretItem(index) ? redacted : this.#walk(item, depth + 1, room),
    );
    return list.length > mostItems
      ? [...items, `… (${counted(list.length - mostItems, 'more item')})`]
      : items;
  }

  #walkFields(object: object, depth: number, room: Room): object {
    const fields: [string, unknown][] = [];
    const keys = Object.keys(object);
    const isSecretField = secretFields(object, this.#isSecret);
    for (const key of keys.slice(0, mostItems)) {
      if (room.left <= 0) break;
      room.left -= key.length;
      const value = (object as Readonly<Record<string, unknown>>)[key];
      fields.push([
        this.#cut(key, 200),
        isSecretField(key, value) ? redacted : this.#walk(value, depth + 1, room, key),
      ]);
    }
    if (fields.length < keys.length)
      fields.push(['…', counted(keys.length - fields.length, 'more field')]);
    return Object.fromEntries(fields);
  }
}
