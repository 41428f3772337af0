import * as fc from 'fast-check';

/** How many cases a property is tried with, unless it says otherwise. */
const cases = 60;

/** How many times more cases are tried than in `npm test`; set by `npm run fuzz`. */
export const times = Number(process.env['PROPERTY_TIMES'] ?? 1);

/**
 * The seed of all properties. `npm test` tries the same cases each time, so that a failure was caused by the
 * change at hand; `npm run fuzz` tries others. SEED=n repeats a run, and every failure prints its own seed
 * with the shrunk case.
 */
const seed = Number(process.env['SEED'] ?? (times === 1 ? 1 : Date.now()));

/** Tries a property; a failure throws with the seed, the path and the smallest case that fails. */
export const holds = async <Case>(
  arbitrary: fc.Arbitrary<Case>,
  property: (tried: Case) => void | Promise<void>,
  numRuns = cases,
): Promise<void> => {
  const tried = fc.asyncProperty(arbitrary, async (one) => property(one));
  await fc.assert(tried, { numRuns: numRuns * times, seed });
};
