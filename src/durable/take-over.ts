import { giveBack } from './calls.ts';
import { type Database, lockKey } from './postgres.ts';

interface Suspect {
  readonly host: string;
  readonly backend: number | null;
  readonly isSilent: boolean;
}

/**
 * Gives back the calls of hosts that have ended. A host has ended if nobody holds its lock. A host that has
 * been silent for `lostAfter` ms, because it is frozen or cut off, loses its connection and with it the lock.
 */
export async function takeOver(
  database: Database,
  own: string,
  workspace: string,
  lostAfter: number,
): Promise<void> {
  const { rows: suspects } = await database.query<Suspect>(
    `select distinct c.host, h.backend,
       coalesce(h.seen_at < now() - $3 * interval '1 millisecond', false) as "isSilent"
     from hookmachine.calls c left join hookmachine.hosts h on h.name = c.host
     where c.status = 'running' and c.workspace = $1 and c.host <> $2`,
    [workspace, own, lostAfter],
  );
  for (const { host, backend, isSilent } of suspects) {
    const hasEnded = await database.transaction(async (connection) => {
      const { rows } = await connection.query<{ held: boolean }>(
        'select pg_try_advisory_xact_lock($1::bigint) as held',
        [lockKey(host)],
      );
      if (rows[0]?.held !== true) return false;
      await giveBack(connection, host);
      await connection.query('delete from hookmachine.hosts where name = $1', [host]);
      return true;
    });
    if (!hasEnded && isSilent && backend !== null) await disconnect(database, host, backend);
  }
}

/** Ends the connection of a silent host, provided that it holds the lock of that name. */
async function disconnect(database: Database, host: string, backend: number): Promise<void> {
  await database.query(
    `select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and granted and pid = $2
       and ((classid::bigint << 32) | objid::bigint) = $1::bigint`,
    [lockKey(host), backend],
  );
}
