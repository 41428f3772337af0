/** Events that one side pushes and the other iterates, in order and at its own pace. */
export class EventQueue<Event> implements AsyncIterable<Event> {
  readonly #waiting: Event[] = [];
  readonly #onAbandoned: () => Promise<void>;
  #ended = false;
  #wake: (() => void) | undefined;

  /** `onAbandoned` is called when the reader leaves before the end; the reader then waits for it. */
  constructor(onAbandoned: () => Promise<void>) {
    this.#onAbandoned = onAbandoned;
  }

  /** Adds events; does nothing once the queue has ended. */
  push(...events: readonly Event[]): void {
    if (this.#ended) return;
    this.#waiting.push(...events);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void> {
    try {
      for (;;) {
        const event = this.#waiting.shift();
        if (event !== undefined) yield event;
        else if (this.#ended) return;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      if (!this.#ended) await this.#onAbandoned();
    }
  }
}
