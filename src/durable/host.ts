import { EventEmitter, once, setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { HookmachineError, isHookmachineError } from '../base/errors.ts';
import { channel, giveBack } from './calls.ts';
import { type Connection, type Database, isUnreachable, lockKey } from './postgres.ts';
import { messageOf } from '../base/message-of.ts';

/** How a host takes part. */
export interface HostOptions {
  /** Unique among the running hosts. */
  readonly name: string;
  readonly workspace: string;
  /** How long this host may be silent before the others consider it dead, in ms. */
  readonly lostAfter: number;
  readonly warn: (line: string) => void;
}

/** A period in which a host holds its lock without interruption. */
export interface Session {
  /** Aborted when the lock is lost: from then on, others may continue the host's calls. */
  readonly lost: AbortSignal;
}

interface HeldSession extends Session {
  readonly connection: Connection;
}

/**
 * How long to wait for a name that is taken, in ms: a host that checks whether another is alive holds its
 * name for a moment.
 */
const nameWait = 5_000;

/**
 * A host among others. It holds an advisory lock for as long as its connection lives; whoever gets that lock
 * knows that the host has ended. The host rejoins by itself when the database is back.
 */
export class Host {
  readonly #database: Database;
  readonly #options: HostOptions;
  readonly #news = new EventEmitter();
  readonly #left = new AbortController();
  #session: HeldSession | undefined;
  #joining: Promise<void> | undefined;

  constructor(database: Database, options: HostOptions) {
    this.#database = database;
    this.#options = options;
    this.#news.setMaxListeners(0);
  }

  /**
   * Joins, and gives back what an earlier host of this name left unfinished.
   *
   * @throws {HookmachineError} `HOST_NAME_TAKEN` if a host of this name is running, `DATABASE_UNAVAILABLE`
   */
  async join(): Promise<void> {
    const lost = new AbortController();
    // Every leg listens to it.
    setMaxListeners(0, lost.signal);
    const connection = await this.#database.connection((error) => {
      lost.abort(error);
      if (this.#session?.lost === lost.signal) this.#rejoin(error);
    });
    try {
      connection.on('notification', ({ payload }) => this.#news.emit('news', payload));
      await this.#lock(connection);
      await connection.query(`listen ${channel}`);
      await this.#enrol(connection);
    } catch (error) {
      await connection.end().catch(() => undefined);
      throw error;
    }
    this.#session = { connection, lost: lost.signal };
    if (lost.signal.aborted) this.#rejoin(lost.signal.reason);
    else void this.#beat(this.#session);
    this.#news.emit('joined');
  }

  async #lock(connection: Connection): Promise<void> {
    const { name } = this.#options;
    const until = Date.now() + nameWait;
    for (;;) {
      const { rows } = await connection.query<{ held: boolean }>(
        'select pg_try_advisory_lock($1::bigint) as held',
        [lockKey(name)],
      );
      if (rows[0]?.held === true) return;
      if (Date.now() > until)
        throw new HookmachineError(
          'HOST_NAME_TAKEN',
          `Another host with the name ${name} is already running: give each host its own name.`,
        );
      await sleep(100);
    }
  }

  async #enrol(connection: Connection): Promise<void> {
    const { name, workspace } = this.#options;
    await connection.query(
      `insert into hookmachine.hosts (name, workspace, pid, backend)
       values ($1, $2, $3, pg_backend_pid())
       on conflict (name) do update set workspace = excluded.workspace, pid = excluded.pid,
         backend = excluded.backend, joined_at = now(), seen_at = now()`,
      [name, workspace, process.pid],
    );
    await giveBack(connection, name);
  }

  /** Reports regularly that the host is alive, until it has lost its lock. */
  async #beat({ connection, lost }: HeldSession): Promise<void> {
    const { name, lostAfter } = this.#options;
    const ended = AbortSignal.any([lost, this.#left.signal]);
    while (!ended.aborted) {
      await sleep(Math.min(5_000, lostAfter / 4), undefined, { signal: ended, ref: false }).catch(
        () => undefined,
      );
      if (ended.aborted) return;
      const beaten = connection.query('update hookmachine.hosts set seen_at = now() where name = $1', [name]); // prettier-ignore
      // A connection that cannot run a statement is lost, whether or not it has noticed.
      await beaten.catch(() => connection.end().catch(() => undefined));
    }
  }

  #rejoin(why: unknown): void {
    this.#session = undefined;
    if (this.#left.signal.aborted) return;
    this.#options.warn(
      `the connection of host ${this.#options.name} to the database was lost (${messageOf(why)}): its hooks and tools are ended, and it reconnects when the database is back`,
    );
    this.#joining ??= this.#comeBack().finally(() => (this.#joining = undefined));
  }

  async #comeBack(): Promise<void> {
    for (let wait = 250; !this.#left.signal.aborted; wait = Math.min(wait * 2, 5_000)) {
      await sleep(wait, undefined, { signal: this.#left.signal }).catch(() => undefined);
      if (this.#left.signal.aborted) return;
      try {
        await this.join();
        this.#options.warn(`host ${this.#options.name} is connected to the database again`);
        return;
      } catch (error) {
        const isExpected = isUnreachable(error) || isHookmachineError(error, 'HOST_NAME_TAKEN');
        if (!isExpected) this.#options.warn(`it cannot reconnect yet: ${messageOf(error)}`);
      }
    }
  }

  /**
   * Returns the current session, and waits up to `timeout` ms for one to begin.
   *
   * @throws {HookmachineError} `DATABASE_UNAVAILABLE` if none begins
   */
  async session(timeout: number): Promise<Session> {
    if (this.#session) return this.#session;
    const signal = AbortSignal.any([AbortSignal.timeout(timeout), this.#left.signal]);
    await once(this.#news, 'joined', { signal }).catch(() => undefined);
    if (this.#session) return this.#session;
    throw new HookmachineError(
      'DATABASE_UNAVAILABLE',
      this.#left.signal.aborted
        ? 'This host was closed.'
        : `The database has been out of reach for ${Math.round(timeout / 1000)} s.`,
    );
  }

  /** Whether the host was closed: it does not rejoin. */
  get hasLeft(): boolean {
    return this.#left.signal.aborted;
  }

  /** Waits for news of a call, or of any call, for at most `ms`. */
  news(ms: number, signal?: AbortSignal, call?: string): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#news.off('news', hear);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const hear = (payload: string): void => {
        if (call === undefined || payload === call) end();
      };
      const timer = setTimeout(end, ms);
      this.#news.on('news', hear);
      if (signal?.aborted) end();
      else signal?.addEventListener('abort', end);
    });
  }

  /** Leaves. Others may continue what this host has not finished. */
  async leave(): Promise<void> {
    this.#left.abort();
    await this.#joining;
    const session = this.#session;
    this.#session = undefined;
    if (session === undefined) return;
    const { name } = this.#options;
    await giveBack(session.connection, name, { hasLeft: true }).catch(() => undefined);
    await session.connection
      .query('delete from hookmachine.hosts where name = $1', [name])
      .catch(() => undefined);
    await session.connection.end().catch(() => undefined);
  }
}
