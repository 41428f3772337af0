import { isNestedTooDeep, isRecord, isTooDeep, overDepth } from '../../base/json.ts';

const code = (character: string): number => character.charCodeAt(0);
const quote = code('"');
const backslash = code('\\');
const openBrace = code('{');
const closeBrace = code('}');
const openBracket = code('[');
const closeBracket = code(']');
const colon = code(':');
const comma = code(',');

/** A JSON number or one of JSON's three names, at `lastIndex`. */
const literal = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** What may come next inside an object or a list. */
type Wanted = 'key or end' | 'key' | 'colon' | 'value' | 'value or end' | 'comma or end';

interface Open {
  readonly start: number;
  readonly isObject: boolean;
}

/**
 * Yields the outermost JSON objects in a text, whatever surrounds them. It takes linear time: a brace
 * that one attempt has read as the beginning of an object is not tried again, and two attempts that
 * overlap differ in what they take for a string.
 */
export function* embeddedObjects(text: string): Generator<string> {
  const tried = new Uint8Array(text.length);
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) {
    if (tried[at] === 1) continue;
    for (const [start, end] of completedFrom(text, at, tried)) yield text.slice(start, end);
  }
}

/** A text with more objects than this is not a hook's answer. */
const mostObjects = 20;

/** Returns the first objects in a text, whatever surrounds them. */
function objectsIn(text: string): Readonly<Record<string, unknown>>[] {
  const found: Readonly<Record<string, unknown>>[] = [];
  for (const json of embeddedObjects(text)) {
    const fields = parseObject(json);
    if (fields) found.push(fields);
    if (found.length === mostObjects) break;
  }
  return found;
}

/** Whether a text is JSON of any kind. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Parses a text that is one JSON object from its first character to its last; undefined for any other. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads JSON from a brace to where it ends or breaks; returns the outermost objects completed by then. */
function completedFrom(text: string, from: number, tried: Uint8Array): [number, number][] {
  const completed: [number, number][] = [];
  const open: Open[] = [];
  let wanted: Wanted = 'value';
  for (let at = from; at < text.length; at++) {
    const next = text.charCodeAt(at);
    if (isSpace(next)) continue;
    const wantsKey: boolean = wanted === 'key' || wanted === 'key or end';
    const wantsValue: boolean = wanted === 'value' || wanted === 'value or end';
    switch (next) {
      case quote: {
        const last = wantsKey || wantsValue ? endOfString(text, at) : -1;
        if (last === -1) return completed;
        at = last;
        wanted = wantsKey ? 'colon' : 'comma or end';
        break;
      }
      case openBrace:
      case openBracket: {
        if (!wantsValue) return completed;
        const isObject = next === openBrace;
        if (isObject) tried[at] = 1;
        open.push({ start: at, isObject });
        wanted = isObject ? 'key or end' : 'value or end';
        break;
      }
      case closeBrace:
      case closeBracket: {
        const isObject = next === closeBrace;
        const mayEnd: boolean =
          wanted === 'comma or end' || wanted === (isObject ? 'key or end' : 'value or end');
        const last = open.pop()!;
        if (!mayEnd || last.isObject !== isObject) return completed;
        if (isObject) addOutermost(completed, last.start, at + 1);
        if (open.length === 0) return completed;
        wanted = 'comma or end';
        break;
      }
      case colon:
        if (wanted !== 'colon') return completed;
        wanted = 'value';
        break;
      case comma:
        if (wanted !== 'comma or end') return completed;
        wanted = open.at(-1)!.isObject ? 'key' : 'value';
        break;
      default: {
        literal.lastIndex = at;
        if (!wantsValue || !literal.test(text)) return completed;
        at = literal.lastIndex - 1;
        wanted = 'comma or end';
      }
    }
  }
  return completed;
}

/** Adds an object, which replaces those inside it. */
function addOutermost(completed: [number, number][], start: number, end: number): void {
  while (completed.length > 0 && completed.at(-1)![0] > start) completed.pop();
  completed.push([start, end]);
}

const isSpace = (next: number): boolean =>
  next === 0x20 || next === 0x0a || next === 0x0d || next === 0x09;

