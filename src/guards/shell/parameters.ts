import type { ParameterOperation, Word } from 'unbash';
import { patternOf } from './glob.ts';
import { blurred, isKnown, unknownMark } from './marks.ts';

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
      if (!isKnown(pattern)) return blurred(value);
      const { operator } = operation;
      const start = operator === '/#' ? '^' : '';
      const end = operator === '/%' ? '$' : '';
      const shape = new RegExp(
        `${start}(?:${patternOf(pattern)})${end}`,
        operator === '//' ? 'g' : '',
      );
      return pattern === '' ? value : value.replace(shape, () => by);
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

function removed(value: string, pattern: string, operator: '#' | '##' | '%' | '%%'): string {
  const isGreedy = operator.length === 2;
  if (operator.startsWith('#')) {
    const shape = new RegExp(`^(?:${patternOf(pattern, { isGreedy })})`);
    return value.replace(shape, '');
  }
  const shape = new RegExp(`^(?:${patternOf(pattern)})$`);
  const cuts = Array.from(
    { length: Math.min(value.length, 4_096) + 1 },
    (_, index) => value.length - index,
  );
  const cut = (isGreedy ? cuts.toReversed() : cuts).find((at) => shape.test(value.slice(at)));
  return cut === undefined ? value : value.slice(0, cut);
}
