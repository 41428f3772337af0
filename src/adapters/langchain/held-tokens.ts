import type { Answer, Chunk, RunManager } from './types.ts';

/**
 * Tokens that a run's callbacks have not received yet. LangChain sends them to whoever streams, past
 * everything else.
 */
export class HeldTokens {
  /** For the model in place of the run's own; undefined if nobody listens. */
  readonly manager: RunManager | undefined;
  readonly #listener: RunManager | undefined;
  #held: (readonly [string, unknown, ...unknown[]])[] = [];

  constructor(listener: RunManager | undefined, holds: (message: Answer | undefined) => boolean) {
    this.#listener = listener;
    this.manager =
      listener &&
      new Proxy(listener, {
        get: (target, key) => {
          if (key !== 'handleLLMNewToken') {
            const value: unknown = Reflect.get(target, key, target);
            return typeof value === 'function' ? value.bind(target) : value;
          }
          return async (...given: [string, unknown, ...unknown[]]): Promise<void> => {
            if (holds(messageIn(given))) this.#held.push(given);
            else await target.handleLLMNewToken(...given);
          };
        },
      });
  }

  /** Forgets what was held: another answer takes its place. */
  forget(): void {
    this.#held = [];
  }

  /** Emits what was held. */
  async release(): Promise<void> {
    for (const given of this.#held) await this.#listener?.handleLLMNewToken(...given);
    this.#held = [];
  }

  /** Emits something else in place of what was held, if anything was. */
  async replace(text: string, message: Answer): Promise<void> {
    if (this.#held.length === 0) return;
    this.#held = [];
    await this.tell({ text, message });
  }

  /** Emits a chunk. */
  async tell(chunk: Pick<Chunk, 'text' | 'message'>): Promise<void> {
    const place = { prompt: 0, completion: 0 };
    await this.#listener?.handleLLMNewToken(chunk.text, place, undefined, undefined, undefined, {
      chunk,
    });
  }
}

/** The message of the chunk that a token belongs to; it is the callback's last argument. */
function messageIn(given: readonly unknown[]): Answer | undefined {
  const fields = given[5] as { readonly chunk?: { readonly message?: Answer } } | undefined;
  return fields?.chunk?.message;
}
