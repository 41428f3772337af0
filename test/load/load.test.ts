import { describe, expect, test } from 'vitest';
import { callsOf } from '../../load/calls.ts';
import { brokenClaims, growth } from '../../load/claims.ts';
import type { Slice } from '../../load/host.ts';
import { killHosts } from '../../load/kills.ts';
import { kinds, stop, type Kind } from '../../load/kinds.ts';
import { runBatch } from '../../load/run-batch.ts';
import { runLoad, type Run } from '../../load/run-load.ts';
import { openSession } from '../../load/session.ts';

/** `npm run load` makes a hundred thousand. */
const count = 400;

describe('hundreds of calls with mixed hooks', () => {
  test.each([
    ['with each hook started with its event', true],
    ['with hooks that read first started ahead', false],
  ])(
    'hundreds of calls end as each must, in order, and nothing grows or stays behind, %s',
    async (_, plain) => {
      const run = await runLoad({ calls: count, atOnce: 16, seed: 1, plain });
      expect(brokenClaims(run, plain)).toEqual([]);
      expect(run.slices.map((slice) => slice.calls)).toContain(count);
      expect(run.end?.begun).toBeGreaterThan(count / 3);
      expect(run.end?.reported).toBeGreaterThan(0);
    },
  );

  test('the calls are of every kind', () => {
    const made = new Set(callsOf(0, count, 1).map(({ kind }) => kind));
    expect(made).toEqual(new Set([...kinds, stop]));
  });
});

test('after SIGKILL of the host, no process of a hook survives, and the recording stays readable', async () => {
  const { broken, alive, entries, torn } = await killHosts({ kills: 2, atOnce: 16, seed: 1 });
  expect(broken).toEqual([]);
  expect(alive).toBeGreaterThan(0);
  expect(entries).toBeGreaterThan(0);
  expect(torn).toBeGreaterThan(0);
});

/** What a host without leaks holds. */
const slice = (calls: number, change: Partial<Slice> = {}): Slice => ({
  calls,
  seconds: 1,
  heap: 20_000_000,
  rss: 100_000_000,
  descriptors: 20,
  processes: 0,
  ...change,
});

describe('broken claims about a run are found', () => {
  const end = { wrong: [], wrongs: 0, toReport: 1, reported: 1, begun: 9, ended: 9, uncaught: [] };
  const run = (
    change: (index: number) => Partial<Slice>,
    more: Partial<Run> = {},
  ): Run & { readonly end: NonNullable<Run['end']> } => ({
    slices: Array.from({ length: 10 }, (_, index) => slice((index + 1) * 10_000, change(index))),
    end,
    exit: 0,
    left: 0,
    ...more,
  });

  test('a run without a fault breaks no claim', () => {
    expect(
      brokenClaims(
        run(() => ({})),
        true,
      ),
    ).toEqual([]);
    // What is created once, and what comes and goes.
    const noisy = run((index) => ({ heap: 20_000_000 + (index === 0 ? -5e6 : (index % 3) * 1e5) }));
    expect(brokenClaims(noisy, true)).toEqual([]);
    const ready = run((index) => ({ processes: index % 8, descriptors: 20 + 3 * (index % 8) }));
    expect(brokenClaims(ready, false)).toEqual([]);
  });

  test.each<[string, Run, RegExp]>([
    ['a small leak', run((index) => ({ heap: index * 10_000 * 24 })), /grows by 24\.0 bytes/],
    ['memory off the heap', run((index) => ({ rss: index * 10_000_000 })), /memory rose by/],
    [
      'a leaked descriptor',
      run((index) => ({ descriptors: 20 + Number(index > 6) })),
      /21 descriptors/,
    ],
    [
      'a descriptor leaked while waiting hooks come and go',
      run((index) => ({
        processes: index % 8,
        descriptors: 20 + 3 * (index % 8) + Number(index > 6),
      })),
      /21 descriptors were open after 80000 calls, not 20/,
    ],
    ['a leaked process', run((index) => ({ processes: Number(index === 3) })), /1 processes lived/],
    ['an orphan', run(() => ({}), { left: 1 }), /1 processes outlived/],
    ['a host that does not end', run(() => ({}), { exit: 'SIGKILL' }), /ended with SIGKILL/],
    [
      'a machine that does not end',
      run(() => ({}), { end: { ...end, ended: 8 } }),
      /9 machines began, 8 ended/,
    ],
    [
      'a silent failure',
      run(() => ({}), { end: { ...end, reported: 0 } }),
      /and were reported 0 times/,
    ],
    [
      'an unhandled rejection',
      run(() => ({}), { end: { ...end, uncaught: ['x'] } }),
      /uncaught: x/,
    ],
    ['a wrong result', run(() => ({}), { end: { ...end, wrong: ['y'], wrongs: 3 } }), /^y,2 more/],
  ])('the check of a load run finds %s', (_, broken, message) => {
    expect(String(brokenClaims(broken, true))).toMatch(message);
  });

  test('the check of a load run finds a host that ends before its calls do', () => {
    const { slices, left } = run(() => ({}));
    expect(brokenClaims({ slices, left, exit: 7 }, true)).toEqual([
      'the host ended with 7 before its calls did',
    ]);
  });

  test('the check of a load run finds a call that ends differently than it must', async () => {
    const config = await openSession({ onWarning: () => undefined });
    const wrong: string[] = [];
    const [call] = callsOf(0, 1, 1);
    const kind: Kind = {
      ...call!.kind,
      expected: () => ({ status: 'done', content: 'something else' }),
    };
    const options = { config, limit: 1, wrong: (what: string) => void wrong.push(what) };
    await runBatch([{ ...call!, kind }], options);
    expect(wrong).toEqual([
      expect.stringMatching(
        /^call 0 \(stop\) ended with .*enough at 0.* not with .*something else/,
      ),
      expect.stringContaining('a batch was stopped by'),
    ]);
  });

  test('the growth is the slope of the best-fitting line', () => {
    expect(growth([1, 2, 3, 4].map((n) => slice(n * 10, { heap: 7 + n * 50 })))).toBeCloseTo(5);
  });
});
