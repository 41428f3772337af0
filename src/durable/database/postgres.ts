import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { HookmachineError, isHookmachineError } from '../../base/errors.ts';
import { isNotInstalled, loadPackage } from '../../base/optional-package.ts';
import { messageOf } from '../../base/message-of.ts';

/** The result of a statement. */
export interface Rows<Row> {
  readonly rows: readonly Row[];
}

/** Anything that runs statements: the pool or a single connection. */
export interface Queryable {
  query<Row = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Rows<Row>>;
}

/** A dedicated connection, as the package `pg` defines it. */
export interface Connection extends Queryable {
  connect(): Promise<void>;
  end(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'end', listener: () => void): void;
  on(
    event: 'notification',
    listener: (message: { readonly channel: string; readonly payload?: string }) => void,
  ): void;
}

interface PooledConnection extends Connection {
  release(broken?: boolean): void;
}

/** A statement that has its own time limit. */
interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** In ms. */
  readonly query_timeout?: number;
}

interface Pool {
  query<Row>(statement: Statement): Promise<Rows<Row>>;
  connect(): Promise<PooledConnection>;
  end(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'connect', listener: (connection: Connection) => void): void;
}

interface Postgres {
  readonly Pool: new (options: object) => Pool;
  readonly Client: new (options: object) => Connection;
}

/**
 * Connections are closed soon after their last statement, so that hosts that wait take up none: the server has
 * few, and hosts may be many.
 */
const lasting = { max: 10, idleTimeoutMillis: 1_000 } as const;

/** Where connections are scarce, a host has one, and only while it uses it. */
const brief = { max: 1, idleTimeoutMillis: 20 } as const;

/** How long connections count as scarce, in ms. */
const scarceFor = 60_000;

/** How long to wait for a server that has no free connection, in ms: others soon close theirs. */
const roomWait = 30_000;

/** A statement that takes longer than this is waiting for a server that is gone. */
const timeouts = {
  connectionTimeoutMillis: 5_000,
  query_timeout: 60_000,
  keepAlive: true,
} as const;

const ignore = (): void => undefined;

/** A PostgreSQL database. Only this module knows the package `pg`. */
export class Database implements Queryable {
  readonly url: string;
  readonly #postgres: Postgres;
  readonly #options: object;
  readonly #lasting: Pool;
  readonly #brief: Pool;
  #scarceUntil = 0;
  #ending: Promise<unknown> | undefined;

  constructor(postgres: Postgres, url: string, application: string) {
    this.url = url;
    this.#postgres = postgres;
    this.#options = { connectionString: url, application_name: application, ...timeouts };
    this.#lasting = this.#pool(lasting);
    this.#brief = this.#pool(brief);
  }

