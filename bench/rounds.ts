import { setTimeout as sleep } from 'node:timers/promises';
import { median, quantile } from './statistics.ts';
import type { Row } from './results.ts';

/** Takes a number of samples of one contestant. */
export type Sample = () => Promise<readonly number[]>;

/** How contestants take turns. */
export interface Turns {
  readonly rounds: number;
  /** The minimum time between two turns of one contestant, in ms; the others take their turns in between. */
  readonly pauseMs?: number;
  /** Which contestant the first is compared with, besides the second. */
  readonly against?: string;
}

/** The name of the column for the first contestant's time as a share of another's. */
export const shareOf = (name: string): string => `÷ ${name}`;

/** Takes samples of all contestants in turn, starting with a different one in each round. */
export async function inTurns(
  contestants: ReadonlyMap<string, Sample>,
  { rounds, pauseMs = 0, against }: Turns,
): Promise<Pick<Row, 'values' | 'ratio'>> {
  const names = [...contestants.keys()];
  const found = new Map(names.map((name) => [name, [] as number[]]));
  const endedAt = new Map<string, number>();
  let lastEnd = performance.now();
  for (let round = 0; round < rounds; round++)
    for (const [index] of names.entries()) {
      const name = names[(index + round) % names.length]!;
      const dueAt = Math.max(
        (endedAt.get(name) ?? -Infinity) + pauseMs,
        lastEnd + pauseMs / names.length,
      );
      if (dueAt > performance.now()) await sleep(dueAt - performance.now());
      found.get(name)!.push(median(await contestants.get(name)!()));
      lastEnd = performance.now();
      endedAt.set(name, lastEnd);
    }
  const ratios = (one: string, other: string): number[] =>
    found.get(one)!.map((value, round) => value / (found.get(other)![round] ?? Number.NaN));
  const [ours = '', theirs] = names;
  const values = Object.fromEntries([...found].map(([name, all]) => [name, median(all)]));
  if (against !== undefined) values[shareOf(against)] = median(ratios(ours, against));
  if (theirs === undefined) return { values };
  const all = ratios(ours, theirs);
  return {
    values,
    ratio: { median: median(all), low: quantile(all, 0.1), high: quantile(all, 0.9) },
  };
}
