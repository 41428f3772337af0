import { setTimeout as sleep } from 'node:timers/promises';
import { assertArgument, assertArguments, text } from '../base/arguments.ts';
import { newCallId } from '../core/calls/event-hooks.ts';
import { Approvals } from './approvals.ts';
import { audit, type Audit } from './audit.ts';
import { type CallStore, databaseStore } from './database/store.ts';
import { callRules, type DurableRequest } from './options.ts';
import { withKeys } from './encrypted-store.ts';
import type { HubAccess } from './hub-store.ts';
import { type DurableOutcome, outcomeOf, type WaitOptions } from './outcome.ts';
import type { Metric } from './database/metrics.ts';
import { Policies } from './policies.ts';
import { Retention } from './retention.ts';
import { type Database, openDatabase, whenReachable } from './database/postgres.ts';
import { sealCalls, type VerifiedChain, verifyChain } from './chain.ts';
import { assertMigrated, migrate, schemaVersion, versionOf } from './database/schema.ts';

/** The calls and questions of a store, for programs that have neither tools nor hooks. */
export class CallRecords {
  readonly approvals: Approvals;
  readonly #store: CallStore;

  /** Called by `openRecords` and `openHub` only. */
  constructor(store: CallStore) {
    this.#store = store;
    this.approvals = new Approvals(store);
  }

  /**
   * Submits a call without running anything here: the first worker of its workspace takes it. The same id
   * always means the same call.
   *
   * @returns the id of the call
   * @throws {HookmachineError} `ARGUMENT_INVALID`, `CALL_CONFLICT` if another call has this id
   * @example
   * const id = await records.submit({ workspace: 'shop', name: 'write_file', input });
   * const outcome = await records.outcome(id, { wait: true });
   */
  async submit(request: SubmittedRequest): Promise<string> {
    assertArguments('records.submit', request, { ...callRules, workspace: text });
    const { id = newCallId(), workspace, name: tool, session } = request;
    const input = JSON.stringify(request.input);
    await this.#store.submit({ id, workspace, session, tool, input, isCallers: false });
    return id;
  }

  /**
   * Returns the outcome of a call once it has ended or, without `wait`, waits for an answer.
   *
   * @throws {HookmachineError} `CALL_UNKNOWN` if there is none
   */
  async outcome(id: string, { signal, wait = false }: WaitOptions = {}): Promise<DurableOutcome> {
    assertArgument('the id of a call', id, text);
    for (;;) {
      const outcome = await this.#reach(
        async () => {
          const found = await outcomeOf(await this.#store.findCall(id), this.approvals);
          if (wait && found?.status === 'suspended') await this.approvals.expire();
          return found;
        },
        wait ? patience : 0,
        signal,
      );
      if (outcome && !(wait && outcome.status === 'suspended')) return outcome;
      await sleep(lookEvery, undefined, { ...(signal && { signal }) });
    }
  }

  /** Waits for a database that went away, for at most `ms`. */
  #reach<Made>(work: () => Promise<Made>, ms: number, signal?: AbortSignal): Promise<Made> {
    const limit = ms === 0 ? AbortSignal.abort() : AbortSignal.timeout(ms);
    return whenReachable(work, signal ? AbortSignal.any([signal, limit]) : limit);
  }

  /** Returns every effect of a call, with what was asked and answered. */
  async audit(id: string): Promise<Audit> {
    assertArgument('the id of a call', id, text);
    return audit(this.#store, id);
  }

  /**
   * Counts, by workspace, the calls that could continue but that nobody works on: there are no hosts, or too
   * few.
   */
  async waiting(): Promise<readonly { readonly workspace: string; readonly calls: number }[]> {
    return this.#store.unattended();
  }

  /** Returns what a monitor watches: what waits and for how long, who lives, and what was lost. */
  async metrics(): Promise<readonly Metric[]> {
    return this.#store.metrics();
  }

  async close(): Promise<void> {
    await this.#store.close();
  }
}

/** Everything that needs only the database: no tools, no hooks and no running host. */
export class DurableRecords extends CallRecords {
  readonly policies: Policies;
  readonly retention: Retention;
  readonly #database: Database;

