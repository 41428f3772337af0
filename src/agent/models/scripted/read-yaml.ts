import type { Path, Position } from '../../../core/definitions/problem.ts';
import * as yaml from './yaml.ts';

/** The data of a YAML text, and the positions in it. */
export interface YamlText {
  /** Syntax errors and warnings of the text. */
  readonly faults: readonly {
    readonly at: Position;
    readonly message: string;
    readonly fix: string;
  }[];
  /** Throws if aliases have no anchor, or expand without limit. */
  readonly toData: () => unknown;
  /** Returns the position of the key or list entry at a path, or of the nearest one around it. */
  readonly locate: (path: Path) => Position;
}

/** Reads a YAML text. */
export function readYaml(text: string): YamlText {
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter: lines });
  return {
    faults: [...document.errors, ...document.warnings].map(({ pos, message }) => ({
      at: positionOf(lines, pos[0]),
      message: `not valid YAML (${message.split(/ at line |\n/)[0]})`,
      fix: 'fix the YAML there',
    })),
    toData: () => document.toJS() as unknown,
    locate: locator(document, lines),
  };
}

function positionOf(lines: yaml.LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function locator(document: yaml.Document, lines: yaml.LineCounter): (path: Path) => Position {
  return (path) => {
    let node: unknown = document.contents;
    let found = node;
    for (const step of path) {
      if (yaml.isMap(node)) {
        const pair = node.items.find(({ key }) => yaml.isScalar(key) && key.value === step);
        if (pair === undefined) break;
        ({ key: found, value: node } = pair);
      } else if (yaml.isSeq(node) && typeof step === 'number' && step < node.items.length) {
        node = node.items[step];
        found = node;
      } else break;
    }
    return positionOf(lines, (found as yaml.Node | null)?.range?.[0] ?? 0);
  };
}
