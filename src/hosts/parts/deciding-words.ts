import { distance } from 'fastest-levenshtein';
import { isRecord } from '../../base/json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A word of another host's hooks: what it means, and which values show that it was meant. */
export interface ForeignWord {
  readonly name: string;
  readonly meant: 'a decision' | 'arguments' | 'a result';
  /** Whether a value shows that it was meant: an ordinary word counts only with a value that decides. */
  readonly when?: (value: unknown) => boolean;
}

const denyingTexts = new Set([
  'deny',
  'denied',
  'block',
  'blocked',
  'reject',
  'rejected',
  'forbid',
  'forbidden',
  'refuse',
  'refused',
  'disallow',
  'disallowed',
]);
const otherDecisions = new Set(['allow', 'approve', 'ask', 'accept', 'decline', 'cancel', 'defer']);

const bare = (value: unknown): string =>
  typeof value === 'string' ? value.trim().toLowerCase() : '';

/** Whether a value is a word for "no", in any spelling. */
export const isDenyingText = (value: unknown): boolean => denyingTexts.has(bare(value));

const isDecidingText = (value: unknown): boolean =>
  isDenyingText(value) || otherDecisions.has(bare(value));

const isYes = (value: unknown): boolean => value === true || /^(?:true|yes)$/.test(bare(value));
const isNo = (value: unknown): boolean => value === false || /^(?:false|no)$/.test(bare(value));
const isYesOrObject = (value: unknown): boolean => isYes(value) || isRecord(value);

const decision = (name: string, when?: ForeignWord['when']): ForeignWord => ({
  name,
  meant: 'a decision',
  ...(when && { when }),
});
const input = (name: string): ForeignWord => ({ name, meant: 'arguments' });
const result = (name: string): ForeignWord => ({ name, meant: 'a result' });

/** The words with which hooks of other hosts decide or replace something. */
export const foreignWords: readonly ForeignWord[] = [
  decision('permissionDecision'),
  decision('permission'),
  decision('behavior'),
  decision('blocked'),
  decision('updatedPermissions'),
  decision('interrupt', isYes),
  decision('action', isDecidingText),
  decision('verdict', isDecidingText),
  decision('outcome', isDenyingText),
  decision('effect', isDenyingText),
  decision('result', isDenyingText),
  decision('status', isDenyingText),
  decision('block', isYesOrObject),
  decision('deny', isYesOrObject),
  decision('denied', isYes),
  decision('isBlocked', isYes),
  decision('reject', isYesOrObject),
  decision('rejected', isYes),
  decision('forbidden', isYes),
  decision('cancel', isYes),
  decision('ok', isNo),
  decision('allow', isNo),
  decision('allowed', isNo),
  decision('approve', isNo),
  decision('approved', isNo),
  decision('permitted', isNo),
  input('updatedInput'),
  input('modifiedArgs'),
  input('overrideInput'),
  result('updatedToolOutput'),
  result('updatedMcpToolOutput'),
  result('modifiedResult'),
];

/** A key without the differences between spellings: case, and the characters that join words. */
const normalized = (key: string): string => key.toLowerCase().replaceAll(/[^a-z]/g, '');

const saidByText = new Set(
  [
    'decision',
    'permissionDecision',
    'permission',
    'behavior',
    'action',
    'verdict',
    'outcome',
    'effect',
    'result',
    'status',
  ].map(normalized),
);
const saidByYes = new Set(
  [
    'blocked',
    'block',
    'deny',
    'denied',
    'isBlocked',
    'reject',
    'rejected',
    'forbidden',
    'cancel',
  ].map(normalized),
);
const saidByNo = new Set(
  ['continue', 'ok', 'allow', 'allowed', 'approve', 'approved', 'permitted'].map(normalized),
);

/** Whether an object denies or stops in any host's words; `known` maps a key to the word it stands for. */
export function saysNo(
  object: Fields,
  known: (key: string) => string | undefined = () => undefined,
  depth = 2,
): boolean {
  return Object.keys(object).some((key) => {
    const value = object[key];
    // Only these values can deny, and most values are none of them.
    const mayDecide = isRecord(value) || isYes(value) || isNo(value) || isDenyingText(value);
    if (!mayDecide) return false;
    const word = normalized(known(key) ?? key);
    if (saidByText.has(word) && isDenyingText(value)) return true;
    if (saidByYes.has(word) && isYesOrObject(value)) return true;
    if (saidByNo.has(word) && isNo(value)) return true;
    return (
      depth > 0 &&
      (word === 'hookspecificoutput' || word === 'decision') &&
      isRecord(value) &&
      saysNo(value, known, depth - 1)
    );
  });
}

/** Ordinary words that are spelled almost like a word that decides. */
const innocent = new Set(['revision', 'division', 'precision', 'derision', 'locked', 'clocked']);

/** How many letters may be wrong in a word of this length: short words resemble others too easily. */
const tolerated = (length: number): number =>
  length < 7 ? 0 : length < 8 ? 1 : length < 16 ? 2 : 3;

interface Target<Candidate> {
  readonly word: string;
  readonly most: number;
  readonly candidate: Candidate;
}

/** A list of candidates, prepared for comparison: an answer may have very many keys. */
interface Prepared<Candidate> {
  readonly exact: ReadonlyMap<string, Candidate>;
  /** The candidates in which letters may be wrong; `shortest` is the shortest key that can still be one. */
  readonly almost: readonly Target<Candidate>[];
  readonly shortest: number;
}

const prepared = new WeakMap<readonly object[], Prepared<unknown>>();

function prepare<Candidate extends { readonly name: string }>(
  candidates: readonly Candidate[],
): Prepared<Candidate> {
  const known = prepared.get(candidates);
  if (known !== undefined) return known as Prepared<Candidate>;
  const targets = candidates.map((candidate) => {
    const word = normalized(candidate.name);
    return { word, most: tolerated(word.length), candidate };
  });
  const almost = targets.filter(({ most }) => most > 0);
  const made: Prepared<Candidate> = {
    // If a name occurs more than once, the first counts.
    exact: new Map(targets.toReversed().map(({ word, candidate }) => [word, candidate])),
    almost,
    shortest: Math.min(...almost.map(({ word, most }) => word.length - most)),
  };
  prepared.set(candidates, made);
  return made;
}

/** The candidate that a key stands for, in another spelling or with wrong letters; undefined if none. */
export function nearest<Candidate extends { readonly name: string }>(
  key: string,
  candidates: readonly Candidate[],
): Candidate | undefined {
  if (key.length > longestKey) return undefined;
  const { exact, almost, shortest } = prepare(candidates);
  const word = normalized(key);
  const same = exact.get(word);
  if (same !== undefined || word.length < shortest || innocent.has(word)) return same;
  let best: Candidate | undefined;
  let fewest = Infinity;
  for (const { word: target, most, candidate } of almost) {
    if (Math.abs(target.length - word.length) > most) continue;
    const wrong = distance(target, word);
    if (wrong > most || wrong >= fewest) continue;
    best = candidate;
    fewest = wrong;
  }
  return best;
}

/** No word that decides is nearly this long. */
const longestKey = 60;
