import {
  findNodeAtLocation,
  parseTree,
  printParseErrorCode,
  getNodeValue,
  type Node,
  type ParseError,
} from 'jsonc-parser';
import type { SettingsProblem } from './problem.ts';

type Path = readonly (string | number)[];

/** A JSON text with comments, and where in it each value stands. */
export interface ParsedJson {
  readonly value: unknown;
  /** Line and column of the value at this path, or of the nearest value around it. */
  readonly locate: (path: Path) => { line: number; column: number } | undefined;
  readonly problems: readonly SettingsProblem[];
}

/** Parses JSON with comments and trailing commas (C-16). A syntax error voids the whole text, a doubled key does not. */
export function parseJson(text: string, file: string): ParsedJson {
  const source = text.replace(/^\uFEFF/, '');
  const position = (offset: number) => {
    const lines = source.slice(0, offset).split('\n');
    return { line: lines.length, column: lines.at(-1)!.length + 1 };
  };
  const errors: ParseError[] = [];
  const root = parseTree(source, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error || root === undefined) {
    const fault = error
      ? (faults[printParseErrorCode(error.error)] ?? 'it breaks off')
      : 'it is empty';
    return {
      value: undefined,
      locate: () => undefined,
      problems: [
        {
          file,
          at: position(error?.offset ?? 0),
          place: '',
          message: `not valid JSON (${fault}), so the whole file is ignored`,
          mend: 'mend the JSON there',
        },
      ],
    };
  }
  return {
    value: getNodeValue(root),
    locate(path) {
      for (let length = path.length; length >= 0; length--) {
        const node = findNodeAtLocation(root, path.slice(0, length));
        if (node) return position(node.offset);
      }
      return undefined;
    },
    problems: [...doubledKeys(root)].map(({ node, place }) => ({
      file,
      at: position(node.offset),
      place,
      message: 'this key stands more than once, and only the last one counts',
      mend: 'join their values under one key',
    })),
  };
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
  InvalidCommentToken: 'a comment is malformed',
  UnexpectedEndOfComment: 'a comment does not end',
  UnexpectedEndOfString: 'a string does not end',
  UnexpectedEndOfNumber: 'a number does not end',
  InvalidUnicode: 'a \\u escape is malformed',
  InvalidEscapeCharacter: 'an escape in a string is malformed',
  InvalidCharacter: 'a string holds a control character',
};

/** A doubled key is legal JSON that silently drops hooks. */
function* doubledKeys(node: Node, place = ''): Generator<{ node: Node; place: string }> {
  if (node.type === 'array')
    for (const [index, child] of (node.children ?? []).entries())
      yield* doubledKeys(child, `${place}[${index}]`);
  if (node.type !== 'object') return;
  const seen = new Set<string>();
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? [];
    const name = String(key?.value);
    const at = place === '' ? name : `${place}.${name}`;
    if (seen.has(name)) yield { node: property, place: at };
    seen.add(name);
    if (value) yield* doubledKeys(value, at);
  }
}
