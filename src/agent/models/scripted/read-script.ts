import { type BoundedFile, readBounded } from '../../../settings/files/read-bounded.ts';
import { ModelError } from '../model-error.ts';
import { mistakesIn, scriptError, type Mistake } from './mistakes.ts';
import { turnSchema, type PlacedTurn } from './turn.ts';

/** Reads the turns of a scripted model; every mistake is reported at once, each with its line and fix. */
export async function readScript(file: string): Promise<PlacedTurn[]> {
  const text = readText(file);
  // Loaded here, because most sessions use a different kind of model.
  const { readYaml } = await import('./read-yaml.ts');
  const { faults: invalid, toData, locate } = readYaml(text);
  const faults = invalid.map((fault): Mistake => ({ ...fault, place: '' }));
  if (faults.length > 0) throw scriptError(file, faults);

  const turns = dataOf(toData, file);
  if (!Array.isArray(turns) || turns.length === 0)
    throw scriptError(file, [
      {
        at: locate([]),
        place: '',
        message: turns && !Array.isArray(turns) ? 'is not a list of turns' : 'has no turns',
        fix: 'begin each turn with "- ", such as "- text: Hello"',
      },
    ]);
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
  throw unreadable(read.refused === 'too long' ? 'it is larger than 4 MiB' : 'it is not a file');
}

function dataOf(toData: () => unknown, file: string): unknown {
  try {
    return toData();
  } catch (error) {
    // Aliases without an anchor, or aliases that expand without limit.
    throw new ModelError(`${file}: ${(error as Error).message}; fix the aliases`, {
      cause: error,
    });
  }
}
