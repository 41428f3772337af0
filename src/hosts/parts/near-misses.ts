import { isDeepStrictEqual } from 'node:util';
import { fieldsOf, isRecord } from '../../base/json.ts';
import type { Answer } from '../../core/answers/answer.ts';
import { type ForeignWord, foreignWords, nearest, saysNo } from './deciding-words.ts';
import { doubledKeys, embeddedObjects } from './printed-json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields that an object in an answer may have in one dialect, and where misplaced ones belong. */
export interface Vocabulary {
  /** The prefix of a key in messages, such as `hookSpecificOutput.`. */
  readonly path: string;
  /** Every field that has a meaning here, including the harmless ones. */
  readonly legal: readonly string[];
  /** The legal fields that decide or replace something: a key that is almost one of them is a near miss. */
  readonly deciding: readonly string[];
  /** Fields that decide elsewhere, each with the hint what to do instead. */
  readonly misplaced: Readonly<Record<string, string>>;
  /** How this dialect expresses what other hosts have other words for. */
  readonly instead: Readonly<Record<ForeignWord['meant'], string>>;
  /** Whether the case of keys is ignored. */
  readonly ignoresCase?: boolean;
}

/** The fields that a complete answer may have. */
export interface AnswerWords {
  /** At its top. */
  readonly common: Vocabulary;
  /** In its `hookSpecificOutput`; absent if that is not read. */
  readonly specific?: Vocabulary | undefined;
  /** In fields of `hookSpecificOutput`, by their names. */
  readonly inner?: Readonly<Record<string, Vocabulary>>;
  /** Fields that must not be given twice in any of these objects. */
  readonly once: readonly string[];
}

/** The fields at the top of such an answer that decide. */
const decidingTop = ['decision', 'continue', 'hookSpecificOutput'] as const;

/**
 * The words of hooks that answer at the top and in `hookSpecificOutput`: what is legal in each, and what in
 * the latter decides; `misplaced` decides in neither.
 */
export function nestedWords({
  decide,
  instead,
  legal,
  specific,
  deciding,
  misplaced = {},
}: {
  /** The hint how hooks deny. */
  readonly decide: string;
  readonly instead: Omit<Vocabulary['instead'], 'a decision'>;
  readonly legal: readonly string[];
  readonly specific: readonly string[];
  readonly deciding: readonly string[];
  readonly misplaced?: Vocabulary['misplaced'];
}): AnswerWords {
  const inBoth = { instead: { 'a decision': decide, ...instead } };
  const belongs = deciding
    .filter((name) => name !== 'decision')
    .map((name) => [name, `it belongs in "hookSpecificOutput.${name}"`]);
  return {
    common: {
      ...inBoth,
      path: '',
      legal: [...decidingTop, ...legal, 'reason', 'hookEventName', 'additionalContext'],
      deciding: decidingTop,
      misplaced: { ...misplaced, ...Object.fromEntries(belongs) },
    },
    specific: {
      ...inBoth,
      path: 'hookSpecificOutput.',
      legal: [...specific, 'hookEventName', 'additionalContext'],
      deciding,
      misplaced: {
        continue: '"continue" belongs next to "hookSpecificOutput", not inside it',
        ...misplaced,
        ...(!specific.includes('decision') && { decision: decide }),
      },
    },
    once: [...decidingTop, ...deciding],
  };
}

/** Returns notes for a hook's author about words that are almost deciding ones, or are given twice. */
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
 * Returns notes for a hook's author about keys that are almost a deciding field, or that decide elsewhere,
 * each with the field that was meant. A key that only repeats what the hook received is not reported.
 */
export function nearMisses(object: Fields, vocabulary: Vocabulary, received: Fields): string[] {
  const { path, legal, ignoresCase = false } = vocabulary;
  const known = new Set(legal);
  const isLegal = (key: string): boolean => known.has(ignoresCase ? key.toLowerCase() : key);
  const unknown = Object.keys(object).filter((key) => !isLegal(key));
  if (unknown.length === 0) return [];
  const candidates = candidatesOf(vocabulary);
  const misses: string[] = [];
  for (const key of unknown) {
    const value = object[key];
    if (value === null || value === undefined) continue;
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

/** More notes than this do not help anyone. */
const mostMisses = 20;

const isRepeated = (received: Fields, key: string, value: unknown): boolean =>
  Object.hasOwn(received, key) && isDeepStrictEqual(received[key], value);

function candidatesOf({ deciding, misplaced, instead }: Vocabulary): Candidate[] {
  return [
    ...deciding.map((name) => ({
      name,
      note: (path: string) =>
        `"${path}" is not a field of an answer and was ignored: use "${name}"`,
    })),
    ...Object.entries(misplaced).map(([name, what]) => ({
      name,
      note: (path: string) => `"${path}" has no effect here and was ignored: ${what}`,
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

/** Any word with which a hook could deny; a text without one needs no further look. */
const anyNo = /den(?:y|ied)|block|reject|refuse|forbid|disallow|cancel|false|true/i;

/** A denial in broken JSON or inside a string: a field and its value are enough. */
const brokenNo =
  /(?:decision|permission|behavior)[\\"']{0,8}\s{0,8}[:=]\s{0,8}[\\"']{0,8}(?:deny|denied|block|reject)|(?:blocked|"block\\*"|"deny\\*")[\\"']{0,8}\s{0,8}[:=]\s{0,8}true|continue[\\"']{1,8}\s{0,8}[:=]\s{0,8}false/i;

const words = [
  { name: 'decision' },
  { name: 'continue' },
  { name: 'hookSpecificOutput' },
  ...foreignWords,
];

/** Returns the word that a key stands for, in any host's vocabulary. */
const wordOf = (key: string): string | undefined => nearest(key, words)?.name;

/** Whether an object denies, in any host's words. */
const deniesSomehow = (object: Readonly<Record<string, unknown>>): boolean =>
  saysNo(object, wordOf);

/** Whether a text that is not an answer holds a denial: a JSON object inside other text, or a broken one. */
export function holdsDenial(printed: string): boolean {
  // Text in a wide encoding has NUL bytes between its letters.
  const text = printed.replaceAll('\0', '');
  if (!text.includes('{') || !anyNo.test(text)) return false;
  for (const json of embeddedObjects(text)) {
    if (!anyNo.test(json)) continue;
    try {
      const object: unknown = JSON.parse(json);
      if (isRecord(object) && deniesSomehow(object)) return true;
    } catch {
      // It has escapes that JSON does not allow.
    }
  }
  return brokenNo.test(text);
}

/** Adds a note to a successful hook's answer if it printed a denial on stderr, where none is read. */
export function withLostDenial(answer: Answer): Answer {
  const { decision, stop, status, stderr, notes } = answer;
  if (decision === 'deny' || stop || status !== 'ok' || !holdsDenial(stderr)) return answer;
  const lost = 'a denial was NOT read: the hook printed it on stderr; print it on stdout';
  return { ...answer, notes: [...notes, lost] };
}
