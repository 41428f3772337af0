import { isDeepStrictEqual } from 'node:util';
import type { HookConflict } from './verdict.ts';

interface Field {
  value: unknown;
  readonly hooks: string[];
  differs: boolean;
}

/** From so many fields on, an object that one hook set is remembered as a whole. */
const tooManyToName = 1_000;

/**
 * Fields that hooks set one after another: the last value stands, and who set it is remembered.
 * Maps, because the names are whatever a hook printed, `__proto__` included.
 */
export class FieldSet {
  readonly #fields = new Map<string, Field>();
  /** Objects that only one hook has set so far; they may be large, so they are taken apart when a second comes. */
  readonly #whole = new Map<string, { value: Readonly<Record<string, unknown>>; hook: string }>();
  readonly #inner = new Map<string, FieldSet>();

  set(name: string, value: unknown, hook: string): void {
    const field = this.#fields.get(name);
    if (field === undefined) {
      this.#fields.set(name, { value, hooks: [hook], differs: false });
      return;
    }
    field.differs ||= !isDeepStrictEqual(field.value, value);
    field.value = value;
    field.hooks.push(hook);
  }

  /** Sets an object's own fields over those it has already. A field is either always set or always spread. */
  spread(name: string, value: Readonly<Record<string, unknown>>, hook: string): void {
    const whole = this.#whole.get(name);
    let inner = this.#inner.get(name);
    if (whole === undefined && inner === undefined) {
      this.#whole.set(name, { value, hook });
      return;
    }
    if (inner === undefined) this.#inner.set(name, (inner = new FieldSet()));
    if (whole !== undefined) inner.#setAll(whole.value, whole.hook);
    this.#whole.delete(name);
    inner.#setAll(value, hook);
  }

  toObject(): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    for (const [name, { value }] of this.#fields) entries.push([name, value]);
    for (const [name, { value }] of this.#whole) entries.push([name, value]);
    for (const [name, inner] of this.#inner) entries.push([name, inner.toObject()]);
    return Object.fromEntries(entries);
  }

  conflicts(): HookConflict[] {
    const found: HookConflict[] = [];
    for (const [field, { hooks, differs }] of this.#paths())
      if (differs) found.push({ field, hooks, winner: hooks.at(-1)! });
    return found;
  }

  setBy(): Record<string, string> {
    const setters: [string, string][] = [];
    for (const [field, { hooks }] of this.#paths()) setters.push([field, hooks.at(-1)!]);
    for (const [name, { value, hook }] of this.#whole) {
      const keys = Object.keys(value);
      if (keys.length >= tooManyToName) setters.push([name, hook]);
      else for (const key of keys) setters.push([`${name}.${key}`, hook]);
    }
    return Object.fromEntries(setters);
  }

  #setAll(object: Readonly<Record<string, unknown>>, hook: string): void {
    for (const key of Object.keys(object)) this.set(key, object[key], hook);
  }

  *#paths(): Generator<[string, Field]> {
    yield* this.#fields;
    for (const [name, inner] of this.#inner)
      for (const [key, field] of inner.#paths()) yield [`${name}.${key}`, field];
  }
}

/** The texts that are there, one a line; undefined when there is none. */
export function joinTexts(texts: readonly (string | undefined)[]): string | undefined {
  const present = texts.filter((text) => text !== undefined && text !== '');
  return present.length === 0 ? undefined : present.join('\n');
}