  /** Called by `openRecords` only. */
  constructor(database: Database, key?: string) {
    super(withKeys(databaseStore(database), key));
    this.#database = database;
    this.policies = new Policies(database);
    this.retention = new Retention(database);
  }

  /**
   * Adds the calls that have ended to the chain of digests, each once; a hub does so by itself.
   *
   * @returns how many were added
   */
  async seal(): Promise<number> {
    return sealCalls(this.#database);
  }

  /**
   * Checks that nothing was changed of what was added to the chain. `expected` is a digest that was kept elsewhere,
   * which must be in it.
   */
  async verify(expected?: string): Promise<VerifiedChain> {
    return verifyChain(this.#database, expected);
  }

  /** Lists the hosts that take part, and when each was last seen. */
  async hosts(): Promise<readonly DurableHost[]> {
    const { rows } = await this.#database.query<DurableHost>(
      `select name, workspace, pid, joined_at as "joinedAt", seen_at as "seenAt",
         seen_at >= now() - lease as "isAlive"
       from hookmachine.hosts order by name`,
    );
    return rows;
  }
}

/** A call for a worker to make. */
export interface SubmittedRequest extends DurableRequest {
  /** What the tool acts on: only workers of this workspace take the call. */
  readonly workspace: string;
}

/** A host that takes part. */
export interface DurableHost {
  readonly name: string;
  readonly workspace: string;
  readonly pid: number;
  readonly joinedAt: Date;
  readonly seenAt: Date;
  /** Whether its lease has not ended yet. */
  readonly isAlive: boolean;
}

/** What opens records that are encrypted. */
export interface KeyOption {
  /** As the `key` of `DurableOptions`. */
  readonly key?: string | undefined;
}

/** How often the outcome of a call is looked for, in ms. */
const lookEvery = 1_000;

/** How long to wait for a database that went away, in ms. */
const patience = 60_000;

/**
 * Opens the records of a database that was migrated.
 *
 * @throws {HookmachineError} `DATABASE_UNAVAILABLE`, `DATABASE_SCHEMA`
 * @example
 * const records = await openRecords('postgres://localhost/hooks');
 * for (const { id, tool } of await records.approvals.list()) console.log(id, tool);
 */
export async function openRecords(url: string, { key }: KeyOption = {}): Promise<DurableRecords> {
  const database = await openDatabase(url);
  try {
    await assertMigrated(database);
    return new DurableRecords(database, key);
  } catch (error) {
    await database.end();
    throw error;
  }
}

/**
 * Opens what a hub shows to the holder of a token: a machine, or a person, who may also answer.
 *
 * @throws {HookmachineError} `DATABASE_UNAVAILABLE`, `HUB_REFUSED`
 * @example
 * const records = await openHub({ url: 'https://hub.example', token: process.env.HUB_TOKEN! });
 * await records.approvals.answer('ap-7', { decision: 'deny', by: 'ann', note: 'not on Fridays' });
 */
export async function openHub(access: HubAccess, { key }: KeyOption = {}): Promise<CallRecords> {
  const { hubStore } = await import('./hub-store.ts');
  const store = hubStore(access);
  try {
    await store.identity();
    return new CallRecords(withKeys(store, key));
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The version of a database's tables before and after a migration. */
export interface Migration {
  readonly from: number;
  readonly to: number;
}

/**
 * Creates the tables of a database or brings them up to date; hosts may be running meanwhile.
 *
 * @throws {HookmachineError} `DATABASE_UNAVAILABLE`, `DATABASE_SCHEMA` if they are newer than this release
 */
export async function migrateDatabase(url: string): Promise<Migration> {
  const database = await openDatabase(url);
  try {
    return await migrate(database);
  } finally {
    await database.end();
  }
}

/** Returns the version that a database has, and the one that this release needs. */
export async function checkDatabase(
  url: string,
): Promise<{ readonly version: number; readonly needed: number }> {
  const database = await openDatabase(url);
  try {
    return { version: await versionOf(database), needed: schemaVersion };
  } finally {
    await database.end();
  }
}
