import { distance } from 'fastest-levenshtein';

/** Longer than any key is; to compare such words would take time. */
const longestKey = 60;

/** The key that was probably meant; undefined when none of them is near. */
export function nearestKey(key: string, keys: readonly string[]): string | undefined {
  if (key.length > longestKey) return undefined;
  const written = plain(key);
  const [nearest] = keys
    .map((known) => ({ known, away: distance(written, plain(known)) }))
    .filter(
      ({ known, away }) => away <= Math.max(known.length < 4 ? 1 : 2, Math.floor(known.length / 3)),
    )
    .toSorted((one, other) => one.away - other.away);
  return nearest?.known ?? keys.find((known) => areOneBeginning(written, plain(known)));
}

const plain = (key: string): string => key.replaceAll(/[-_ .]/g, '').toLowerCase();

/** Such as `timeoutMs` and `desc`. */
const areOneBeginning = (one: string, other: string): boolean =>
  Math.min(one.length, other.length) >= 4 && (one.startsWith(other) || other.startsWith(one));
