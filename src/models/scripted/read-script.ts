import type { Path, Position } from '../../settings/problem.ts';
import { type BoundedFile, readBounded } from '../../settings/read-bounded.ts';
import { ModelError } from '../model-error.ts';
import { mistakesIn, scriptError, type Mistake } from './mistakes.ts';
import { turnSchema, type PlacedTurn } from './turn.ts';
import type * as Yaml from './yaml.ts';

/** Reads the turns of a scripted model; every mistake is reported at once, each with its line and fix. */
export async function readScript(file: string): Promise<PlacedTurn[]> {
  const text = readText(file);
  // Loaded here, because most sessions have a model of another kind.
  const yaml = await import('./yaml.ts');
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter: lines });
  const faults: Mistake[] = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
    at: positionOf(lines, pos[0]),
    place: '',
    message: `not valid YAML (${message.split(/ at line |\n/)[0]})`,
    fix: 'fix the YAML there',
  }));
  if (faults.length > 0) throw scriptError(file, faults);

  const turns = toData(document, file);
  if (!Array.isArray(turns) || turns.length === 0)
    throw scriptError(file, [
      {
        at: positionOf(lines, 0),
        place: '',
        message: turns && !Array.isArray(turns) ? 'holds no list of turns' : 'holds no turn',
        fix: 'begin each turn with "- ", such as "- text: Hello"',
      },
    ]);
  const locate = locator(yaml, document, lines);
  const mistakes: Mistake[] = [];
  const placed = turns.map((value: unknown, index): PlacedTurn => {
    const { data, error } = turnSchema.safeParse(value);
    if (error) mistakes.push(...mistakesIn(value, index, error.issues, locate));
    const { line, column } = locate([index]);
    return { turn: data ?? {}, place: `${file}:${line}:${column}` };
  });
  if (mistakes.length > 0) throw scriptError(file, mistakes);
  return placed;
}

function readText(file: string): string {
  const unreadable = (why: string, cause?: unknown): ModelError =>
    new ModelError(`${file}: the scripted model cannot be read (${why}); check the path`, {
      cause,
    });
  let read: BoundedFile;
  try {
    read = readBounded(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw unreadable(code === 'ENOENT' ? 'there is no such file' : (code ?? message), error);
  }
  if ('bytes' in read) return read.bytes.toString();
  throw unreadable(read.refused === 'too long' ? 'it is larger than 4 MiB' : 'it is no file');
}

function positionOf(lines: Yaml.LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function toData(document: Yaml.Document, file: string): unknown {
  try {
    return document.toJS() as unknown;
  } catch (error) {
    // Aliases without an anchor, or ones that multiply without end.
    throw new ModelError(`${file}: ${(error as Error).message}; fix the aliases`, {
      cause: error,
    });
  }
}

/** Where the key or the list entry at a path stands, or the nearest one around it. */
function locator(
  { isMap, isScalar, isSeq }: Pick<typeof Yaml, 'isMap' | 'isScalar' | 'isSeq'>,
  document: Yaml.Document,
  lines: Yaml.LineCounter,
): (path: Path) => Position {
  return (path) => {
    let node: unknown = document.contents;
    let found = node;
    for (const step of path) {
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
        if (pair === undefined) break;
        ({ key: found, value: node } = pair);
      } else if (isSeq(node) && typeof step === 'number' && step < node.items.length) {
        node = node.items[step];
        found = node;
      } else break;
    }
    return positionOf(lines, (found as Yaml.Node | null)?.range?.[0] ?? 0);
  };
}
