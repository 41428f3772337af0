import type { ServerResponse } from 'node:http';
import type { ModelFormat, StreamEvent } from './formats/format.ts';
import type { ProviderAnswer } from './forward.ts';
import { writtenEvent } from './sent-events.ts';

/** How often an agent that waits for hooks gets a sign of life, in ms. */
const aliveEvery = 10_000;

/** The agent's end of a call. */
export class Client {
  readonly #response: ServerResponse;
  readonly #format: ModelFormat;
  #alive: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, format: ModelFormat) {
    this.#response = response;
    this.#format = format;
  }

  get hasBegun(): boolean {
    return this.#response.headersSent;
  }

  /** Begins the answer with what the provider said of it. */
  begin({ status, headers }: Pick<ProviderAnswer, 'status' | 'headers'>): void {
    if (this.hasBegun) return;
    this.#response.writeHead(status, headers);
    this.#response.flushHeaders();
  }

  /** Begins a stream in the model's place. */
  beginStream(): void {
    this.begin({
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    });
  }

  /** Writes bytes; resolves when there is room for more. */
  async write(bytes: Buffer | string): Promise<void> {
    const response = this.#response;
    if (bytes.length === 0 || response.destroyed || response.write(bytes)) return;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        response.off('drain', go).off('close', go);
        resolve();
      };
      response.once('drain', go).once('close', go);
    });
  }

  event(event: StreamEvent): Promise<void> {
    return this.write(writtenEvent(event));
  }

  /** Gives signs of life until the answer goes on. */
  keepAlive(): void {
    const { alive } = this.#format;
    if (alive === undefined || this.#alive) return;
    this.#alive = setInterval(() => void this.write(alive), aliveEvery).unref();
  }

  /** Ends the answer. */
  end(bytes?: Buffer | string): void {
    clearInterval(this.#alive);
    this.#response.end(bytes);
  }

  /** Answers with one JSON object. */
  json(status: number, body: object, headers: ProviderAnswer['headers'] = {}): void {
    const text = JSON.stringify(body);
    this.begin({ status, headers: { 'content-type': 'application/json', ...headers } });
    this.end(text);
  }

  /** Tells the agent that there is no answer, in the provider's own form. */
  fail(status: number, message: string): void {
    if (!this.hasBegun) return this.json(status, this.#format.error(status, message));
    this.end(writtenEvent(this.#format.stream.failure(message)));
  }
}
