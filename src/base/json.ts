/** Whether a value is an object and not an array. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of an object; none if the value is not an object. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isRecord(value) ? value : {};

/**
 * What a table has under a name that comes from outside. Every object inherits names, such as `constructor`,
 * which no table means.
 */
export const inTable = <Value>(
  table: { readonly [name: string]: Value },
  name: string,
): Value | undefined => (Object.hasOwn(table, name) ? table[name] : undefined);

/** Returns the object without the keys whose value is undefined. */
export function defined<T extends object>(object: {
  [Key in keyof T]: T[Key] | undefined;
}): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}

/*
 * How much JSON is judged. Beyond that, an event is denied without having been judged, because the code that
 * writes or compares its values is recursive, and some of that code is not ours.
 */

/** How deep values may be nested. */
export const deepest = 1_000;

/** How large an event may be, in bytes. */
export const mostBytes = 64 * 1024 * 1024;

/** Says that something is over a limit. */
export const overDepth = 'is nested more than 1,000 levels deep';
export const overSize = 'is larger than 64 MiB';

/** Whether a value in the form of JSON is nested too deep; one that runs in a circle has no such form. */
export function isNestedTooDeep(value: object): boolean {
  const left: { readonly inside: object; readonly depth: number }[] = [{ inside: value, depth: 1 }];
  // The last is taken first, so that a circle is found before much of it is walked.
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { inside, depth } = next;
    if (depth > deepest) return !isCircular(value);
    if (ArrayBuffer.isView(inside)) continue;
    for (const item of Object.values(inside) as readonly unknown[])
      if (typeof item === 'object' && item !== null) left.push({ inside: item, depth: depth + 1 });
  }
  return false;
}

function isCircular(value: object): boolean {
  try {
    JSON.stringify(value);
    return false;
  } catch (error) {
    // Too deep for the stack would be a RangeError.
    return (error as Error).name === 'TypeError';
  }
}

/** Whether a JSON text is nested too deep. It is read only once, because large outputs must stay cheap. */
export function isTooDeep(json: string): boolean {
  if (json.length <= deepest) return false;
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (inText) {
      if (character === '\\') at++;
      else if (character === '"') inText = false;
    } else if (character === '"') inText = true;
    else if (character === '{' || character === '[') {
      if (++depth > deepest) return true;
    } else if (character === '}' || character === ']') depth--;
  }
  return false;
}
