import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../protocol/output.ts';
import { type ForeignWord, foreignWords, nearest } from './deciding-words.ts';
import { deniesSomehow } from './lost-denial.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields that one object of an answer may have in one dialect, and where what others call by other names belongs. */
export interface Vocabulary {
  /** In front of a key where it is named, such as `hookSpecificOutput.`. */
  readonly path: string;
  /** Every field that has a meaning here, the harmless ones too. */
  readonly legal: readonly string[];
  /** Those of them that decide or replace something: a key that is almost one is a miss. */
  readonly deciding: readonly string[];
  /** Fields that decide elsewhere, each with what to do instead. */
  readonly misplaced: Readonly<Record<string, string>>;
  /** How this dialect says what other hosts have other words for. */
  readonly instead: Readonly<Record<ForeignWord['meant'], string>>;
  /** Whether case matters in keys. */
  readonly ignoresCase?: boolean;
}

interface Candidate {
  readonly name: string;
  readonly when?: ((value: unknown) => boolean) | undefined;
  readonly note: (path: string) => string;
}

/**
 * What to tell a hook's author of keys that are almost a field that decides, or decide elsewhere, each
 * with the field that was meant. What a hook repeats of what it was told is none.
 */
export function nearMisses(object: Fields, vocabulary: Vocabulary, told: Fields): string[] {
  const { path, legal, ignoresCase = false } = vocabulary;
  const candidates = candidatesOf(vocabulary);
  const known = new Set(legal);
  const isLegal = (key: string): boolean => known.has(ignoresCase ? key.toLowerCase() : key);
  const misses: string[] = [];
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value === null || value === undefined || isLegal(key)) continue;
    const found = nearest(key, candidates);
    const place = `${path}${key}`;
    if (found !== undefined && (found.when?.(value) ?? true)) {
      if (isRepeated(told, key, value)) continue;
      misses.push(found.note(place));
    } else if (path === '' && isRecord(value) && !Object.hasOwn(told, key) && deniesSomehow(value))
      misses.push(`"${place}" holds a denial and was ignored: ${vocabulary.instead['a decision']}`);
    if (misses.length >= mostMisses) break;
  }
  return misses;
}

/** More of them than this help nobody. */
const mostMisses = 20;

const isRepeated = (told: Fields, key: string, value: unknown): boolean =>
  Object.hasOwn(told, key) && isDeepStrictEqual(told[key], value);

function candidatesOf({ deciding, misplaced, instead }: Vocabulary): Candidate[] {
  return [
    ...deciding.map((name) => ({
      name,
      note: (path: string) => `"${path}" is no field of an answer and was ignored: "${name}" is`,
    })),
    ...Object.entries(misplaced).map(([name, what]) => ({
      name,
      note: (path: string) => `"${path}" has no effect in this place and was ignored: ${what}`,
    })),
    ...foreignWords
      .filter(({ name }) => !deciding.includes(name) && !Object.hasOwn(misplaced, name))
      .map(({ name, meant, when }) => ({
        name,
        when,
        note: (path: string) =>
          `"${path}" belongs to the hooks of another host and was ignored: ${instead[meant]}`,
      })),
  ];
}
