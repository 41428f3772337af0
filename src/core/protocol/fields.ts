import type { HookEventName } from './events.ts';
import type { HookEventFields } from './input.ts';
import { isRecord } from '../../base/json.ts';

/** One field of an object from outside. Reading it returns the value to use, and reports its faults. */
export interface Field<T, Absent extends boolean = false> {
  /** Whether the field may be omitted. */
  readonly mayBeAbsent: Absent;
  readonly read: (value: unknown, path: string, faults: string[]) => T;
}

/** The fields of an object, by name. */
export type Shape = Readonly<Record<string, Field<unknown, boolean>>>;

type ValueOf<F> = F extends Field<infer T, boolean> ? T : never;
type AbsentIn<S extends Shape> = {
  [Name in keyof S]: S[Name] extends Field<unknown, true> ? Name : never;
}[keyof S];

/** An object with the fields of a shape and any others. */
export type Shaped<S extends Shape> = {
  [Name in Exclude<keyof S, AbsentIn<S>>]: ValueOf<S[Name]>;
} & {
  [Name in AbsentIn<S>]?: ValueOf<S[Name]> | undefined;
} & { [name: string]: unknown };

const field = <T>(fits: (value: unknown) => boolean, wanted: string): Field<T> => ({
  mayBeAbsent: false,
  read(value, path, faults) {
    if (!fits(value)) faults.push(`"${path}" must be ${wanted}`);
    return value as T;
  },
});

/** A string. */
export const text = field<string>((value) => typeof value === 'string', 'a string');

/** True or false. */
export const flag = field<boolean>((value) => typeof value === 'boolean', 'true or false');

/** Any value, as long as it is present. */
export const anything: Field<unknown> = { mayBeAbsent: false, read: (value) => value };

/** One of these strings. */
export const oneOf = <const T extends string>(
  values: readonly T[],
  or = `one of ${values.join(', ')}`,
) => field<T>((value) => (values as readonly unknown[]).includes(value), or);

/** A plain object with any content; the value is a copy of it. */
export const object: Field<Record<string, unknown>> = {
  mayBeAbsent: false,
  read(value, path, faults) {
    if (isPlainObject(value)) return withoutPrototype(value);
    faults.push(`"${path}" must be an object`);
    return {};
  },
};

/** A field that may be omitted. */
export const optional = <T>({ read }: Field<T>): Field<T | undefined, true> => ({
  mayBeAbsent: true,
  read: (value, ...rest) => (value === undefined ? undefined : read(value, ...rest)),
});

/** A field that may be omitted, with a default. */
export const withDefault = <T>({ read }: Field<T>, fallback: () => NoInfer<T>): Field<T, true> => ({
  mayBeAbsent: true,
  read: (value, ...rest) => (value === undefined ? fallback() : read(value, ...rest)),
});

/** A list of objects with these fields. */
export const listOf = <S extends Shape>(shape: S, wanted: string): Field<Shaped<S>[]> => ({
  mayBeAbsent: false,
  read(value, path, faults) {
    if (Array.isArray(value))
      return value.map((item, index) => readShape(shape, item, faults, `${path}.${index}`));
    faults.push(`"${path}" must be ${wanted}`);
    return [];
  },
});

/**
 * Returns the object with its fields checked, these first and then all others; faults are reported, one
 * sentence per field.
 */
export function readShape<S extends Shape>(
  shape: S,
  given: unknown,
  faults: string[],
  path = '',
): Shaped<S> {
  const read: Record<string, unknown> = {};
  if (isRecord(given)) {
    for (const [name, { read: readField }] of Object.entries(shape)) {
      const value = readField(given[name], path === '' ? name : `${path}.${name}`, faults);
      if (value !== undefined || name in given) read[name] = value;
    }
    for (const [name, value] of Object.entries(withoutPrototype(given)))
      if (!Object.hasOwn(shape, name)) read[name] = value;
  } else faults.push(path === '' ? 'they must be an object' : `"${path}" must be an object`);
  return read as Shaped<S>;
}

/** `__proto__` as a key of JSON would become the prototype of a copy. */
function withoutPrototype(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { ['__proto__']: _, ...rest } = value;
  return rest;
}

/** Whether a value is an object in JSON's sense, and not an instance of a class. */
const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isRecord(value) && !isClass(value['constructor']);

/** Only `Object`, of this realm or of another, has `isPrototypeOf` on its own prototype. */
const isClass = (made: unknown): boolean =>
  typeof made === 'function' && !Object.hasOwn(Object(made.prototype), 'isPrototypeOf');

/**
 * The required shape of each event's own fields from outside. More fields are
 * tolerated.
 */
const shapes = {
  BeforeTool: { tool_name: text, tool_input: object },
  AfterTool: { tool_name: text, tool_input: object, tool_response: object },
  BeforeAgent: { prompt: text },
  AfterAgent: {
    prompt: text,
    prompt_response: text,
    stop_hook_active: withDefault(flag, () => false),
  },
  BeforeModel: { llm_request: object },
  AfterModel: { llm_request: object, llm_response: object },
  BeforeToolSelection: { llm_request: object },
  SessionStart: { source: oneOf(['startup', 'resume', 'clear', 'compress']) },
  SessionEnd: { reason: oneOf(['exit', 'clear', 'logout', 'prompt_input_exit', 'other']) },
  PreCompress: { trigger: oneOf(['manual', 'auto']) },
  Notification: {
    notification_type: text,
    message: text,
    details: withDefault(object, () => ({})),
  },
  ToolPermission: { tool_name: text, tool_input: object },
  ToolFailed: { tool_name: text, tool_input: object, error: text },
  SubagentStart: { agent_id: text, agent_type: text },
  SubagentStop: {
    agent_id: text,
    agent_type: text,
    stop_hook_active: withDefault(flag, () => false),
  },
  PostCompress: { trigger: oneOf(['manual', 'auto']) },
} satisfies Readonly<Record<string, Shape>>;

/**
 * An event's fields as they may arrive from outside: without defaults, and with model calls in an unchecked
 * format.
 */
export type OutsideEventFields = {
  [Event in keyof typeof shapes]: Shaped<(typeof shapes)[Event]>;
};

/** Whether a value has all fields that an event needs; does not throw for any value. */
export function isEventFields<Event extends keyof typeof shapes>(
  event: Event,
  value: unknown,
): value is OutsideEventFields[Event] {
  try {
    return 'fields' in checkEventFields(event, value);
  } catch {
    return false;
  }
}

/** Checks an event's fields from outside, and returns them or their faults, one sentence per field. */
export function checkEventFields<Event extends HookEventName>(
  event: Event,
  value: unknown,
): { fields: HookEventFields[Event] } | { faults: string[] } {
  const faults: string[] = [];
  const fields = readShape((shapes as Readonly<Record<string, Shape>>)[event] ?? {}, value, faults);
  return faults.length > 0 ? { faults } : { fields: fields as unknown as HookEventFields[Event] };
}