/** Returns where the string that begins here ends; -1 if it does not end or holds what a string may not. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const next = text.charCodeAt(at);
    if (next === quote) return at;
    if (next < 0x20) return -1;
    if (next === backslash) at++;
  }
  return -1;
}

interface Level {
  /** The prefix of the object's keys; absent if its keys are not checked. */
  readonly path?: string;
  /** The names that it has had so far. */
  readonly seen: Set<string>;
}

const notLookedAt: Level = { seen: new Set() };

/**
 * Returns notes about the keys among `names` that occur twice in a JSON object, or twice in an object
 * inside it under one of `inside`. `JSON.parse` silently takes the last.
 */
export function doubledKeys(
  json: string,
  names: readonly string[],
  inside: readonly string[] = [],
  same: (key: string) => string = (key) => key,
): string[] {
  const doubled = new Set<string>();
  const levels: Level[] = [];
  const looked = new Set([...names, ...inside]);
  // A key with more characters cannot be one of them, even if each of its letters is an escape.
  const longest = 6 * Math.max(...[...looked].map((name) => name.length));
  const begin = (isObject: boolean, key: string): void => {
    const outer = levels.at(-1);
    const path =
      outer === undefined
        ? ''
        : outer.path !== undefined && inside.includes(key)
          ? `${outer.path}${key}.`
          : undefined;
    levels.push(isObject && path !== undefined ? { path, seen: new Set() } : notLookedAt);
  };
  let key = '';
  for (let at = 0; at < json.length; at++) {
    const next = json[at];
    if (next === '{' || next === '[') begin(next === '{', key);
    else if (next === '}' || next === ']') levels.pop();
    else if (next === '"') {
      const end = endOfString(json, at);
      // The text was parsed before, so every string ends.
      if (end === -1) break;
      const level = levels.at(-1);
      if (level?.path !== undefined && isKey(json, end + 1)) {
        key = end - at - 1 > longest ? '' : same(textOf(json.slice(at + 1, end)));
        if (looked.has(key)) {
          if (level.seen.has(key) && names.includes(key)) doubled.add(`${level.path}${key}`);
          level.seen.add(key);
        }
      }
      at = end;
    }
  }
  return [...doubled].map((path) => `"${path}" was given more than once: the last one counts`);
}

const textOf = (inQuotes: string): string =>
  inQuotes.includes('\\') ? (JSON.parse(`"${inQuotes}"`) as string) : inQuotes;

const colonNext = /\s*:/y;

function isKey(json: string, end: number): boolean {
  colonNext.lastIndex = end;
  return colonNext.test(json);
}

/** What a hook printed on stdout. */
export interface Printed {
  readonly kind: 'nothing' | 'text' | 'object';
  /** Without white space around it. */
  readonly text: string;
  /** What it says, if it is one object and nothing else. */
  readonly fields: Fields;
  /** The objects in it, whatever surrounds them. */
  readonly objects: readonly Fields[];
  /** What is wrong with it although it can be read. */
  readonly notes: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads what was printed: one object and nothing else is an answer, whatever white space surrounds it. */
export function printedIn(printed: string): Printed {
  const text = printed.trim();
  const whole = parseObject(text);
  const base = { text, fields: {}, notes: [] };
  if (text === '') return { ...base, kind: 'nothing', objects: [] };
  if (whole === undefined) return { ...base, kind: 'text', objects: objectsIn(text) };
  const notes: string[] = [];
  const fields = isTooDeep(text) ? withoutDeepFields(whole, notes) : whole;
  return { kind: 'object', text, fields, objects: [fields], notes };
}

/** Parses a JSON text, which may be encoded twice; undefined if it is not JSON. */
export function parseTwice(
  text: string,
): { readonly value: unknown; readonly json: string } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string'
      ? { value: JSON.parse(value) as unknown, json: value }
      : { value, json: text };
  } catch {
    return undefined;
  }
}

/** Removes fields that are nested too deep; those of `hookSpecificOutput` are checked one by one. */
export function withoutDeepFields(
  object: Readonly<Record<string, unknown>>,
  notes: string[],
): Record<string, unknown> {
  const kept = Object.entries(object).flatMap(([name, value]): [string, unknown][] => {
    if (name === 'hookSpecificOutput' && isRecord(value))
      return [[name, withoutDeepFields(value, notes)]];
    if (typeof value !== 'object' || value === null || !isNestedTooDeep(value))
      return [[name, value]];
    notes.push(`"${name}" was ignored: it ${overDepth}`);
    return [];
  });
  return Object.fromEntries(kept);
}
