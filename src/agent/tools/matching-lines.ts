import { inTime, tookTooLong } from '../../in-time.ts';

/** How long one run over a list of lines may take, in ms. */
const timeLimit = 1000;

/** The places in `lines` of those that match, or that finding out took too long. */
export type Matching =
  | { readonly kind: 'found'; readonly indexes: readonly number[] }
  | { readonly kind: 'tooSlow' };

/** Tests every line, in bounded time: the expression is the model's. One watch is for many lines. */
export function matchingLines(regex: RegExp, lines: readonly string[]): Matching {
  const found = (): number[] => lines.flatMap((line, index) => (regex.test(line) ? [index] : []));
  try {
    return { kind: 'found', indexes: inTime(found, timeLimit) };
  } catch (error) {
    if (!tookTooLong(error)) throw error;
    return { kind: 'tooSlow' };
  }
}
