import type { DoubleQuotedChild, ParameterExpansionPart, Word, WordPart } from 'unbash';

/** What a word of a command expands to. */
export interface Meaning {
  /** Every text that the word may expand to; empty if that cannot be known. */
  readonly texts: readonly string[];
  /** The source text of the part that cannot be known. */
  readonly unknown?: string;
  /** The word without its unknown parts: good enough for a guess, but not reliable. */
  readonly guesses: readonly string[];
  /** The literal text before the first unknown part. */
  readonly start: string;
  /** The word as patterns of file names, which may match too much; of use only where it is unknown. */
  readonly patterns: readonly string[];
}

/** What is known at the place of a word. */
export interface Surroundings {
  /** Returns the possible values of a variable; undefined if they cannot be known. */
  valuesOf(name: string): readonly string[] | undefined;
  /** Returns patterns of all values that a variable is given anywhere; undefined if there is none. */
  patternsOf(name: string): readonly string[] | undefined;
  /** Returns what a command in `$(…)` prints, if that is known. */
  outputOf(part: WordPart): readonly string[] | undefined;
  /** Folders that the shell may be in. */
  readonly folders: readonly string[];
  readonly home: string | undefined;
}

/** Limits, because variables may double a word over and over. */
const mostTexts = 40;
const longestText = 16_384;

/** Works out what a word may expand to; an expansion that splits into several words counts as unknown. */
export function meaningOf(word: Word, around: Surroundings): Meaning {
  const { parts, text, value } = word;
  const meant = parts ? ofParts(parts, around, false) : literal(value);
  return text.startsWith('~') ? withTilde(meant, around) : meant;
}

const literal = (text: string): Meaning => ({
  texts: [text],
  guesses: [text],
  start: text,
  patterns: [text],
});

function ofParts(
  parts: readonly (WordPart | DoubleQuotedChild)[],
  around: Surroundings,
  isQuoted: boolean,
): Meaning {
  let texts: readonly string[] = [''];
  let guesses: readonly string[] = [''];
  let patterns: readonly string[] = [''];
  let start = '';
  let unknown: string | undefined;
  for (const part of parts) {
    const meant = ofPart(part, around, isQuoted);
    if (unknown === undefined) start += meant.start;
    unknown ??= meant.unknown;
    guesses = joined(guesses, meant.guesses) ?? guesses;
    patterns = joined(patterns, meant.patterns) ?? [];
    const all = unknown === undefined ? joined(texts, meant.texts) : undefined;
    if (all === undefined) unknown ??= part.text;
    texts = all ?? [];
  }
  return { texts, guesses, start, patterns, ...(unknown !== undefined && { unknown }) };
}

function joined(befores: readonly string[], afters: readonly string[]): string[] | undefined {
  if (befores.length * afters.length > mostTexts) return undefined;
  const all = befores.flatMap((before) => afters.map((after) => before + after));
  return all.some(({ length }) => length > longestText) ? undefined : all;
}

function ofPart(
  part: WordPart | DoubleQuotedChild,
  around: Surroundings,
  isQuoted: boolean,
): Meaning {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return literal(part.value);
    case 'DoubleQuoted':
    case 'LocaleString':
      return ofParts(part.parts, around, true);
    case 'SimpleExpansion':
      return variable(part, part.text.slice(1), around, isQuoted);
    case 'ParameterExpansion':
      return ofParameter(part, around, isQuoted);
    case 'CommandExpansion':
      return expanded(part, around.outputOf(part), isQuoted);
    case 'Glob':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      return unknownPart(part.text, [''], [part.text]);
    default:
      return unknownPart(part.text);
  }
}

const unknownPart = (
  text: string,
  guesses: readonly string[] = [''],
  patterns: readonly string[] = ['*'],
): Meaning => ({
  texts: [],
  unknown: text,
  guesses,
  start: '',
  patterns,
});

/** White space and patterns in unquoted text make the shell split or replace the word. */
const splits = /[\s*?[\\]/;

function expanded(
  { text }: { readonly text: string },
  values: readonly string[] | undefined,
  isQuoted: boolean,
): Meaning {
  if (values === undefined) return unknownPart(text);
  if (!isQuoted && values.some((value) => splits.test(value))) return unknownPart(text, values);
  const start = values.length === 1 ? values[0]! : '';
  return { texts: values, guesses: values, start, patterns: values };
}

function variable(
  part: { readonly text: string },
  name: string,
  around: Surroundings,
  isQuoted: boolean,
): Meaning {
  const meant = expanded(part, around.valuesOf(name), isQuoted);
  const patterns = meant.unknown === undefined ? undefined : around.patternsOf(name);
  return patterns === undefined ? meant : { ...meant, patterns };
}

function ofParameter(
  part: ParameterExpansionPart,
  around: Surroundings,
  isQuoted: boolean,
): Meaning {
  const { index, operation, parameter, prefix } = part;
  if (index !== undefined || prefix !== undefined) return unknownPart(part.text);
  const values = around.valuesOf(parameter);
  if (operation === undefined) return variable(part, parameter, around, isQuoted);
  if (operation.type !== 'Default') return unknownPart(part.text);
  const otherwise = meaningOf(operation.operand, around);
  if (values === undefined || values.includes('') || operation.operator.endsWith('+'))
    return unknownPart(part.text, [...otherwise.guesses, ...(values ?? [])]);
  return expanded(part, values, isQuoted);
}

/** Expands `~` and `~+`; another user's home, and the folder that the shell was in before, are unknown. */
function withTilde(meant: Meaning, { folders, home }: Surroundings): Meaning {
  const replace = (texts: readonly string[]): string[] | undefined => {
    const all = texts.map((text) => {
      const [, who, rest = ''] = /^~([^/]*)([^]*)$/.exec(text) ?? [];
      const places = who === '' && home !== undefined ? [home] : who === '+' ? folders : undefined;
      return places?.map((place) => place + rest);
    });
    return all.every((found) => found !== undefined) ? all.flat() : undefined;
  };
  const texts = replace(meant.texts);
  if (texts === undefined) return { ...meant, texts: [], unknown: meant.unknown ?? '~' };
  return {
    ...meant,
    texts,
    patterns: replace(meant.patterns) ?? [],
    guesses: replace(meant.guesses) ?? meant.guesses,
    start: texts[0] ?? meant.start,
  };
}
