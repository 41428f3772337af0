import { hostname } from 'node:os';
import type { HookSystemConfig } from '../hosts/system/hook-system-config.ts';
import { HookmachineError, isHookmachineError } from '../base/errors.ts';
import type { UsedBundle } from './database/bundles.ts';
import type { CallStore } from './database/store.ts';
import { messageOf } from '../base/message-of.ts';

/** The policies of a fleet, as one host has them. No call is begun or continued before they are current. */
export class Fleet {
  readonly #store: CallStore;
  readonly #config: HookSystemConfig;
  /** The last use that this host has applied. */
  #known = '0';
  #turn: Promise<void> = Promise.resolve();

  constructor(store: CallStore, config: HookSystemConfig) {
    this.#store = store;
    this.#config = config;
  }

  /**
   * Brings this host's hooks up to date with those of the fleet.
   *
   * @throws {HookmachineError} `POLICY_UNUSABLE` if that fails: then no call may run here
   */
  refresh(): Promise<void> {
    const turn = this.#turn.then(() => this.#refresh());
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #refresh(): Promise<void> {
    const last = await this.#store.lastBundleUse();
    if (last === this.#known) return;
    const used = await this.#store.usedBundles(hostname());
    try {
      await this.#take(used);
    } catch (error) {
      if (isHookmachineError(error, 'DATABASE_UNAVAILABLE')) throw error;
      throw new HookmachineError(
        'POLICY_UNUSABLE',
        `The policies of this database cannot be used by this host: ${messageOf(error)}`,
        { cause: error },
      );
    }
    this.#known = last;
  }

  async #take(used: readonly UsedBundle[]): Promise<void> {
    const config = this.#config;
    if (used.length === 0) config.useFleetBundles?.(undefined);
    else {
      const { bringBundles, fleetFolder } = await import('./fleet-folder.ts');
      const place = config.useFleetBundles?.(fleetFolder(this.#store.address));
      if (place === undefined) throw new Error('its config runs no hooks in the format of hookmachine'); // prettier-ignore
      await bringBundles(this.#store, place, used);
    }
    config.reloadSettings?.();
    await config.getHookSystem()?.reload();
  }
}
