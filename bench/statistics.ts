/** The value below which this share of all values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** A value, with its 95 % confidence interval. */
export interface Estimate extends Interval {
  readonly value: number;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * Growth from one value to the next: the median of the slopes between all pairs, so that a single step does
 * not count (Theil and Sen). If the slopes cannot tell a decrease from no growth, it counts as none.
 */
export function growth(values: readonly number[]): Estimate {
  const slopes = values
    .flatMap((from, start) => values.slice(start + 1).map((to, index) => (to - from) / (index + 1)))
    .toSorted((one, other) => one - other);
  const { length } = values;
  // Kendall's: by how many pairs a series without a trend may lean to one side.
  const lean = 1.96 * Math.sqrt((length * (length - 1) * (2 * length + 5)) / 18);
  const outside = Math.max(0, Math.floor((slopes.length - lean) / 2));
  const low = slopes[outside] ?? Number.NaN;
  const high = slopes[slopes.length - 1 - outside] ?? Number.NaN;
  const value = median(slopes);
  return { value: high >= 0 ? Math.max(0, value) : value, low, high };
}
