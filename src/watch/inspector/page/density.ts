const bucketCount = 1_024;

/** Counts how much happened when, in a fixed number of buckets, which widen as time goes on. */
export class Density {
  from: number | undefined;
  width = 1;
  readonly calls = new Uint32Array(bucketCount);
  readonly denied = new Uint32Array(bucketCount);
  readonly failed = new Uint32Array(bucketCount);

  add(at: number, what: 'calls' | 'denied' | 'failed'): void {
    this.from ??= at;
    while (at >= this.from + bucketCount * this.width) this.#widen();
    // An entry from before the first one, by another process's clock, counts as the first.
    this[what][Math.max(0, Math.floor((at - this.from) / this.width))]! += 1;
  }

  #widen(): void {
    this.width *= 2;
    for (const counts of [this.calls, this.denied, this.failed]) {
      for (let i = 0; i < bucketCount / 2; i++) counts[i] = counts[2 * i]! + counts[2 * i + 1]!;
      counts.fill(0, bucketCount / 2);
    }
  }
}
