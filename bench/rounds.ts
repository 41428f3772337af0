import { median, quantile } from './statistics.ts';
import type { Row } from './results.ts';

/** Gives so many samples of one contestant. */
export type Sample = () => Promise<readonly number[]>;

/** Takes samples of all contestants in turns, another one first in each round. */
export async function inTurns(
  contestants: ReadonlyMap<string, Sample>,
  rounds: number,
): Promise<Pick<Row, 'values' | 'ratio'>> {
  const names = [...contestants.keys()];
  const found = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++)
    for (const [index] of names.entries()) {
      const name = names[(index + round) % names.length]!;
      found.get(name)!.push(median(await contestants.get(name)!()));
    }
  const [ours = [], theirs = []] = names.map((name) => found.get(name)!);
  const ratios = ours.map((value, round) => value / (theirs[round] ?? Number.NaN));
  return {
    values: Object.fromEntries([...found].map(([name, all]) => [name, median(all)])),
    ...(theirs.length > 0 && {
      ratio: { median: median(ratios), low: quantile(ratios, 0.1), high: quantile(ratios, 0.9) },
    }),
  };
}
