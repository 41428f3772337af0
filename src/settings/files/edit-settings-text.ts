import { applyEdits, parseTree, type Edit, type Node } from './jsonc.ts';
import { nodeAt } from './parse-json.ts';
import type { Path } from '../../core/definitions/problem.ts';

/** A value of another type where a list, or an object around it, should be. */
export interface InTheWay {
  readonly path: Path;
  readonly wanted: 'array' | 'object';
}

/**
 * Adds a value to the list at `path`, which is created if needed. The rest of the settings stays as it is:
 * comments, indentation, line ends, trailing commas.
 */
export function addToList(
  text: string,
  path: readonly string[],
  entry: unknown,
): string | InTheWay {
  const root = parseTree(text, [], { allowTrailingComma: true })!;
  const there = path.findLastIndex((_, index) => at(root, path.slice(0, index + 1))) + 1;
  const node = at(root, path.slice(0, there))!;
  const isList = there === path.length;
  const wanted = isList ? 'array' : 'object';
  if (node.type !== wanted) return { path: path.slice(0, there), wanted };
  const missing = path.slice(there);
  const value = missing.slice(1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), [entry]);
  return applyEdits(text, append(text, node, isList ? [entry] : [value, missing[0]!]));
}

/** Adds a value under a key of the settings, unless that key is there. */
export function addKey(text: string, key: string, value: unknown): string {
  const root = parseTree(text, [], { allowTrailingComma: true })!;
  if (root.type !== 'object' || at(root, [key])) return text;
  return applyEdits(text, append(text, root, [value, key]));
}

/** Adds a value at `path`, with the objects around it, unless a value is there. */
export function addAt(text: string, path: readonly string[], value: unknown): string | InTheWay {
  const root = parseTree(text, [], { allowTrailingComma: true })!;
  const there = path.findLastIndex((_, index) => at(root, path.slice(0, index + 1))) + 1;
  if (there === path.length) return text;
  const node = at(root, path.slice(0, there))!;
  if (node.type !== 'object') return { path: path.slice(0, there), wanted: 'object' };
  const [key = '', ...inner] = path.slice(there);
  const nested = inner.reduceRight<unknown>((within, name) => ({ [name]: within }), value);
  return applyEdits(text, append(text, node, [nested, key]));
}

/** Removes these entries from the list at `path`, if there is one. Comments stay. */
export function removeFromList(text: string, path: readonly string[], entries: readonly string[]) {
  let rest = text;
  for (;;) {
    const root = parseTree(rest, [], { allowTrailingComma: true })!;
    const list = at(root, path);
    const items = list?.type === 'array' ? (list.children ?? []) : [];
    const index = items.findIndex(({ value }) => entries.includes(value as string));
    if (index === -1) return rest;
    rest = applyEdits(rest, remove(rest, list!, index));
  }
}

/**
 * Removes the value at `path` from its list or object. If that is empty afterwards, no blank space is left in
 * it. Comments stay.
 */
export function removeAt(text: string, path: Path): string {
  const root = parseTree(text, [], { allowTrailingComma: true })!;
  const container = at(root, path.slice(0, -1));
  const found = at(root, path);
  const index = (container?.children ?? []).findIndex(
    (child) => child === found || child.children?.[1] === found,
  );
  if (container === undefined || found === undefined || index === -1) return text;
  const rest = applyEdits(text, remove(text, container, index));
  if (container.children!.length > 1) return rest;
  const end = endOf(container) - (text.length - rest.length);
  const inner = rest.slice(container.offset + 1, end - 1);
  return inner.trim() === '' ? rest.slice(0, container.offset + 1) + rest.slice(end - 1) : rest;
}

/** Returns the text of the value at `path`; undefined if there is none. */
export function textAt(text: string, path: Path): string | undefined {
  const node = at(parseTree(text, [], { allowTrailingComma: true })!, path);
  return node && text.slice(node.offset, endOf(node));
}

/** Replaces the value at `path` with a text, if there is one. */
export function replaceAt(text: string, path: Path, content: string): string {
  const node = at(parseTree(text, [], { allowTrailingComma: true })!, path);
  if (node === undefined) return text;
  return applyEdits(text, [{ offset: node.offset, length: node.length, content }]);
}

/** Returns the node at exactly this path; for a duplicate key the last one, which is the one that counts. */
const at = (root: Node, path: Path): Node | undefined => {
  const { node, isExact } = nodeAt(root, path);
  return isExact ? node : undefined;
};

/** Everything that may occur between two values. */
const between = /,|\/\/[^\r\n]*|\/\*[^]*?\*\/|\r\n|\r|\n|[^\S\r\n]+/g;

