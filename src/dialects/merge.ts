import { isDeepStrictEqual } from 'node:util';
import { isRecord, type HookOutput } from '../protocol/output.ts';
import type { Answer } from './answer.ts';

/** An answer with the name of the hook that gave it. */
export interface NamedAnswer {
  readonly hook: string;
  readonly answer: Answer;
}

/** Two hooks set the same field differently; the last in plan order won. */
export interface HookConflict {
  /** Such as `tool_input.command`. */
  readonly field: string;
  /** The hooks that set it, in plan order. */
  readonly hooks: readonly string[];
  readonly winner: string;
}

/** What all hooks of an event want together, and who wanted what. */
export interface MergedAnswers {
  /** Absent when no hook said anything. */
  readonly output?: HookOutput;
  readonly conflicts: readonly HookConflict[];
  /** By field, the hook whose value stands. */
  readonly setBy: Readonly<Record<string, string>>;
}

/** Fields set by hooks one after another: the last value stands, and differing earlier ones are remembered. */
export class FieldLedger {
  readonly #entries = new Map<string, { values: { hook: string; value: unknown }[] }>();

  set(field: string, hook: string, value: unknown): void {
    const entry = this.#entries.get(field) ?? { values: [] };
    entry.values.push({ hook, value });
    this.#entries.set(field, entry);
  }

  conflicts(): HookConflict[] {
    return [...this.#entries].flatMap(([field, { values }]) => {
      const last = values.at(-1)!;
      if (values.every(({ value }) => isDeepStrictEqual(value, last.value))) return [];
      return [{ field, hooks: [...new Set(values.map(({ hook }) => hook))], winner: last.hook }];
    });
  }

  setBy(): Record<string, string> {
    return Object.fromEntries(
      [...this.#entries].map(([field, { values }]) => [field, values.at(-1)!.hook]),
    );
  }
}

/** `hookSpecificOutput` as it is put together; a Map, because its keys are whatever a hook printed. */
export class SpecificFields {
  readonly #fields = new Map<string, unknown>();

  set(key: string, value: unknown): void {
    this.#fields.set(key, value);
  }

  /** Sets an object's keys over those it has already. */
  spread(key: string, value: Readonly<Record<string, unknown>>): void {
    const before = this.#fields.get(key);
    this.#fields.set(key, { ...(isRecord(before) ? before : {}), ...value });
  }

  has(key: string): boolean {
    return this.#fields.has(key);
  }

  delete(key: string): void {
    this.#fields.delete(key);
  }

  /** The output's field; absent when nothing was set. */
  toOutput(): Pick<HookOutput, 'hookSpecificOutput'> {
    return this.#fields.size === 0 ? {} : { hookSpecificOutput: Object.fromEntries(this.#fields) };
  }
}

/** The texts that are there, one a line; undefined when there is none. */
export function joinTexts(texts: readonly (string | undefined)[]): string | undefined {
  const present = texts.filter((text) => text !== undefined && text !== '');
  return present.length === 0 ? undefined : present.join('\n');
}

/** An object without the keys whose value is undefined. */
export function defined<T extends object>(object: {
  [Key in keyof T]: T[Key] | undefined;
}): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
