import type { Machine } from './machine.ts';
import type { Interval } from './statistics.ts';

/** One line of a table. */
export interface Row {
  readonly id: string;
  readonly title: string;
  /** By the table's columns. */
  readonly values: Readonly<Record<string, number>>;
  /** By column, if it was measured: the interval in which the value lies. */
  readonly intervals?: Readonly<Record<string, Interval>>;
  /**
   * The first column's share of the second, in the same round: the median of all rounds, and the range of
   * most rounds.
   */
  readonly ratio?: { readonly median: number; readonly low: number; readonly high: number };
  readonly targets?: readonly Target[];
}

/** A maximum for `ratio`, or for the named column. */
export interface Target {
  readonly atMost: number;
  readonly column: string;
}

export interface Table {
  readonly title: string;
  readonly unit: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** Everything that a run measured; `results.json`. */
export interface Results {
  readonly date: string;
  readonly quick: boolean;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly tables: readonly Table[];
}

/** The column that targets apply to unless they name another. */
export const ratioColumn = 'ratio';

/** What a target is compared with: for an interval, the end that is farther from zero. */
export function measured({ values, intervals, ratio }: Row, column: string): number {
  if (column === ratioColumn) return ratio?.median ?? Number.NaN;
  const interval = intervals?.[column];
  if (interval) return Math.max(Math.abs(interval.low), Math.abs(interval.high));
  return values[column] ?? Number.NaN;
}

/** Whether the row meets a target. */
export const isMet = (row: Row, { atMost, column }: Target): boolean =>
  measured(row, column) <= atMost;

/** A target for the first column's share of the second. */
export const ofRatio = (atMost: number): Target => ({ atMost, column: ratioColumn });
