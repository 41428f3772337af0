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

/** How many late answers are waited for; a server need not answer what was cancelled. */
const mostDropped = 1_000;

/** The requests that wait for the server, by their ids. */
export class OpenRequests {
  readonly #open = new Map<string, OpenRequest>();
  readonly #dropped = new Set<string>();
  readonly #whenEmpty = new Set<() => void>();

  has({ value }: Message): boolean {
    return this.#open.has(keyOf(value['id']));
  }

  /** The request with this id. */
  withId(id: unknown): OpenRequest | undefined {
    return this.#open.get(keyOf(id));
  }

  add({ value }: Message, request: OpenRequest): void {
    this.#open.set(keyOf(value['id']), request);
  }

  close({ value }: Message): void {
    this.#open.delete(keyOf(value['id']));
    if (this.#open.size > 0) return;
    for (const tell of this.#whenEmpty) tell();
    this.#whenEmpty.clear();
  }

  /** Closes a request whose answer may still come, but is for nobody then. */
  drop(message: Message): void {
    this.close(message);
    if (this.#dropped.size >= mostDropped)
      this.#dropped.delete(this.#dropped.values().next().value!);
    this.#dropped.add(keyOf(message.value['id']));
  }

  /** Whether an answer is one that nobody waits for any more; true only once. */
  wasDropped({ value }: Message): boolean {
    return this.#dropped.delete(keyOf(value['id']));
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
