import type { Readable } from 'node:stream';

/** Reads one stream of a hook to its end, keeping at most `limit` bytes of it. */
export class OutputCollector {
  readonly #stream: Readable;
  readonly #chunks: Buffer[] = [];
  #kept = 0;
  #ended = false;
  #truncated = false;

  /** `onEnd` is called once, when the last writer has closed the stream. */
  constructor(stream: Readable, limit: number, onEnd: () => void) {
    this.#stream = stream;
    // What goes over the limit is read and thrown away: a hook that waits for its reader would never end.
    stream.on('data', (chunk: Buffer) => {
      const room = limit - this.#kept;
      if (chunk.length > room) this.#truncated = true;
      if (room <= 0) return;
      const kept = chunk.subarray(0, room);
      this.#chunks.push(kept);
      this.#kept += kept.length;
    });
    stream.once('close', () => {
      this.#ended = true;
      onEnd();
    });
    stream.on('error', () => stream.destroy());
  }

  get ended(): boolean {
    return this.#ended;
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  /** All that was kept, decoded as one text, so that no character is cut at a chunk's end (C-36); one cut by the limit is left out. */
  text(): string {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return decoder.decode(Buffer.concat(this.#chunks), { stream: this.#truncated });
  }

  /** Stops reading, whoever still writes. */
  destroy(): void {
    this.#stream.destroy();
  }
}
