import { add } from './counters.ts';
import type { Database, Queryable } from './postgres.ts';

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

interface FoundEffect {
  readonly token: string;
  readonly host: string;
  readonly outcome: string | null;
  readonly ended_at: Date | null;
  readonly lease: number;
  readonly status: string;
}

/** One effect of a call, as it is stored. */
export interface EffectRow {
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly outcome: string | null;
}

/** What is done to the effects of a call in the database. */
export const effectOperations = {
  /** @throws {LeaseLost} if the call was taken over */
  async claimEffect(
    database: Database,
    lease: Lease,
    workspace: string,
    name: string,
    token: string,
    pid: number,
  ): Promise<Claim> {
    const { call, number, host } = lease;
    const { rows: claimed } = await database.query(
      `insert into hookmachine.effects (call, name, token, host, pid)
       select id, $3, $4, $5, $6 from hookmachine.calls
       where id = $1 and lease = $2 and status = 'running' for share
       on conflict do nothing returning token`,
      [call, number, name, token, host, pid],
    );
    if (claimed.length > 0) return { status: 'claimed', token };
    const found = await find(database, lease, name);
    if (found.outcome !== null) return { status: 'recorded', outcome: found.outcome };
    const { host: by, token: given, ended_at: endedAt } = found;
    // The database went away after it had written the claim.
    if (given === token) return { status: 'claimed', token };
    if (endedAt === null) await add(database, workspace, 'cut_off');
    return { status: 'cutOff', token: given, host: by, isInterrupted: endedAt !== null };
  },

  async claimEffectAgain(
    database: Database,
    lease: Lease,
    name: string,
    cutOff: string,
    token: string,
    pid: number,
  ): Promise<boolean> {
    const { call, number, host } = lease;
    const { rows } = await database.query(
      `update hookmachine.effects set token = $4, host = $5, pid = $6, started_at = now(), ended_at = null, begun = begun + 1
       where call = $1 and name = $2 and token = $3 and outcome is null and begun < 2
         and exists (select from hookmachine.calls where id = $1 and lease = $7 and status = 'running')
       returning token`,
      [call, name, cutOff, token, host, pid, number],
    );
    return rows.length > 0 || (await find(database, lease, name)).token === token;
  },

  async interruptEffect(database: Database, { call, host }: Lease, name: string): Promise<void> {
    await database.query(
      `update hookmachine.effects set ended_at = now(), begun = 0
       where call = $1 and name = $2 and host = $3 and outcome is null`,
      [call, name, host],
    );
  },

  /** A call that has been sealed stays as it is, even if a host that was cut off records something late. */
  async recordEffect(
    database: Database,
    lease: Lease,
    name: string,
    outcome: string,
  ): Promise<string> {
    const { rows } = await database.query<{ outcome: string }>(
      `update hookmachine.effects set outcome = $3, ended_at = now()
       where call = $1 and name = $2 and outcome is null
         and exists (select from hookmachine.calls where id = $1 and not sealed for share) returning outcome`,
      [lease.call, name, outcome],
    );
    return rows[0]?.outcome ?? (await find(database, lease, name)).outcome ?? outcome;
  },

  /** Returns the names of the effects that were claimed. */
  async claimedEffects(database: Database, call: string): Promise<readonly string[]> {
    const { rows } = await database.query<{ name: string }>(
      'select name from hookmachine.effects where call = $1',
      [call],
    );
    return rows.map(({ name }) => name);
  },

  /** Returns the effects, in the order in which they started. */
  async effectsOf(database: Database, call: string): Promise<readonly EffectRow[]> {
    const { rows } = await database.query<EffectRow>(
      `select name, host, pid, started_at, ended_at, outcome
       from hookmachine.effects where call = $1 order by started_at, name`,
      [call],
    );
    return rows;
  },
};

async function find(
  database: Queryable,
  { call, number }: Lease,
  name: string,
): Promise<FoundEffect> {
  const { rows } = await database.query<FoundEffect>(
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
