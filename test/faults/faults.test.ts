import { describe, expect, test } from 'vitest';
import { brokenClaims } from '../../faults/claims.ts';
import { faults } from '../../faults/faults.ts';
import { fates } from '../../faults/engine.ts';
import type { Fault } from '../../faults/fault.ts';
import type { Observed } from '../../faults/observed.ts';
import { runFault } from '../../faults/run-fault.ts';
import { findProgram } from '../../src/base/programs.ts';

/* A part of the table that `npm run faults` builds: alternately under one policy and the other. */

describe.concurrent.each(Object.entries(faults))('%s', (_, all) => {
  const some = all.filter(
    ({ isDeaf, needs }, index) =>
      index % 13 === 0 && !isDeaf && (needs === undefined || findProgram(needs) !== undefined),
  );
  test.each(
    some.map((fault, index) => {
      const policy: 'allow' | 'block' = index % 2 ? 'allow' : 'block';
      return { fault, policy, fate: fates[index % fates.length]! };
    }),
  )(
    'the fault $fault.name loses no denial, leaves nothing behind and is not silent ($policy, $fate)',
    async ({ fault, policy, fate }) => {
      const observed = await runFault(fault, { policy, fate });
      const broken = brokenClaims(fault, policy, observed, fate);
      // How long it takes on a busy machine says nothing.
      expect(broken.filter((claim) => !claim.startsWith('it took'))).toEqual([]);
    },
  );
});

/** A run in which everything is well. */
const observed = (change: Partial<Observed> = {}): Observed => ({
  decided: { isDenied: true, reason: 'no' },
  ms: 1,
  processes: 0,
  descriptors: 0,
  reported: ['it left something'],
  uncaught: [],
  ...change,
});

describe('broken claims are found', () => {
  const fault: Fault = { name: 'a fault', expected: 'denial', command: 'exit 2' };

  test('a run without a fault breaks no claim', () => {
    expect(brokenClaims(fault, 'block', observed())).toEqual([]);
  });

  test.each<[string, Partial<Observed>, RegExp]>([
    ['a lost denial', { decided: { isDenied: false } }, /denial was lost/],
    ['a missing reason', { decided: { isDenied: true, reason: ' ' } }, /no reason/],
    ['a process left behind', { processes: 1 }, /1 processes left/],
    ['a descriptor left open', { descriptors: 1 }, /1 descriptors left/],
    ['an unhandled rejection', { uncaught: ['x'] }, /uncaught: x/],
  ])('the check of a run finds %s', (_, change, message) => {
    expect(String(brokenClaims(fault, 'block', observed(change)))).toMatch(message);
  });

  test('the check of a run finds a daemon that was ended although it was meant to live, or lives although it was not', () => {
    const daemon: Fault = { ...fault, leaves: 'daemon' };
    const lives = observed({ processes: 1, descriptors: 1 });
    expect(brokenClaims(daemon, 'block', lives)).toEqual([]);
    expect(brokenClaims(daemon, 'block', observed())).toEqual([
      'what should have lived on was ended',
    ]);
    expect(brokenClaims(daemon, 'block', lives, 'end')).not.toEqual([]);
    expect(brokenClaims({ ...fault, leaves: 'group' }, 'block', lives)).not.toEqual([]);
    expect(brokenClaims({ ...fault, leaves: 'group' }, 'block', lives, 'leave')).toEqual([]);
  });

  test('the check of a run finds a call that reaches no decision', () => {
    const { decided: _, ...nothing } = observed({ uncaught: ['EMFILE'] });
    expect(brokenClaims(fault, 'block', nothing)).toEqual(['it never settled: EMFILE']);
  });
});
