import { randomUUID } from 'node:crypto';
import { add } from './counters.ts';
import { type Database, type Rows, whenReachable } from './postgres.ts';

/**
 * The right to work on a call. A host that takes the call over gets the next number, and this lease becomes
 * invalid.
 */
export interface Lease {
  readonly call: string;
  readonly number: number;
  readonly host: string;
}

/** Thrown if a call was taken over meanwhile: nothing that this host still does for it counts. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Whether an error was thrown because a call was taken over. */
export const isLeaseLost = (error: unknown): boolean =>
  (error as { readonly name?: unknown }).name === 'LeaseLost';

/** Whether an effect may start. */
export type Claim =
  /** Nobody has started it, and nobody else will from now on. */
  | { readonly status: 'claimed'; readonly token: string }
  /** It has ended, with this outcome. */
  | { readonly status: 'recorded'; readonly outcome: string }
  /** Someone started it and lost the call: whether it ran is unknown. */
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
 * The effects of one call, by name. Each is claimed before it starts, and the claim is committed by then; its
 * outcome is written once. An effect that was claimed and has no outcome is never started again. While the
 * database is away, each operation waits for it as long as the host has its lease.
 */
export class Ledger {
  readonly #database: Database;
  readonly #lease: Lease;
  readonly #workspace: string;
  readonly #lost: AbortSignal;

  /** `lost` is aborted when the host has lost its lease. */
  constructor(database: Database, lease: Lease, workspace: string, lost: AbortSignal) {
    this.#database = database;
    this.#lease = lease;
    this.#workspace = workspace;
    this.#lost = lost;
  }

  /** @throws {LeaseLost} if the call was taken over */
  async claim(name: string): Promise<Claim> {
    const { call, number, host } = this.#lease;
    const token = randomUUID();
    // The row of the call is locked, so that nobody can take the call over between the check and the claim.
    const { rows: claimed } = await this.#query(
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
    // The database went away after it had written the claim.
    if (given === token) return { status: 'claimed', token };
    if (endedAt === null)
      await whenReachable(() => add(this.#database, this.#workspace, 'cut_off'), this.#lost);
    return { status: 'cutOff', token: given, host: by, isInterrupted: endedAt !== null };
  }

  /**
   * Takes over an effect that was cut off and may run once more because its author says so. Returns undefined
   * if it already ran again, or if an outcome has arrived after all.
   */
  async claimAgain(name: string, cutOff: string): Promise<string | undefined> {
    const { call, number, host } = this.#lease;
    const token = randomUUID();
    const { rows } = await this.#query(
      `update hookmachine.effects set token = $4, host = $5, pid = $6, started_at = now(), ended_at = null, begun = begun + 1
       where call = $1 and name = $2 and token = $3 and outcome is null and begun < 2
         and exists (select from hookmachine.calls where id = $1 and lease = $7 and status = 'running')
       returning token`,
      [call, name, cutOff, token, host, process.pid, number],
    );
    return rows.length > 0 || (await this.#find(name)).token === token ? token : undefined;
  }

  /** Records that an effect was interrupted before it did anything, so that it may be started again. */
  async interrupt(name: string): Promise<void> {
    await this.#query(
      `update hookmachine.effects set ended_at = now(), begun = 0
       where call = $1 and name = $2 and host = $3 and outcome is null`,
      [this.#lease.call, name, this.#lease.host],
    );
  }

  /** Records the outcome of an effect unless there already is one, and returns the outcome that counts. */
  async record(name: string, outcome: string): Promise<string> {
    const { rows } = await this.#query<{ outcome: string }>(
      `update hookmachine.effects set outcome = $3, ended_at = now()
       where call = $1 and name = $2 and outcome is null returning outcome`,
      [this.#lease.call, name, outcome],
    );
    return rows[0]?.outcome ?? (await this.#find(name)).outcome ?? outcome;
  }

  #query<Row>(text: string, values: readonly unknown[]): Promise<Rows<Row>> {
    return whenReachable(() => this.#database.query<Row>(text, values), this.#lost);
  }

  async #find(name: string): Promise<EffectRow> {
    const { call, number } = this.#lease;
    const { rows } = await this.#query<EffectRow>(
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
