import { endOfString } from './embedded-objects.ts';

interface Level {
  /** Where the object stands, as a prefix; absent where its keys are not looked at. */
  readonly path?: string;
  /** Those of the names that it had so far. */
  readonly seen: Set<string>;
}

const notLookedAt: Level = { seen: new Set() };

/**
 * The keys among `names` that stand twice in a JSON object, or twice in an object inside of it under
 * one of `inside`. `JSON.parse` takes the last and does not tell.
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
  // A key with more characters is none of them, even if each of its letters is an escape.
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
      // It was parsed before, so that every string ends.
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
  return [...doubled];
}

const textOf = (inQuotes: string): string =>
  inQuotes.includes('\\') ? (JSON.parse(`"${inQuotes}"`) as string) : inQuotes;

const colonNext = /\s*:/y;

function isKey(json: string, end: number): boolean {
  colonNext.lastIndex = end;
  return colonNext.test(json);
}