interface Token {
  readonly text: string;
  readonly offset: number;
  readonly end: number;
}

const tokensOf = (text: string, from: number, to: number): Token[] =>
  [...text.slice(from, to).matchAll(between)].map(({ 0: token, index }) => ({
    text: token,
    offset: from + index,
    end: from + index + token.length,
  }));

const isBreak = ({ text }: Token): boolean => /^[\r\n]/.test(text);
const isComment = ({ text }: Token): boolean => text.startsWith('/');
const isComma = ({ text }: Token): boolean => text === ',';
const endOf = ({ offset, length }: Node): number => offset + length;

/** Appends a value to a list, or a value under a key to an object. */
function append(text: string, container: Node, [value, key]: [unknown, string?]): Edit[] {
  const close = endOf(container) - 1;
  const last = container.children?.at(-1);
  const from = last ? endOf(last) : container.offset + 1;
  const tokens = tokensOf(text, from, close);
  const comma = tokens.find(isComma);
  // A comment at the end of the line belongs to the value before it.
  const rest = tokens.filter(({ offset }) => offset >= (comma?.end ?? from));
  const line = rest.slice(0, untilBreak(rest));
  const note = line.findLast(isComment);
  const isLine = last
    ? startsLine(text, last.offset) || note?.text.startsWith('//') === true
    : tokens.some(isBreak) || key !== undefined;
  const outer = indentOf(text, container.offset);
  const indent = last && startsLine(text, last.offset) ? indentOf(text, last.offset) : undefined;
  const inner = indent ?? outer + unitOf(text);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const json = isLine
    ? JSON.stringify(value, null, unitOf(text)).replaceAll('\n', eol + inner)
    : JSON.stringify(value);
  const entry = (key === undefined ? '' : `${JSON.stringify(key)}: `) + json;
  if (!last && text.slice(from, close).trim() === '') {
    const content = isLine ? eol + inner + entry + eol + outer : entry;
    return [{ offset: from, length: close - from, content }];
  }
  const gap = isLine ? eol + inner : ' ';
  return [
    ...(last && !comma ? [{ offset: from, length: 0, content: ',' }] : []),
    {
      offset: note?.end ?? comma?.end ?? from,
      length: 0,
      content: gap + entry + (comma ? ',' : ''),
    },
  ];
}

const cut = (from: number, to: number): Edit => ({ offset: from, length: to - from, content: '' });

/** Removes an item from a list, and the comma that is no longer needed. */
function remove(text: string, list: Node, index: number): Edit[] {
  const items = list.children!;
  const item = items[index]!;
  const [before, after] = [items[index - 1], items[index + 1]];
  const until = after?.offset ?? endOf(list) - 1;
  const tokens = tokensOf(text, endOf(item), until);
  const comma = tokens.find(isComma);
  const line = tokens.slice(0, untilBreak(tokens));
  const earlier = comma ?? (before && tokensOf(text, endOf(before), item.offset).find(isComma));
  const commaCut = earlier ? [cut(earlier.offset, earlier.end)] : [];
  const lineBreak = tokens[line.length];
  if (startsLine(text, item.offset) && lineBreak && !line.some(isComment)) {
    const start = item.offset - indentOf(text, item.offset).length;
    const isInside = earlier && earlier.offset >= start && earlier.end <= lineBreak.end;
    return [...(isInside ? [] : commaCut), cut(start, lineBreak.end)];
  }
  const blank = after && comma ? tokens.find(({ offset }) => offset === comma.end) : undefined;
  const isBlank = blank && blank.text.trim() === '' && !isBreak(blank);
  const gap = before && !after && !comma ? text.slice(earlier!.end, item.offset) : '';
  const start = gap.trim() === '' && !/[\r\n]/.test(gap) ? item.offset - gap.length : item.offset;
  return [
    ...commaCut,
    cut(start, endOf(item)),
    ...(isBlank ? [cut(blank.offset, blank.end)] : []),
  ].toSorted((one, other) => one.offset - other.offset);
}

function untilBreak(tokens: readonly Token[]): number {
  const index = tokens.findIndex(isBreak);
  return index === -1 ? tokens.length : index;
}

/** The white space at the start of the line that holds this offset. */
const indentOf = (text: string, offset: number): string =>
  /^[^\S\r\n]*/.exec(text.slice(lineStart(text, offset)))![0];

const lineStart = (text: string, offset: number): number =>
  Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;

const startsLine = (text: string, offset: number): boolean =>
  lineStart(text, offset) > 0 && text.slice(lineStart(text, offset), offset).trim() === '';

/** The file's own unit of indentation. */
const unitOf = (text: string): string => /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
