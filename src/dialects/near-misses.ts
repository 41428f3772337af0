import { isDeepStrictEqual } from 'node:util';
import { fieldsOf, isRecord } from '../protocol/output.ts';
import type { Answer } from './answer.ts';
import { type ForeignWord, foreignWords, nearest, saysNo } from './deciding-words.ts';
import { doubledKeys, embeddedObjects } from './printed-json.ts';

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

/** The fields that a whole answer may have. */
export interface AnswerWords {
  /** At its top. */
  readonly common: Vocabulary;
  /** In its `hookSpecificOutput`; absent where that is not read. */
  readonly specific?: Vocabulary | undefined;
  /** In fields of the latter, by their names. */
  readonly inner?: Readonly<Record<string, Vocabulary>>;
  /** Fields of which one that is given twice is a miss, wherever of these they stand. */
  readonly once: readonly string[];
}

/** What to tell a hook's author of an answer in which words are almost such that decide, or are given twice. */
export function answerMisses(
  answer: Fields,
  json: string,
  { common, specific, inner = {}, once }: AnswerWords,
  received: Fields,
): string[] {
  const own = fieldsOf(answer['hookSpecificOutput']);
  return [
    ...nearMisses(answer, common, received),
    ...(specific ? nearMisses(own, specific, received) : []),
    ...Object.entries(inner).flatMap(([name, words]) =>
      nearMisses(fieldsOf(own[name]), words, fieldsOf(received[name])),
    ),
    ...doubledKeys(json, once, ['hookSpecificOutput', 'decision', ...Object.keys(inner)]),
  ];
}

interface Candidate {
  readonly name: string;
  readonly when?: ((value: unknown) => boolean) | undefined;
  readonly note: (path: string) => string;
}

/**
 * What to tell a hook's author of keys that are almost a field that decides, or decide elsewhere, each
 * with the field that was meant. What a hook repeats of what it received is none.
 */
export function nearMisses(object: Fields, vocabulary: Vocabulary, received: Fields): string[] {
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
      if (isRepeated(received, key, value)) continue;
      misses.push(found.note(place));
    } else if (
      path === '' &&
      isRecord(value) &&
      !Object.hasOwn(received, key) &&
      deniesSomehow(value)
    )
      misses.push(`"${place}" holds a denial and was ignored: ${vocabulary.instead['a decision']}`);
    if (misses.length >= mostMisses) break;
  }
  return misses;
}

/** More of them than this help nobody. */
const mostMisses = 20;

const isRepeated = (received: Fields, key: string, value: unknown): boolean =>
  Object.hasOwn(received, key) && isDeepStrictEqual(received[key], value);

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

/** Any word by which a hook could say no; where none is, nothing else needs to be looked at. */
const anyNo = /den(?:y|ied)|block|reject|refuse|forbid|disallow|cancel|false|true/i;

/** A denial in JSON that is broken, or that stands in a string: a field and its value are enough. */
const brokenNo =
  /(?:decision|permission|behavior)[\\"']{0,8}\s{0,8}[:=]\s{0,8}[\\"']{0,8}(?:deny|denied|block|reject)|(?:blocked|"block\\*"|"deny\\*")[\\"']{0,8}\s{0,8}[:=]\s{0,8}true|continue[\\"']{1,8}\s{0,8}[:=]\s{0,8}false/i;

const words = [
  { name: 'decision' },
  { name: 'continue' },
  { name: 'hookSpecificOutput' },
  ...foreignWords,
];

/** The word that a key stands for, whoever's it is. */
const wordOf = (key: string): string | undefined => nearest(key, words)?.name;

/** Whether an object says no in whatever words. */
export const deniesSomehow = (object: Readonly<Record<string, unknown>>): boolean =>
  saysNo(object, wordOf);

/** Whether a text that is no answer holds a denial: as a JSON object with something around it, or as a broken one. */
export function holdsDenial(printed: string): boolean {
  // What is left of another encoding stands between the letters.
  const text = printed.replaceAll('\0', '');
  if (!text.includes('{') || !anyNo.test(text)) return false;
  for (const json of embeddedObjects(text)) {
    if (!anyNo.test(json)) continue;
    try {
      const object: unknown = JSON.parse(json);
      if (isRecord(object) && deniesSomehow(object)) return true;
    } catch {
      // It has escapes that JSON does not know.
    }
  }
  return brokenNo.test(text);
}

/** The answer of a hook that did its work, with a note of a denial that it printed on stderr, where none is read. */
export function withLostDenial(answer: Answer): Answer {
  const { decision, stop, status, stderr, notes } = answer;
  if (decision === 'deny' || stop || status !== 'ok' || !holdsDenial(stderr)) return answer;
  const lost = 'a denial was NOT read: the hook printed it on stderr; print it on stdout';
  return { ...answer, notes: [...notes, lost] };
}
