import { HookmachineError } from '../base/errors.ts';
import { openDatabase } from './database/postgres.ts';
import { assertGranted, assertMigrated } from './database/schema.ts';
import { type CallStore, databaseStore } from './database/store.ts';
import { withKeys } from './encrypted-store.ts';
import type { HubAccess } from './hub-store.ts';

/** Where calls are kept: in a database, or by a hub. */
export interface StorePlace {
  readonly database?: string | undefined;
  readonly hub?: HubAccess | undefined;
  /** Keys with which payloads are encrypted before they leave this process. */
  readonly key?: string | undefined;
}

/** A store, and what the names of this machine's hosts begin with. */
export interface OpenedStore {
  readonly store: CallStore;
  readonly prefix: string;
}

/**
 * Opens the store of a host; the database is told the name of the `application`.
 *
 * @throws {HookmachineError} `ARGUMENT_INVALID`, `DATABASE_UNAVAILABLE`, `DATABASE_SCHEMA`, `DATABASE_ROLE`,
 * `HUB_REFUSED`
 */
export async function openStore(
  { database: url, hub, key }: StorePlace,
  application: string,
): Promise<OpenedStore> {
  if ((url === undefined) === (hub === undefined))
    throw new HookmachineError('ARGUMENT_INVALID', 'Give either "database" or "hub".');
  if (hub !== undefined) return openHub(hub, key);
  const database = await openDatabase(url!, application);
  try {
    await assertMigrated(database);
    await assertGranted(database);
    return { store: withKeys(databaseStore(database), key), prefix: '' };
  } catch (error) {
    await database.end();
    throw error;
  }
}

async function openHub(access: HubAccess, key: string | undefined): Promise<OpenedStore> {
  // Whoever has a database does not pay for a client of hubs.
  const { hubStore } = await import('./hub-store.ts');
  const store = hubStore(access);
  try {
    const { kind, name } = await store.identity();
    if (kind === 'machine') return { store: withKeys(store, key), prefix: `${name}/` };
    throw new HookmachineError(
      'HUB_REFUSED',
      `The token is that of ${name}, a person: calls are made with the token of a machine.`,
    );
  } catch (error) {
    await store.close();
    throw error;
  }
}
