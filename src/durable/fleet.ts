import type { UsedBundle } from './fleet-folder.ts';
import type { HookSystemConfig } from '../hosts/system/hook-system-config.ts';
import { HookmachineError, isHookmachineError } from '../base/errors.ts';
import type { Database } from './postgres.ts';
import { messageOf } from '../base/message-of.ts';

/** The policies of a fleet, as one host has them. No call is begun or continued before they are current. */
export class Fleet {
  readonly #database: Database;
  readonly #url: string;
  readonly #config: HookSystemConfig;
  /** The last use that this host has applied. */
  #known = '0';
  #turn: Promise<void> = Promise.resolve();

  constructor(database: Database, url: string, config: HookSystemConfig) {
    this.#database = database;
    this.#url = url;
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
    const { rows } = await this.#database.query<{ last: string }>(
      'select coalesce(max(id), 0)::text as last from hookmachine.bundle_uses',
    );
    const { last = '0' } = rows[0] ?? {};
    if (last === this.#known) return;
    const used = await usedNow(this.#database);
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
      const place = config.useFleetBundles?.(fleetFolder(this.#url));
      if (place === undefined) throw new Error('its config runs no hooks in the format of hookmachine'); // prettier-ignore
      await bringBundles(this.#database, place, used);
    }
    config.reloadSettings?.();
    await config.getHookSystem()?.reload();
  }
}

async function usedNow(database: Database): Promise<readonly UsedBundle[]> {
  const { rows } = await database.query<UsedBundle>(
    `select u.name, b.version, b.digest, b.signer from (
       select distinct on (name) name, digest from hookmachine.bundle_uses order by name, id desc
     ) u join hookmachine.bundles b using (digest) order by u.name`,
  );
  return rows;
}
