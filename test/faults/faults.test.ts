import { describe, expect, test } from 'vitest';
import { brokenClaims } from '../../faults/claims.ts';
import { faults } from '../../faults/faults.ts';
import { runFault } from '../../faults/run-fault.ts';
import { findProgram } from '../../src/process/find-program.ts';

/* A part of the table that `npm run faults` makes: in turns under one policy and under the other. */

describe.concurrent.each(Object.entries(faults))('%s', (_, all) => {
  const some = all.filter(
    ({ isDeaf, needs }, index) =>
      index % 4 === 0 && !isDeaf && (needs === undefined || findProgram(needs) !== undefined),
  );
  test.each(
    some.map((fault, index) => ({ fault, policy: index % 2 ? 'allow' : 'block' }) as const),
  )(
    '$fault.name, $policy: no denial lost, nothing left, nothing silent',
    async ({ fault, policy }) => {
      const broken = brokenClaims(fault, policy, await runFault(fault, { policy }));
      // How long it takes on a busy machine says nothing.
      expect(broken.filter((claim) => !claim.startsWith('it took'))).toEqual([]);
    },
    60_000,
  );
});
