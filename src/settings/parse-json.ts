import { createRequire } from 'node:module';
import type * as Jsonc from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';
import { parsePlainJson } from './plain-json.ts';
import type { Path, Position } from './problem.ts';

/** A JSON text with comments, and where in it each value stands. */
export interface ParsedJson {
  readonly value: unknown;
  /** Where the value at this path stands, or the nearest value around it. */
  readonly locate: (path: Path) => Position;
  /** Keys that stand more than once in one object; the last one counts. */
  readonly doubled: readonly Path[];
}

/** Why a text is no JSON. */
export interface SyntaxFault {
  readonly fault: string;
  readonly at: Position;
}

/** Parses JSON with comments, trailing commas and a byte order mark (C-16). */
export function parseJson(text: string): ParsedJson | SyntaxFault {
  const source = text.replace(/^\uFEFF/, '');
  const position = (offset: number): Position => {
    const lines = source.slice(0, offset).split('\n');
    return { line: lines.length, column: lines.at(-1)!.length + 1 };
  };
  if (source.trim() === '') return { fault: 'it is empty', at: position(0) };
  const plain = parsePlainJson(source);
  if (plain)
    return {
      value: plain.value,
      locate: (path) => position(nodeAt(jsonc().parseTree(source)!, path).node.offset),
      doubled: [],
    };
  const { getNodeValue, parseTree, printParseErrorCode } = jsonc();
  try {
    const errors: ParseError[] = [];
    const root = parseTree(source, errors, { allowTrailingComma: true });
    const [error] = errors;
    if (error || root === undefined)
      return {
        fault: (error && faults[printParseErrorCode(error.error)]) ?? 'it breaks off',
        at: position(error?.offset ?? 0),
      };
    return {
      value: getNodeValue(root),
      locate: (path) => position(nodeAt(root, path).node.offset),
      doubled: [...doubledKeys(root, [])],
    };
  } catch (error) {
    // The parser calls itself for each level.
    if (error instanceof RangeError) return { fault: 'it is nested too deeply', at: position(0) };
    throw error;
  }
}

/** Loaded only for what `JSON.parse` does not tell: short-lived commands read settings each time they start. */
const jsonc = () => require('jsonc-parser') as typeof Jsonc;

const require = createRequire(import.meta.url);

const faults: Readonly<Record<string, string>> = {
  InvalidSymbol: 'unexpected text',
  InvalidNumberFormat: 'a number is malformed',
  PropertyNameExpected: 'a property name in double quotes is expected',
  ValueExpected: 'a value is expected',
  ColonExpected: 'a colon is expected',
  CommaExpected: 'a comma is expected',
  CloseBraceExpected: 'a closing } is expected',
  CloseBracketExpected: 'a closing ] is expected',
  EndOfFileExpected: 'there is more text after the end',
  InvalidCommentToken: 'a comment is malformed',
  UnexpectedEndOfComment: 'a comment does not end',
  UnexpectedEndOfString: 'a string does not end',
  UnexpectedEndOfNumber: 'a number does not end',
  InvalidUnicode: 'a \\u escape is malformed',
  InvalidEscapeCharacter: 'an escape in a string is malformed',
  InvalidCharacter: 'a string holds a control character',
};

/** The value at a path, or the nearest one around it. */
export function nodeAt(root: Node, path: Path): { node: Node; isExact: boolean } {
  let node = root;
  for (const step of path) {
    const child =
      typeof step === 'number'
        ? node.children?.[step]
        : node.children?.findLast((property) => keyOf(property) === step)?.children?.[1];
    if (child === undefined) return { node, isExact: false };
    node = child;
  }
  return { node, isExact: true };
}

const keyOf = (property: Node): unknown => property.children?.[0]?.value;

function* doubledKeys(node: Node, path: Path): Generator<Path> {
  if (node.type === 'array')
    for (const [index, child] of (node.children ?? []).entries())
      yield* doubledKeys(child, [...path, index]);
  if (node.type !== 'object') return;
  const seen = new Set<string>();
  for (const property of node.children ?? []) {
    const key = String(keyOf(property));
    const inner = [...path, key];
    if (seen.has(key)) yield inner;
    seen.add(key);
    const value = property.children?.[1];
    if (value) yield* doubledKeys(value, inner);
  }
}
