import type { Machine } from './machine.ts';

/** One line of a table. */
export interface Row {
  readonly id: string;
  readonly title: string;
  /** By the table's columns. */
  readonly values: Readonly<Record<string, number>>;
  /** The first column's share of the second, in the same round: the median of all rounds, and where most rounds lie. */
  readonly ratio?: { readonly median: number; readonly low: number; readonly high: number };
  /** At most so much of `ratio`, or of the column named. */
  readonly target?: { readonly atMost: number; readonly column: string };
}

export interface Table {
  readonly title: string;
  readonly unit: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** All that a run found; `results.json`. */
export interface Results {
  readonly date: string;
  readonly quick: boolean;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly tables: readonly Table[];
}

/** Where targets look unless they name a column. */
export const ratioColumn = 'ratio';

/** What a target is held against. */
export const measured = ({ values, ratio }: Row, column: string): number =>
  (column === ratioColumn ? ratio?.median : values[column]) ?? Number.NaN;

/** Whether the row's target is met; undefined where it has none. */
export const isMet = (row: Row): boolean | undefined =>
  row.target && measured(row, row.target.column) <= row.target.atMost;
