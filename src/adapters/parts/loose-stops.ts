/** How many stops are remembered until a model would get the results of their calls. */
const most = 1_000;

/**
 * Stops by tool calls that belong to no known turn, by call id: the model that would get their results is not
 * asked.
 */
export class LooseStops {
  readonly #reasons = new Map<string, string>();

  keep(id: string, reason: string): void {
    // The result of a call whose run was abandoned is never seen.
    if (this.#reasons.size >= most) this.#reasons.delete(this.#reasons.keys().next().value!);
    this.#reasons.set(id, reason);
  }

  areNone(): boolean {
    return this.#reasons.size === 0;
  }

  of(id: string): string | undefined {
    return this.#reasons.get(id);
  }

  /** Why the agent that has these results must stop; returned only once. */
  take(ids: readonly string[]): string | undefined {
    for (const id of ids) {
      const reason = this.#reasons.get(id);
      this.#reasons.delete(id);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }
}
