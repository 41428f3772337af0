import { giveBack } from './calls.ts';
import { add } from './counters.ts';
import { type Database, lockKey } from './postgres.ts';
import { stateOf } from './process-identity.ts';

interface Suspect {
  readonly host: string;
  readonly process: string | null;
  /** Its lease has ended, or it has left. */
  readonly isSilent: boolean;
}

/**
 * Gives back the calls of hosts that have ended: their lease has run out by the clock of the database, or
 * their process was on this machine and is known to have ended.
 *
 * @returns whether there were any
 */
export async function takeOver(
  database: Database,
  own: string,
  workspace: string,
): Promise<boolean> {
  const { rows: suspects } = await database.query<Suspect>(
    `select distinct c.host, h.process, coalesce(h.seen_at < now() - h.lease, true) as "isSilent"
     from hookmachine.calls c left join hookmachine.hosts h on h.name = c.host
     where c.status = 'running' and c.workspace = $1 and c.host <> $2`,
    [workspace, own],
  );
  let isAny = false;
  for (const { host, process: identity, isSilent } of suspects) {
    const hasEnded = stateOf(identity) === 'ended';
    if (!isSilent && !hasEnded) continue;
    isAny = true;
    await database.transaction(async (connection) => {
      // Whoever takes the name meanwhile waits for this lock.
      await connection.query('select pg_advisory_xact_lock($1::bigint)', [lockKey(host)]);
      await connection.query(
        'delete from hookmachine.hosts where name = $1 and (seen_at < now() - lease or process = $2)',
        [host, hasEnded ? identity : null],
      );
      // It may have come back just now.
      const { rows } = await connection.query('select from hookmachine.hosts where name = $1', [host]); // prettier-ignore
      if (rows.length > 0) return;
      const given = await giveBack(connection, host);
      await add(connection, workspace, 'leases_lost');
      if (given > 0) await add(connection, workspace, 'take_overs', given);
    });
  }
  return isAny;
}
