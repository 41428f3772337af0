import { EventEmitter } from 'node:events';
import type { Announcements } from './database/listening.ts';
import type { CallStore } from './database/store.ts';

/** How often to look for news that is not announced, in ms: the wait doubles from the first to the second. */
const looks = { first: 1_000, polling: 5_000, scarce: 10_000, listening: 15_000 } as const;

/** How long after it failed to listen again, in ms. */
const listenAgainAfter = 60_000;

/** Varies a time, so that hosts that began together do not all ask at once. */
export const scattered = (ms: number): number => ms * (0.8 + Math.random() * 0.4);

/**
 * News of the calls of one workspace. A store announces them to those that listen. Where that is impossible,
 * waits are short, so that the store is asked more often.
 */
export class News {
  readonly #store: Pick<CallStore, 'listen' | 'isScarce'>;
  readonly #workspace: string;
  readonly #warn: (line: string) => void;
  readonly #heard = new EventEmitter();
  readonly #closed = new AbortController();
  #announcements: Announcements | undefined;
  #nextAttempt = 0;
  #opening: Promise<void> | undefined;

  constructor(
    store: Pick<CallStore, 'listen' | 'isScarce'>,
    workspace: string,
    warn: (line: string) => void,
  ) {
    this.#store = store;
    this.#workspace = workspace;
    this.#warn = warn;
    this.#heard.setMaxListeners(0);
  }

  /**
   * Waits for news of a call, or without one, of any call of the workspace; but only for so long. `rounds` is
   * how often in succession the waiting party has found nothing: it then waits longer.
   */
  async wait(
    rounds: number,
    signal?: AbortSignal,
    call?: string,
    atMost = Infinity,
  ): Promise<void> {
    if (this.#announcements === undefined && this.#opening === undefined) this.#open();
    const wait = Math.min(looks.first * 2 ** rounds, this.#longest);
    await this.#pause(Math.min(scattered(wait), atMost), signal, call);
  }

  get #longest(): number {
    if (this.#announcements) return looks.listening;
    return this.#store.isScarce ? looks.scarce : looks.polling;
  }

  /** Waits for `ms`, or until there is news. */
  #pause(ms: number, signal?: AbortSignal, call?: string): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#heard.off('news', hear);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const hear = (payload: string): void => {
        // A call whose id is too long for a notification is announced without it.
        if (call === undefined || payload === '' || payload === call) end();
      };
      const timer = setTimeout(end, ms);
      this.#heard.on('news', hear);
      if (signal?.aborted) end();
      else signal?.addEventListener('abort', end);
    });
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#opening;
    await this.#announcements?.end();
  }

  #open(): void {
    if (this.#closed.signal.aborted || Date.now() < this.#nextAttempt) return;
    this.#nextAttempt = Date.now() + listenAgainAfter;
    this.#opening = this.#listen()
      // A store that is out of reach is the concern of those who ask it.
      .catch(() => undefined)
      .finally(() => (this.#opening = undefined));
  }

  async #listen(): Promise<void> {
    let isLost = false;
    const found = await this.#store.listen({
      workspace: this.#workspace,
      hear: (call) => this.#heard.emit('news', call),
      lose: () => {
        isLost = true;
        this.#announcements = undefined;
        this.#nextAttempt = 0;
      },
      closed: this.#closed.signal,
    });
    if (isLost) return;
    if ('why' in found) {
      if (found.isFinal) this.#nextAttempt = Infinity;
      this.#warn(`${found.why}: news of calls is asked for every ${this.#longest / 1_000} s instead`); // prettier-ignore
      return;
    }
    this.#announcements = found;
    // It may have missed something until now.
    this.#heard.emit('news', '');
  }
}
