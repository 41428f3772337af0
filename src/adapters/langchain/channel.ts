/** Passes values from a producer to a consumer, as they arrive. */
export class Channel<Value> implements AsyncIterable<Value> {
  readonly #values: Value[] = [];
  #isClosed = false;
  #wake: () => void = () => undefined;

  push(value: Value): void {
    this.#values.push(value);
    this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Value> {
    for (;;) {
      while (this.#values.length > 0) yield this.#values.shift()!;
      if (this.#isClosed) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
