import type { ParameterOperation, Word } from 'unbash';
import { matchesPattern } from './glob.ts';
import { blurred, isGlob, isKnown, unknownMark } from './marks.ts';

interface Texts {
  text(word: Word): string;
  pattern(word: Word): string;
}

interface Parameter {
  readonly isSet: boolean;
  /** Nobody set it here, but the environment may have. */
  readonly isUnknown: boolean;
  readonly assign: (text: string) => void;
}

/** Applies `:-`, `##`, `//` and the like to the values of a parameter. */
export function operated(
  values: readonly string[],
  operation: ParameterOperation,
  texts: Texts,
  parameter: Parameter,
): readonly string[] {
  if (operation.type === 'Default') return withDefault(values, operation, texts, parameter);
  return values.map((value) => changed(value, operation, texts));
}

function withDefault(
  values: readonly string[],
  { operator, operand }: Extract<ParameterOperation, { type: 'Default' }>,
  texts: Texts,
  { isSet, isUnknown, assign }: Parameter,
): readonly string[] {
  const isEmpty = values.join('') === '';
  const isThere = isUnknown ? false : isSet && !(operator.startsWith(':') && isEmpty);
  if (operator.endsWith('+')) return isThere || isUnknown ? [texts.text(operand)] : [''];
  if (isThere || operator.endsWith('?')) return values;
  const text = texts.text(operand);
  if (operator.endsWith('=')) assign(text);
  return [text];
}

function changed(value: string, operation: ParameterOperation, texts: Texts): string {
  switch (operation.type) {
    case 'Remove': {
      const pattern = texts.pattern(operation.operand);
      if (!isKnown(value) || !isKnown(pattern)) return blurred(value);
      return removed(value, pattern, operation.operator);
    }
    case 'Replace': {
      const pattern = texts.pattern(operation.pattern);
      const by = texts.text(operation.replacement);
      if (!isKnown(value) || !isKnown(pattern)) return blurred(value + by);
      return replaced(value, pattern, by, operation.operator);
    }
    case 'Slice': {
      const offset = numberOf(texts.text(operation.offset));
      const length = operation.length ? numberOf(texts.text(operation.length)) : undefined;
      if (!isKnown(value) || offset === undefined) return blurred(value);
      if (operation.length && length === undefined) return blurred(value);
      const from = offset < 0 ? Math.max(value.length + offset, 0) : offset;
      const to =
        length === undefined ? undefined : length < 0 ? value.length + length : from + length;
      return value.slice(from, to);
    }
    case 'CaseModification': {
      const { operator } = operation;
      const change = (text: string): string =>
        operator.startsWith('^') ? text.toUpperCase() : text.toLowerCase();
      return operator.length === 2 ? change(value) : change(value.slice(0, 1)) + value.slice(1);
    }
    case 'Transform':
      return /^[QEPAa]$/.test(operation.operand.text)
        ? value
        : changeCase(value, operation.operand.text);
    default:
      return unknownMark;
  }
}

const changeCase = (value: string, how: string): string =>
  how === 'U' ? value.toUpperCase() : how === 'L' ? value.toLowerCase() : value;

const numberOf = (text: string): number | undefined => {
  const trimmed = text.trim().replace(/^\((.*)\)$/, '$1');
  return /^-?\s*\d+$/.test(trimmed) ? Number(trimmed.replaceAll(/\s/g, '')) : undefined;
};

/** How many comparisons are worth it. */
const mostComparisons = 2_000_000;

const isCostly = (value: string, pattern: string, tries: number): boolean =>
  value.length * pattern.length * tries > mostComparisons;

/** Removes what a pattern matches from the start or the end of a value: the longest, or the shortest. */
function removed(value: string, pattern: string, operator: '#' | '##' | '%' | '%%'): string {
  if (isCostly(value, pattern, value.length)) return blurred(value);
  const isFromStart = operator.startsWith('#');
  const lengths = Array.from({ length: value.length + 1 }, (_, length) => length);
  const length = (operator.length === 2 ? lengths.toReversed() : lengths).find((one) =>
    matchesPattern(isFromStart ? value.slice(0, one) : value.slice(value.length - one), pattern),
  );
  if (length === undefined) return value;
  return isFromStart ? value.slice(length) : value.slice(0, value.length - length);
}

/** Replaces what a pattern matches: the longest at each place. */
function replaced(
  value: string,
  pattern: string,
  by: string,
  operator: '/' | '//' | '/#' | '/%',
): string {
  if (pattern === '') return value;
  if (!isGlob(pattern) && operator === '//') return value.replaceAll(pattern, () => by);
  if (!isGlob(pattern) && operator === '/') return value.replace(pattern, () => by);
  if (isCostly(value, pattern, value.length ** 2)) return blurred(value + by);
  const ends = operator === '/%' ? [value.length] : undefined;
  let text = '';
  for (let start = 0; start < value.length;) {
    const isTried = operator !== '/#' || start === 0;
    const candidates =
      ends ?? Array.from({ length: value.length - start }, (_, index) => value.length - index);
    const end = isTried
      ? candidates.find((one) => matchesPattern(value.slice(start, one), pattern))
      : undefined;
    if (end === undefined) text += value[start++];
    else {
      text += by;
      start = end;
      if (operator !== '//') return text + value.slice(end);
    }
  }
  return text;
}
