/** Durations, counted in steps of five per cent, so that millions take no more room than a few. */
export class Durations {
  readonly #counts = new Map<number, number>();
  #runs = 0;
  #total = 0;

  add(ms: number): void {
    const step = Math.round(Math.log1p(ms) / width);
    this.#counts.set(step, (this.#counts.get(step) ?? 0) + 1);
    this.#runs += 1;
    this.#total += ms;
  }

  /** The sum of all durations, in ms. */
  get total(): number {
    return this.#total;
  }

  /** The duration in ms that this share of them did not exceed. */
  quantile(share: number): number {
    let left = Math.ceil(this.#runs * share);
    for (const [step, count] of [...this.#counts].toSorted(([one], [other]) => one - other))
      if ((left -= count) <= 0) return Math.expm1(step * width);
    return 0;
  }
}

const width = Math.log(1.05);
