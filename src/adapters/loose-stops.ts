/** So many calls may have stopped the agent whose results no model has seen. */
const most = 1_000;

/** Stops by tool calls that no turn is known of, by the calls: the model that gets their results is not asked. */
export class LooseStops {
  readonly #reasons = new Map<string, string>();

  keep(id: string, reason: string): void {
    // The result of a call whose run was given up is never seen.
    if (this.#reasons.size >= most) this.#reasons.delete(this.#reasons.keys().next().value!);
    this.#reasons.set(id, reason);
  }

  areNone(): boolean {
    return this.#reasons.size === 0;
  }

  of(id: string): string | undefined {
    return this.#reasons.get(id);
  }

  /** Why the agent is to stop that has these results; that is then said once. */
  take(ids: readonly string[]): string | undefined {
    for (const id of ids) {
      const reason = this.#reasons.get(id);
      this.#reasons.delete(id);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }
}
