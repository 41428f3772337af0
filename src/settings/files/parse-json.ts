import { isError } from '../../base/errors.ts';
import {
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from './jsonc.ts';
import type { Locate, Path, Position } from '../../core/definitions/problem.ts';

/** A parsed JSON text, possibly with comments, and the position of each value in it. */
export interface ParsedJson {
  readonly value: unknown;
  readonly locate: Locate;
  /** Keys that occur more than once in one object; the last one counts. */
  readonly doubled: readonly DoubledKey[];
}

/** A key that occurred earlier in the same object. */
interface DoubledKey {
  /** The top-level key that it is under, or that it is itself. */
  readonly top: string | number;
  /** Returns its path, which takes time to compute. */
  readonly path: () => Path;
}

/** Why a text is not valid JSON. */
export interface SyntaxFault {
  readonly fault: string;
  readonly at: Position;
}

/**
 * Parses JSON that may have comments, trailing commas and a byte order mark, none of which is allowed
 * if `isStrict`. The time that it takes is linear in the length of the text.
 */
export function parseJson(text: string, isStrict = false): ParsedJson | SyntaxFault {
  const source = isStrict ? text : text.replace(/^\uFEFF/, '');
  const position = positionIn(source);
  if (source.startsWith('\uFEFF')) return { fault: 'it has a byte order mark', at: position(0) };
  if (source.trim() === '') return { fault: 'it is empty', at: position(0) };
  const plain = parsePlainJson(source);
  if (plain) {
    // Parsed once, and only when a position is asked for.
    let tree: Node | undefined;
    const locate: Locate = (path, part) => {
      tree ??= parseTree(source)!;
      return position(offsetOf(tree, path, part));
    };
    return { value: plain.value, locate, doubled: [] };
  }
  try {
    const errors: ParseError[] = [];
    const root = parseTree(source, errors, {
      allowTrailingComma: !isStrict,
      disallowComments: isStrict,
    });
    const [error] = errors;
    if (error || root === undefined)
      return {
        fault: (error && faults[printParseErrorCode(error.error)]) ?? 'it ends too early',
        at: position(error?.offset ?? 0),
      };
    return {
      value: getNodeValue(root),
      locate: (path, part) => position(offsetOf(root, path, part)),
      doubled: doubledKeys(root),
    };
  } catch (error) {
    // The parser is recursive: each level of nesting uses the stack.
    if (isError(error) && error.name === 'RangeError')
      return { fault: 'it is nested too deeply', at: position(0) };
    throw error;
  }
}

/** Returns a function that finds the line and column of an offset. Line starts are computed once. */
function positionIn(source: string): (offset: number) => Position {
  let starts: number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(source);
    let [line, after] = [0, starts.length];
    while (after - line > 1) {
      const middle = (line + after) >>> 1;
      if (starts[middle]! <= offset) line = middle;
      else after = middle;
    }
    return { line: line + 1, column: offset - starts[line]! + 1 };
  };
}

function lineStarts(source: string): number[] {
  const starts = [0];
  for (let at = -1; (at = source.indexOf('\n', at + 1)) !== -1;) starts.push(at + 1);
  return starts;
}

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
  InvalidCommentToken: 'a comment is not allowed there',
  UnexpectedEndOfComment: 'a comment does not end',
  UnexpectedEndOfString: 'a string does not end',
  UnexpectedEndOfNumber: 'a number does not end',
  InvalidUnicode: 'a \\u escape is malformed',
  InvalidEscapeCharacter: 'an escape in a string is malformed',
  InvalidCharacter: 'a string holds a control character',
};

/** Returns the node of the value at a path, or of the nearest value around it. */
export function nodeAt(root: Node, path: Path): { node: Node; isExact: boolean } {
  let node = root;
  for (const step of path) {
    const child =
      typeof step === 'number'
        ? node.children?.[step]
        : propertiesOf(node).get(step)?.children?.[1];
    if (child === undefined) return { node, isExact: false };
    node = child;
  }
  return { node, isExact: true };
}

function offsetOf(root: Node, path: Path, part: 'key' | 'value' = 'value'): number {
  const { node, isExact } = nodeAt(root, path);
  const key = part === 'key' && isExact ? node.parent?.children?.[0] : undefined;
  return (key ?? node).offset;
}

const keyOf = (property: Node): unknown => property.children?.[0]?.value;

/**
 * Returns an object's properties by key, the last of each. Cached, because every problem located in the
 * object looks them up.
 */
function propertiesOf(node: Node): ReadonlyMap<unknown, Node> {
  const known = properties.get(node);
  if (known !== undefined) return known;
  const own = node.type === 'object' ? (node.children ?? []) : [];
  const found = new Map(own.map((property) => [keyOf(property), property]));
  properties.set(node, found);
  return found;
}

const properties = new WeakMap<Node, ReadonlyMap<unknown, Node>>();

/** Not recursive: recursion would go through every level for each key. */
function doubledKeys(root: Node): DoubledKey[] {
  const doubled: DoubledKey[] = [];
  const open: { readonly node: Node; readonly top: string | number | undefined }[] = [
    { node: root, top: undefined },
  ];
  for (let next; (next = open.pop());) {
    const { node, top } = next;
    const inner: typeof open = [];
    const seen = new Set<unknown>();
    for (const [index, child] of (node.children ?? []).entries()) {
      const isProperty = node.type === 'object';
      const under = top ?? (isProperty ? String(keyOf(child)) : index);
      if (isProperty) {
        const key = keyOf(child);
        if (seen.has(key)) doubled.push({ top: under, path: () => pathOf(child) });
        seen.add(key);
      }
      const value = isProperty ? child.children?.[1] : child;
      if (value?.children) inner.push({ node: value, top: under });
    }
    while (inner.length > 0) open.push(inner.pop()!);
  }
  return doubled;
}

function pathOf(property: Node): Path {
  const path: (string | number)[] = [];
  for (let node: Node | undefined = property; node?.parent; node = node.parent)
    if (node.type === 'property') path.push(String(keyOf(node)));
    else if (node.parent.type === 'array') path.push(node.parent.children!.indexOf(node));
  return path.toReversed();
}

/** Deeper than any settings are nested, and far from the depth at which a parser gives up. */
const deepest = 50;

/**
 * Returns the value of a JSON text without comments, trailing commas or duplicate keys; undefined for any
 * other text. Its objects have no prototype, so that no inherited name is mistaken for a key.
 */
export function parsePlainJson(source: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(source);
    return keysIn(value, 0) === keysWritten(source) ? { value } : undefined;
  } catch {
    return undefined;
  }
}

/** Counts the keys of all objects in a value, and removes the prototypes of these objects. */
function keysIn(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > deepest) return Number.NaN;
  if (!Array.isArray(value)) Object.setPrototypeOf(value, null);
  const inner = Object.values(value);
  return inner.reduce<number>(
    (count, each) => count + keysIn(each, depth + 1),
    Array.isArray(value) ? 0 : inner.length,
  );
}

/** Counts the keys that a valid JSON text spells out: strings before a colon. */
function keysWritten(json: string): number {
  let count = 0;
  for (const [, colon] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"\s*(:?)/g)) if (colon) count++;
  return count;
}
