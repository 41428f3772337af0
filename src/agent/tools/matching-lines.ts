import { inTime, tookTooLong } from '../../base/bounded-regex.ts';

/** Time limit for one run over a list of lines, in ms. */
const timeLimit = 1000;

/** The indexes of the lines that match, or that matching took too long. */
export type Matching =
  | { readonly kind: 'found'; readonly indexes: readonly number[] }
  | { readonly kind: 'tooSlow' };

/** Tests every line in bounded time, because the expression is the model's. One timer covers many lines. */
export function matchingLines(regex: RegExp, lines: readonly string[]): Matching {
  const found = (): number[] => lines.flatMap((line, index) => (regex.test(line) ? [index] : []));
  try {
    return { kind: 'found', indexes: inTime(found, timeLimit) };
  } catch (error) {
    if (!tookTooLong(error)) throw error;
    return { kind: 'tooSlow' };
  }
}
