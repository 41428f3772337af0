import type { Queryable } from './postgres.ts';

/** What is counted because nothing in the tables shows it afterwards. */
export type Counter = 'take_overs' | 'leases_lost' | 'cut_off';

/** Adds to a counter of a workspace. */
export async function add(
  database: Queryable,
  workspace: string,
  name: Counter,
  by = 1,
): Promise<void> {
  await database.query(
    `insert into hookmachine.counters (workspace, name, value) values ($1, $2, $3)
     on conflict (workspace, name) do update set value = counters.value + excluded.value`,
    [workspace, name, by],
  );
}
