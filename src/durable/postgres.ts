import { createHash } from 'node:crypto';
import { HookmachineError, isHookmachineError } from '../base/errors.ts';
import { isNotInstalled, loadPackage } from '../base/optional-package.ts';
import { messageOf } from '../base/message-of.ts';

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
  on(event: 'notification', listener: (message: { readonly payload?: string }) => void): void;
}

interface PooledConnection extends Connection {
  release(broken?: boolean): void;
}

interface Pool extends Queryable {
  connect(): Promise<PooledConnection>;
  end(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'connect', listener: (connection: Connection) => void): void;
}

interface Postgres {
  readonly Pool: new (options: object) => Pool;
  readonly Client: new (options: object) => Connection;
}

/** A statement that takes longer than this is waiting for a server that is gone. */
const timeouts = {
  connectionTimeoutMillis: 5_000,
  query_timeout: 60_000,
  keepAlive: true,
} as const;

const ignore = (): void => undefined;

/** A PostgreSQL database. Only this module knows the package `pg`. */
export class Database implements Queryable {
  readonly #postgres: Postgres;
  readonly #options: object;
  readonly #pool: Pool;
  #ending: Promise<void> | undefined;

  constructor(postgres: Postgres, url: string, application: string) {
    this.#postgres = postgres;
    this.#options = { connectionString: url, application_name: application, ...timeouts };
    this.#pool = new postgres.Pool({ ...this.#options, max: 10, allowExitOnIdle: true });
    // Without a listener, the loss of the server would end the process.
    this.#pool.on('error', ignore);
    this.#pool.on('connect', (connection) => connection.on('error', ignore));
  }

  /** @throws {HookmachineError} `DATABASE_UNAVAILABLE` if the server cannot be reached */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Rows<Row>> {
    return this.#pool.query<Row>(text, values).catch(throwKnown);
  }

  /** Runs `work` in a transaction. */
  async transaction<Made>(work: (connection: Queryable) => Promise<Made>): Promise<Made> {
    const connection = await this.#pool.connect().catch(throwKnown);
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
  end(): Promise<void> {
    return (this.#ending ??= this.#pool.end());
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
  // gone, or that the server is starting, stopping or full.
  return severity === undefined || /^(?:08|57P|53)/.test(String(code));
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
