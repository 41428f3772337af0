import type { GuardedCall } from './guarded-call.ts';
import { keyOf, type Message } from './message.ts';

/** A client's request that has no answer yet. */
export interface OpenRequest {
  /** The tool call, if the request is one. */
  readonly call?: GuardedCall;
  /** The tool call whose result it fetches, if it does. */
  readonly fetches?: GuardedCall | undefined;
  answered(answer: Message): void;
  /** Called if the server will not answer. */
  abandoned(why: string): void;
}

/** How many ids of calls that are over are remembered. */
const mostOver = 1_000;

/** The requests that wait for the server, by their ids. */
export class OpenRequests {
  readonly #open = new Map<string, OpenRequest>();
  readonly #over = new Set<string>();
  readonly #whenEmpty = new Set<() => void>();

  has({ value }: Message): boolean {
    return this.#open.has(keyOf(value['id']));
  }

  /** The request with this id. */
  withId(id: unknown): OpenRequest | undefined {
    return this.#open.get(keyOf(id));
  }

  add({ value }: Message, request: OpenRequest): void {
    const key = keyOf(value['id']);
    this.#over.delete(key);
    this.#open.set(key, request);
  }

  close({ value }: Message): void {
    this.#open.delete(keyOf(value['id']));
    if (this.#open.size > 0) return;
    for (const tell of this.#whenEmpty) tell();
    this.#whenEmpty.clear();
  }

  /** Closes a call for good: a further answer to it is for nobody, since no hook has looked at it. */
  finish(message: Message): void {
    this.close(message);
    if (this.#over.size >= mostOver) this.#over.delete(this.#over.values().next().value!);
    this.#over.add(keyOf(message.value['id']));
  }

  /** Whether a call with the id of this message is over, and its id was not used again. */
  isOver({ value }: Message): boolean {
    return this.#over.has(keyOf(value['id']));
  }

  /** Resolves when no request is open. */
  empty(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#open.size === 0) resolve();
      else this.#whenEmpty.add(resolve);
    });
  }

  all(): readonly OpenRequest[] {
    return [...this.#open.values()];
  }
}
