import { giveBack } from './calls.ts';
import { add } from './counters.ts';
import { type Database, lockKey } from './postgres.ts';

/** Whether what is committed has reached a standby: only then does a fail-over lose nothing. */
const isCopied = `current_setting('synchronous_standby_names') <> ''
  and current_setting('synchronous_commit') in ('on', 'remote_apply')`;

/** A host that others are working beside, and that has calls. */
export interface Suspect {
  readonly host: string;
  readonly process: string | null;
  /** Its lease has ended, or it has left. */
  readonly isSilent: boolean;
}

/** A host that has a name. */
export interface Holder {
  readonly seen: string;
  readonly hasEnded: boolean;
  readonly instance: string;
  readonly process: string | null;
}

/** A host that wants to take part. */
export interface JoiningHost {
  readonly name: string;
  readonly workspace: string;
  /** How long it counts as alive after it last reported, in ms. */
  readonly lostAfter: number;
  readonly instance: string;
  readonly pid: number;
  /** The identity of its process, by which others on its machine notice that it has ended. */
  readonly process?: string | undefined;
  /** The instance that has the name, if it is known to have ended. */
  readonly ended?: string | undefined;
}

/** How hosts take part, in the database. */
export const hostOperations = {
  async isCopied(database: Database): Promise<boolean> {
    const { rows } = await database.query<{ isCopied: boolean }>(`select ${isCopied} as "isCopied"`); // prettier-ignore
    return rows[0]?.isCopied === true;
  },

  /**
   * Takes the name unless a host that may be alive holds it, and gives back what an earlier host of this name
   * left unfinished. Returns the host that holds it.
   */
  async joinHost(
    database: Database,
    { name, workspace, lostAfter, instance, pid, process, ended }: JoiningHost,
  ): Promise<Holder | undefined> {
    // Of hosts that ended while they worked on nothing, nobody takes anything over.
    await database.query(
      `delete from hookmachine.hosts where seen_at < now() - lease - interval '1 day'`,
    );
    return database.transaction(async (connection) => {
      await connection.query('select pg_advisory_xact_lock($1::bigint)', [lockKey(name)]);
      const { rows } = await connection.query<Holder>(
        `select seen_at::text as seen, seen_at < now() - lease as "hasEnded", instance, process
         from hookmachine.hosts where name = $1`,
        [name],
      );
      const [holder] = rows;
      const isFree = holder === undefined || holder.hasEnded || holder.instance === instance;
      if (!isFree && holder.instance !== ended) return holder;
      await connection.query(
        `insert into hookmachine.hosts (name, workspace, pid, instance, lease, process)
         values ($1, $2, $3, $4, $5 * interval '1 millisecond', $6)
         on conflict (name) do update set workspace = excluded.workspace, pid = excluded.pid,
           instance = excluded.instance, lease = excluded.lease, process = excluded.process,
           joined_at = now(), seen_at = now()`,
        [name, workspace, pid, instance, lostAfter, process ?? null],
      );
      await giveBack(connection, name);
      return undefined;
    });
  },

  /** Reports that a host is alive. Returns nothing if it no longer counts as alive. `within` is in ms. */
  async extendHost(
    database: Database,
    name: string,
    instance: string,
    within: number,
  ): Promise<{ readonly isCopied: boolean } | undefined> {
    const { rows } = await database.query<{ isCopied: boolean }>(
      `update hookmachine.hosts set seen_at = now() where name = $1 and instance = $2
       returning ${isCopied} as "isCopied"`,
      [name, instance],
      within,
    );
    return rows[0];
  },

  /** Ends a host. Others may continue what it has not finished. */
  async leaveHost(database: Database, name: string, instance: string): Promise<void> {
    await database.transaction(async (connection) => {
      await connection.query('select pg_advisory_xact_lock($1::bigint)', [lockKey(name)]);
      const { rows } = await connection.query(
        'delete from hookmachine.hosts where name = $1 and instance = $2 returning name',
        [name, instance],
      );
      // Otherwise others have taken over, and another host may have the name.
      if (rows.length > 0) await giveBack(connection, name, { hasLeft: true });
    });
  },

  /** Returns the other hosts that work on calls of a workspace. */
  async otherHosts(
    database: Database,
    workspace: string,
    own: string,
  ): Promise<readonly Suspect[]> {
    const { rows } = await database.query<Suspect>(
      `select distinct c.host, h.process, coalesce(h.seen_at < now() - h.lease, true) as "isSilent"
       from hookmachine.calls c left join hookmachine.hosts h on h.name = c.host
       where c.status = 'running' and c.workspace = $1 and c.host <> $2`,
      [workspace, own],
    );
    return rows;
  },

  /** Gives back the calls of a host if its lease has run out, or if it is the process that has ended. */
  async takeOverHost(
    database: Database,
    workspace: string,
    host: string,
    ended: string | null,
  ): Promise<void> {
    await database.transaction(async (connection) => {
      // Whoever takes the name meanwhile waits for this lock.
      await connection.query('select pg_advisory_xact_lock($1::bigint)', [lockKey(host)]);
      await connection.query(
        'delete from hookmachine.hosts where name = $1 and (seen_at < now() - lease or process = $2)',
        [host, ended],
      );
      // It may have come back just now.
      const { rows } = await connection.query('select from hookmachine.hosts where name = $1', [host]); // prettier-ignore
      if (rows.length > 0) return;
      const given = await giveBack(connection, host);
      await add(connection, workspace, 'leases_lost');
      if (given > 0) await add(connection, workspace, 'take_overs', given);
    });
  },
};
