import { randomUUID } from 'node:crypto';
import type { Claim, Lease } from './database/effects.ts';
import { whenReachable } from './database/postgres.ts';
import type { CallStore } from './database/store.ts';

/**
 * The effects of one call, by name. Each is claimed before it starts, and the claim is committed by then; its
 * outcome is written once. An effect that was claimed and has no outcome is never started again. While the
 * store is out of reach, each operation waits for it as long as the host has its lease.
 */
export class Ledger {
  readonly #store: CallStore;
  readonly #lease: Lease;
  readonly #workspace: string;
  readonly #lost: AbortSignal;

  /** `lost` is aborted when the host has lost its lease. */
  constructor(store: CallStore, lease: Lease, workspace: string, lost: AbortSignal) {
    this.#store = store;
    this.#lease = lease;
    this.#workspace = workspace;
    this.#lost = lost;
  }

  /** @throws {LeaseLost} if the call was taken over */
  claim(name: string): Promise<Claim> {
    const token = randomUUID();
    return this.#reach(() =>
      this.#store.claimEffect(this.#lease, this.#workspace, name, token, process.pid),
    );
  }

  /**
   * Takes over an effect that was cut off and may run once more because its author says so. Returns undefined
   * if it already ran again, or if an outcome has arrived after all.
   */
  async claimAgain(name: string, cutOff: string): Promise<string | undefined> {
    const token = randomUUID();
    const isClaimed = await this.#reach(() =>
      this.#store.claimEffectAgain(this.#lease, name, cutOff, token, process.pid),
    );
    return isClaimed ? token : undefined;
  }

  /** Records that an effect was interrupted before it did anything, so that it may be started again. */
  interrupt(name: string): Promise<void> {
    return this.#reach(() => this.#store.interruptEffect(this.#lease, name));
  }

  /** Records the outcome of an effect unless there already is one, and returns the outcome that counts. */
  record(name: string, outcome: string): Promise<string> {
    return this.#reach(() => this.#store.recordEffect(this.#lease, name, outcome));
  }

  #reach<Made>(work: () => Promise<Made>): Promise<Made> {
    return whenReachable(work, this.#lost);
  }
}
