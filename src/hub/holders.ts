import type { Members } from './members.ts';
import type { Holder } from './known.ts';

/** How long a hub trusts what it knows of a token, in ms: a revoked one may be used for so long. */
const trustedFor = 2_000;

/** How many tokens a hub remembers. */
const most = 5_000;

interface Known {
  readonly holder: Promise<Holder | undefined>;
  readonly until: number;
  readonly version: string | undefined;
}

/** Who holds which token. The database is asked once for many requests that follow one another. */
export class Holders {
  readonly #members: Members;
  readonly #known = new Map<string, Known>();

  constructor(members: Members) {
    this.#members = members;
  }

  of(token: string, version?: string): Promise<Holder | undefined> {
    const known = this.#known.get(token);
    if (known && known.until > performance.now() && known.version === version) return known.holder;
    this.#known.delete(token);
    if (this.#known.size >= most) this.#known.delete(this.#known.keys().next().value!);
    const holder = this.#members.holderOf(token, version);
    this.#known.set(token, { holder, until: performance.now() + trustedFor, version });
    holder.catch(() => this.#known.delete(token));
    return holder;
  }

  /** Forgets a token that has ended. */
  forget(token: string): void {
    this.#known.delete(token);
  }
}
