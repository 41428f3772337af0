import { type Child, make } from './dom.ts';

/** The reasons that a page has already given for a call: each is given once, at its first place. */
export class GivenReasons {
  readonly #reasons = new Set<string>();

  /** Returns the reason of a hook, or of the call itself, unless it was given before. */
  once(reason: string | undefined, hook?: string): Child {
    if (reason === undefined || reason === '') return undefined;
    const key = JSON.stringify([hook, reason]);
    if (this.#reasons.has(key)) return undefined;
    this.#reasons.add(key);
    return make('q', {}, reason);
  }
}