  #pool(limits: object): Pool {
    const pool = new this.#postgres.Pool({ ...this.#options, ...limits, allowExitOnIdle: true });
    // Without a listener, the loss of the server would end the process.
    pool.on('error', ignore);
    pool.on('connect', (connection) => connection.on('error', ignore));
    return pool;
  }

  /** Declares that connections are scarce: this host keeps none for a while. */
  spareConnections(): void {
    this.#scarceUntil = Date.now() + scarceFor;
  }

  /** Whether connections are scarce: then whoever can wait asks less often. */
  get isScarce(): boolean {
    return Date.now() < this.#scarceUntil;
  }

  /** Works with a pool, and waits for the server if it has no free connection. */
  async #withRoom<Made>(work: (pool: Pool) => Promise<Made>): Promise<Made> {
    const until = Date.now() + roomWait;
    for (let wait = 100; ; wait = Math.min(2 * wait, 2_000)) {
      try {
        return await work(this.isScarce ? this.#brief : this.#lasting);
      } catch (error) {
        const isFull = (error as { readonly code?: unknown }).code === '53300';
        if (!isFull || Date.now() > until) return throwKnown(error);
        this.spareConnections();
        // Even an attempt that the server refuses costs it a process.
        await sleep(wait * (0.5 + Math.random()));
      }
    }
  }

  /**
   * Runs a statement, which may be given its own time limit in ms.
   *
   * @throws {HookmachineError} `DATABASE_UNAVAILABLE` if the server cannot be reached
   */
  query<Row>(text: string, values: readonly unknown[] = [], within?: number): Promise<Rows<Row>> {
    const limit = within === undefined ? {} : { query_timeout: within };
    return this.#withRoom((pool) => pool.query<Row>({ text, values, ...limit }));
  }

  /** Runs `work` in a transaction. */
  async transaction<Made>(work: (connection: Queryable) => Promise<Made>): Promise<Made> {
    const connection = await this.#withRoom((pool) => pool.connect());
    let isBroken = true;
    try {
      await connection.query('begin');
      const made = await work(connection);
      await connection.query('commit');
      isBroken = false;
      return made;
    } catch (error) {
      isBroken = await connection.query('rollback').then(
        () => false,
        () => true,
      );
      return throwKnown(error);
    } finally {
      connection.release(isBroken);
    }
  }

  /** Opens a dedicated connection. `onLost` is called once if it is lost. */
  async connection(onLost: (error: Error) => void): Promise<Connection> {
    const connection = new this.#postgres.Client(this.#options);
    let isLost = false;
    const lose = (error: Error): void => {
      if (isLost) return;
      isLost = true;
      onLost(error);
    };
    connection.on('error', lose);
    connection.on('end', () => lose(new Error('the connection was closed')));
    await connection.connect().catch(throwKnown);
    return connection;
  }

  /** Closes all connections; calling it again has no further effect. */
  end(): Promise<unknown> {
    return (this.#ending ??= Promise.all([this.#lasting.end(), this.#brief.end()]));
  }
}

/**
 * Opens a database, without connecting to it yet.
 *
 * @throws {HookmachineError} `DATABASE_UNAVAILABLE` if `pg` is not installed or the URL is not that of a
 * PostgreSQL database
 */
export async function openDatabase(url: string, application = 'hookmachine'): Promise<Database> {
  if (typeof url !== 'string' || !/^postgres(?:ql)?:\/\//.test(url))
    throw new HookmachineError(
      'DATABASE_UNAVAILABLE',
      'The database must be a URL that begins with postgres:// or postgresql://.',
    );
  const loaded = await loadPackage('pg').catch((cause: unknown) => {
    if (!isNotInstalled(cause, 'pg')) throw cause;
    throw new HookmachineError(
      'DATABASE_UNAVAILABLE',
      'Durable calls need the package pg, which is not installed; install it: npm i pg',
      { cause },
    );
  });
  return new Database((loaded as { readonly default: Postgres }).default, url, application);
}

/** Whether the server is unreachable, as opposed to the statement being wrong. */
export function isUnreachable(error: unknown): boolean {
  if (isHookmachineError(error)) return error.code === 'DATABASE_UNAVAILABLE';
  const { severity, code } = error as { readonly severity?: unknown; readonly code?: unknown };
  // An error that the server itself reported has a severity. Of those, these mean that the connection is
  // gone, that the server is starting, stopping or full, or that it is no longer the primary.
  return severity === undefined || /^(?:08|57P|53|25006)/.test(String(code));
}

/** Repeats `work` as long as the server is unreachable, until the signal is aborted. */
export async function whenReachable<Made>(
  work: () => Promise<Made>,
  signal: AbortSignal,
): Promise<Made> {
  for (let wait = 50; ; wait = Math.min(wait * 2, 1_000)) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isUnreachable(error)) throw error;
      await sleep(wait, undefined, { signal }).catch(() => undefined);
    }
  }
}

function throwKnown(error: unknown): never {
  if (isHookmachineError(error) || !isUnreachable(error)) throw error;
  const { code } = error as { readonly code?: unknown };
  throw new HookmachineError(
    'DATABASE_UNAVAILABLE',
    `The database cannot be reached: ${messageOf(error) || String(code)}`,
    { cause: error },
  );
}

/** The key of an advisory lock: 64 bits, as text. */
export const lockKey = (name: string): string =>
  createHash('sha256').update(`hookmachine:${name}`).digest().readBigInt64BE(0).toString();
