import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { channelOf } from './calls.ts';
import type { Connection, Database } from './postgres.ts';

/** How often to look for news that is not announced, in ms: the wait doubles from the first to the second. */
const looks = { first: 1_000, polling: 5_000, scarce: 10_000, listening: 15_000 } as const;

/** How long after it failed to listen again, in ms. */
const listenAgainAfter = 60_000;

/** How long a notification may take before it is considered lost, in ms. */
const heardWithin = 2_000;

/** Varies a time, so that hosts that began together do not all ask at once. */
export const scattered = (ms: number): number => ms * (0.8 + Math.random() * 0.4);

/**
 * News of the calls of one workspace. The server announces them to those that listen on a connection of
 * their own. Where that is impossible, waits are short, so that the database is asked more often.
 */
export class News {
  readonly #database: Database;
  readonly #channel: string;
  readonly #warn: (line: string) => void;
  readonly #heard = new EventEmitter();
  readonly #closed = new AbortController();
  #connection: Connection | undefined;
  #nextAttempt = 0;
  #opening: Promise<void> | undefined;

  constructor(database: Database, workspace: string, warn: (line: string) => void) {
    this.#database = database;
    this.#channel = channelOf(workspace);
    this.#warn = warn;
    this.#heard.setMaxListeners(0);
  }

  /**
   * Waits for news of a call, or without one, of any call of the workspace; but only for so long. `rounds` is
   * how often in succession the waiting party has found nothing: it then waits longer.
   */
  async wait(
    rounds: number,
    signal?: AbortSignal,
    call?: string,
    atMost = Infinity,
  ): Promise<void> {
    if (this.#connection === undefined && this.#opening === undefined) this.#open();
    const longest = this.#connection
      ? looks.listening
      : this.#database.isScarce
        ? looks.scarce
        : looks.polling;
    const wait = Math.min(looks.first * 2 ** rounds, longest);
    await this.#pause(Math.min(scattered(wait), atMost), signal, call);
  }

  /** Waits for `ms`, or until there is news. */
  #pause(ms: number, signal?: AbortSignal, call?: string): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#heard.off('news', hear);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const hear = (payload: string): void => {
        // A call whose id is too long for a notification is announced without it.
        if (call === undefined || payload === '' || payload === call) end();
      };
      const timer = setTimeout(end, ms);
      this.#heard.on('news', hear);
      if (signal?.aborted) end();
      else signal?.addEventListener('abort', end);
    });
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#opening;
    await this.#connection?.end().catch(() => undefined);
  }

  #open(): void {
    if (this.#closed.signal.aborted || Date.now() < this.#nextAttempt) return;
    this.#nextAttempt = Date.now() + listenAgainAfter;
    this.#opening = this.#listen()
      // A database that is out of reach is the concern of those who ask it.
      .catch(() => undefined)
      .finally(() => (this.#opening = undefined));
  }

  async #listen(): Promise<void> {
    const why = await this.#whyNot();
    if (why !== undefined) {
      this.#database.spareConnections();
      this.#warn(
        `${why}: the database is asked for news of calls every ${looks.scarce / 1_000} s instead`,
      );
      return;
    }
    let isLost = false;
    const connection = await this.#database.connection(() => {
      isLost = true;
      if (this.#connection === undefined) return;
      this.#connection = undefined;
      this.#nextAttempt = 0;
    });
    try {
      if ((await this.#isHeard(connection)) && !isLost) {
        this.#connection = connection;
        // It may have missed something until now.
        this.#heard.emit('news', '');
        return;
      }
    } catch (error) {
      await connection.end().catch(() => undefined);
      throw error;
    }
    if (isLost) return;
    this.#nextAttempt = Infinity;
    await connection.end().catch(() => undefined);
    this.#warn(
      `the database's notifications do not arrive, as behind a pooler in transaction mode: the database is asked for news of calls every ${looks.polling / 1_000} s instead`,
    );
  }

  /** Returns why this host does without a connection of its own; undefined if it may have one. */
  async #whyNot(): Promise<string | undefined> {
    const { rows } = await this.#database.query<{ used: number; most: number }>(
      `select count(*)::integer as used, current_setting('max_connections')::integer as most
       from pg_stat_activity where backend_type = 'client backend'`,
    );
    const { used, most } = rows[0]!;
    return used * 2 > most
      ? `more than half of the ${most} connections of the database are in use`
      : undefined;
  }

  /** Listens, and checks that what another connection announces arrives. */
  async #isHeard(connection: Connection): Promise<boolean> {
    const probe = `hookmachine_${randomUUID().replaceAll('-', '')}`;
    const arrived = new EventEmitter();
    connection.on('notification', ({ channel, payload = '' }) => {
      if (channel === probe) arrived.emit('probe');
      else this.#heard.emit('news', payload);
    });
    await connection.query(`listen ${this.#channel}`);
    await connection.query(`listen ${probe}`);
    const signal = AbortSignal.any([AbortSignal.timeout(heardWithin), this.#closed.signal]);
    const isHeard = once(arrived, 'probe', { signal }).then(
      () => true,
      () => false,
    );
    await this.#database.query('select pg_notify($1, $2)', [probe, '']);
    if (!(await isHeard)) return false;
    await connection.query(`unlisten ${probe}`);
    return true;
  }
}
