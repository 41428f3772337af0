import { distance } from 'fastest-levenshtein';
import { normalized } from './deciding-words.ts';

/** Words of their own that are spelt almost as one that decides. */
const innocent = new Set(['revision', 'division', 'precision', 'derision', 'locked', 'clocked']);

/** How many letters may be wrong in a word of so many: short ones are too like others. */
const tolerated = (length: number): number =>
  length < 7 ? 0 : length < 8 ? 1 : length < 16 ? 2 : 3;

interface Target<Candidate> {
  readonly word: string;
  readonly most: number;
  readonly candidate: Candidate;
}

/** A list of candidates as keys are compared with it: an answer may have very many. */
interface Prepared<Candidate> {
  readonly exact: ReadonlyMap<string, Candidate>;
  /** Those in which letters may be wrong, and how short a key can still be one of them. */
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
    // The first of a name counts.
    exact: new Map(targets.toReversed().map(({ word, candidate }) => [word, candidate])),
    almost,
    shortest: Math.min(...almost.map(({ word, most }) => word.length - most)),
  };
  prepared.set(candidates, made);
  return made;
}

/** The candidate that a key stands for, by another spelling or with letters wrong; undefined when there is none. */
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

/** No word that decides is nearly so long. */
const longestKey = 60;
