const code = (character: string): number => character.charCodeAt(0);
const quote = code('"');
const backslash = code('\\');
const openBrace = code('{');
const closeBrace = code('}');
const openBracket = code('[');
const closeBracket = code(']');
const colon = code(':');
const comma = code(',');

/** A number or one of the three names of JSON, from where it is set. */
const literal = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** What may come next inside of an object or a list. */
type Wanted = 'key or end' | 'key' | 'colon' | 'value' | 'value or end' | 'comma or end';

interface Open {
  readonly start: number;
  readonly isObject: boolean;
}

/**
 * The JSON objects that stand in a text, the largest ones, whatever is around them. The time it takes
 * grows with the text and no faster: a brace that one attempt has read as the beginning of an object
 * is not tried again, and two attempts that overlap differ in what they take for a string.
 */
export function* embeddedObjects(text: string): Generator<string> {
  const tried = new Uint8Array(text.length);
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) {
    if (tried[at] === 1) continue;
    for (const [start, end] of completedFrom(text, at, tried)) yield text.slice(start, end);
  }
}

/** Reads JSON from a brace to where it ends or breaks: the objects that were whole by then, without those inside of others. */
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

/** Adds an object in the place of those inside of it. */
function addOutermost(completed: [number, number][], start: number, end: number): void {
  while (completed.length > 0 && completed.at(-1)![0] > start) completed.pop();
  completed.push([start, end]);
}

const isSpace = (next: number): boolean =>
  next === 0x20 || next === 0x0a || next === 0x0d || next === 0x09;

/** Where a string that begins here ends; -1 when it does not, or holds what a string may not. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const next = text.charCodeAt(at);
    if (next === quote) return at;
    if (next < 0x20) return -1;
    if (next === backslash) at++;
  }
  return -1;
}
