import { randomUUID } from 'node:crypto';
import type { Database } from './postgres.ts';

/** The right to work on a call: whoever takes the call over has the next number, and this one is worth nothing any more. */
export interface Lease {
  readonly call: string;
  readonly number: number;
  readonly host: string;
}

/** Thrown where a call was taken over meanwhile: whatever this host still does of it counts for nothing. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Whether something was thrown because a call was taken over. */
export const isLeaseLost = (error: unknown): boolean =>
  (error as { readonly name?: unknown }).name === 'LeaseLost';

/** Whether an effect may start. */
export type Claim =
  /** Nobody has begun it, and from now on nobody else will. */
  | { readonly status: 'claimed'; readonly token: string }
  /** It has ended, and this is what it came to. */
  | { readonly status: 'recorded'; readonly outcome: string }
  /** Somebody began it and lost the call: whether it ran nobody knows. */
  | {
      readonly status: 'cutOff';
      readonly token: string;
      readonly host: string;
      /** It was interrupted before it did anything. */
      readonly isInterrupted: boolean;
    };

interface EffectRow {
  readonly token: string;
  readonly host: string;
  readonly outcome: string | null;
  readonly ended_at: Date | null;
  readonly lease: number;
  readonly status: string;
}

/**
 * The effects of one call, by name: each is claimed before it starts, which is committed by then, and its
 * outcome is written once. What is claimed and has no outcome is never begun again.
 */
export class Ledger {
  readonly #database: Database;
  readonly #lease: Lease;

  constructor(database: Database, lease: Lease) {
    this.#database = database;
    this.#lease = lease;
  }

  /** @throws {LeaseLost} where the call was taken over */
  async claim(name: string): Promise<Claim> {
    const { call, number, host } = this.#lease;
    const token = randomUUID();
    // The row of the call is locked, so that nobody takes it over between the look and the claim.
    const { rows: claimed } = await this.#database.query(
      `insert into hookmachine.effects (call, name, token, host, pid)
       select id, $3, $4, $5, $6 from hookmachine.calls
       where id = $1 and lease = $2 and status = 'running' for share
       on conflict do nothing returning token`,
      [call, number, name, token, host, process.pid],
    );
    if (claimed.length > 0) return { status: 'claimed', token };
    const found = await this.#find(name);
    if (found.outcome !== null) return { status: 'recorded', outcome: found.outcome };
    const { host: by, token: given, ended_at: endedAt } = found;
    return { status: 'cutOff', token: given, host: by, isInterrupted: endedAt !== null };
  }

  /** Takes over what was cut off and may run once more, because its author says so; undefined where it did, or where an outcome came after all. */
  async claimAgain(name: string, cutOff: string): Promise<string | undefined> {
    const { call, number, host } = this.#lease;
    const token = randomUUID();
    const { rows } = await this.#database.query(
      `update hookmachine.effects set token = $4, host = $5, pid = $6, started_at = now(), ended_at = null, begun = begun + 1
       where call = $1 and name = $2 and token = $3 and outcome is null and begun < 2
         and exists (select from hookmachine.calls where id = $1 and lease = $7 and status = 'running')
       returning token`,
      [call, name, cutOff, token, host, process.pid, number],
    );
    return rows.length > 0 ? token : undefined;
  }

  /** Notes that an effect was interrupted before it did anything, so that it may be begun again. */
  async interrupt(name: string): Promise<void> {
    await this.#database.query(
      `update hookmachine.effects set ended_at = now(), begun = 0
       where call = $1 and name = $2 and host = $3 and outcome is null`,
      [this.#lease.call, name, this.#lease.host],
    );
  }

  /** Writes what an effect came to, unless somebody has; what is written then is given back. */
  async record(name: string, outcome: string): Promise<string> {
    const { rows } = await this.#database.query<{ outcome: string }>(
      `update hookmachine.effects set outcome = $3, ended_at = now()
       where call = $1 and name = $2 and outcome is null returning outcome`,
      [this.#lease.call, name, outcome],
    );
    return rows[0]?.outcome ?? (await this.#find(name)).outcome ?? outcome;
  }

  async #find(name: string): Promise<EffectRow> {
    const { call, number } = this.#lease;
    const { rows } = await this.#database.query<EffectRow>(
      `select e.token, e.host, e.outcome, e.ended_at, c.lease, c.status
       from hookmachine.effects e join hookmachine.calls c on c.id = e.call
       where e.call = $1 and e.name = $2`,
      [call, name],
    );
    const [found] = rows;
    if (found === undefined || found.lease !== number || found.status !== 'running')
      throw new LeaseLost(`The call ${call} was taken over by another host.`);
    return found;
  }
}
