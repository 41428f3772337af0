/** The value that a share of all values lies below. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Growth from one value to the next: the median of the slopes between all pairs, so that a single step does not count. */
export function growth(values: readonly number[]): number {
  const slopes = values.flatMap((from, start) =>
    values.slice(start + 1).map((to, index) => (to - from) / (index + 1)),
  );
  return median(slopes);
}
