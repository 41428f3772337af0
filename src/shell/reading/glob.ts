import { anyMark, isKnown, starMark, unknownMark } from './marks.ts';

/** Whether a character of a pattern stands for any text. */
const isAnyText = (letter: string | undefined): boolean =>
  letter !== undefined && (letter === starMark || !isKnown(letter));

/**
 * Whether a whole text matches a shell pattern, in which marks stand for what is active. Only the last star is
 * ever tried again, so it takes no longer than the two lengths multiplied.
 */
export function matchesPattern(text: string, pattern: string): boolean {
  let [at, of, star, from] = [0, 0, -1, 0];
  while (at < text.length)
    if (isAnyText(pattern[of])) {
      star = of++;
      from = at;
    } else if (of < pattern.length && (pattern[of] === anyMark || pattern[of] === text[at])) {
      at++;
      of++;
    } else if (star !== -1) {
      of = star + 1;
      at = ++from;
    } else return false;
  while (isAnyText(pattern[of])) of++;
  return of === pattern.length;
}

/** Makes the pattern characters of a text active, as in the value of a variable without quotes. */
export const activated = (text: string): string =>
  text.replaceAll('*', starMark).replaceAll('?', anyMark);

const mostBraces = 64;

const longestBraces = 2_000;

/** Expands the braces of a word, as it is written; quotes protect them. What is too long for it is unknown. */
export function expandBraces(text: string): string[] {
  if (text.length > longestBraces) return [unknownMark];
  const open = findBraces(text);
  if (open === undefined) return [text];
  const { start, end, commas } = open;
  const before = text.slice(0, start);
  const inner = text.slice(start + 1, end);
  const after = text.slice(end + 1);
  const range = rangeOf(inner);
  if (commas.length === 0 && range === undefined)
    return expandBraces(after).map((rest) => `${text.slice(0, end + 1)}${rest}`);
  const cuts = [start, ...commas, end];
  const items = range ?? cuts.slice(1).map((cut, index) => text.slice(cuts[index]! + 1, cut));
  const all: string[] = [];
  const rests = expandBraces(after);
  for (const item of items.flatMap(expandBraces))
    for (const rest of rests) {
      if (all.length >= mostBraces) return all;
      all.push(before + item + rest);
    }
  return all;
}

function rangeOf(inner: string): string[] | undefined {
  const [, from, to] = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.-?\d+)?$/.exec(inner) ?? [];
  if (from === undefined || to === undefined) return undefined;
  const isLetter = /[A-Za-z]/.test(from);
  const [first, last] = isLetter
    ? [from.charCodeAt(0), to.charCodeAt(0)]
    : [Number(from), Number(to)];
  const step = first <= last ? 1 : -1;
  return Array.from({ length: Math.min(Math.abs(last - first) + 1, mostBraces) }, (_, index) => {
    const at = first + index * step;
    return isLetter ? String.fromCharCode(at) : String(at);
  });
}

/** Finds the first pair of braces outside quotes and expansions, and the commas between them. */
function findBraces(
  text: string,
): { readonly start: number; readonly end: number; readonly commas: number[] } | undefined {
  const starts: number[] = [];
  const commas: number[][] = [];
  let quote = '';
  for (let index = 0; index < text.length; index++) {
    const letter = text[index]!;
    if (letter === '\\') index++;
    else if (quote !== '') quote = letter === quote ? '' : quote;
    else if (letter === "'" || letter === '"' || letter === '`') quote = letter;
    else if (letter === '$' && (text[index + 1] === '{' || text[index + 1] === '('))
      index = endOfExpansion(text, index + 1);
    else if (letter === '{') {
      starts.push(index);
      commas.push([]);
    } else if (letter === ',') commas.at(-1)?.push(index);
    else if (letter === '}' && starts.length > 0) {
      const found = { start: starts.pop()!, end: index, commas: commas.pop()! };
      if (starts.length === 0) return found;
    }
  }
  return undefined;
}

function endOfExpansion(text: string, start: number): number {
  const [open, close] = text[start] === '{' ? ['{', '}'] : ['(', ')'];
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === open) depth++;
    else if (text[index] === close && --depth === 0) return index;
  }
  return text.length;
}
