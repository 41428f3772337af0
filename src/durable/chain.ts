import { digestOf } from './database/digest.ts';
import { type Database, lockKey, type Queryable } from './database/postgres.ts';

/** Something to remember in the chain. */
export interface ChainEntry {
  /** What it is about: the digest of a call that has ended, or a line of a machine's audit log. */
  readonly kind: 'call' | 'line';
  /** The id of the call, or the name of the machine. */
  readonly subject: string;
  readonly body: string;
}

/** What was found in the chain. */
export interface VerifiedChain {
  readonly entries: number;
  /** The digest of the last entry, which stands for all before it; keep it elsewhere. */
  readonly digest: string;
  readonly problems: readonly ChainProblem[];
  /** Whether the digest that was expected is in it. */
  readonly isExpected: boolean;
}

/** A place where what is stored is not what was stored. */
export interface ChainProblem {
  /** The number of an entry. */
  readonly entry: string;
  readonly kind: ChainEntry['kind'];
  readonly subject: string;
  readonly problem: 'entry-changed' | 'call-changed' | 'call-missing';
}

/** How many entries and calls are read at once. */
const batch = 500;

/** The digest before the first entry. */
const start = digestOf('');

const next = (before: string, { kind, subject, body }: ChainEntry): string =>
  digestOf(JSON.stringify([before, kind, subject, body]));

/** Adds entries to the chain, in their order, within a transaction. */
export async function appendToChain(
  connection: Queryable,
  entries: readonly ChainEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  // One writer at a time: each entry continues the last one.
  await connection.query('select pg_advisory_xact_lock($1::bigint)', [lockKey('chain')]);
  const { rows } = await connection.query<{ digest: string }>(
    'select digest from hookmachine.chain order by id desc limit 1',
  );
  let digest = rows[0]?.digest ?? start;
  const digests = entries.map((entry) => (digest = next(digest, entry)));
  await connection.query(
    `insert into hookmachine.chain (kind, subject, body, digest)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])`,
    [
      entries.map(({ kind }) => kind),
      entries.map(({ subject }) => subject),
      entries.map(({ body }) => body),
      digests,
    ],
  );
}

/** Everything about a call that must not change once it has ended, as one text. */
const record = `json_build_array(
  c.id, c.workspace, c.session, c.tool, c.input, c.judged, c.policy, c.policy_resumed, c.outcome, c.machine,
  extract(epoch from c.submitted_at), extract(epoch from c.ended_at),
  (select json_agg(json_build_array(e.name, e.host, e.pid, extract(epoch from e.started_at), e.outcome) order by e.name)
     from hookmachine.effects e where e.call = c.id),
  (select json_build_array(a.id, a.shown, a.digest, a.asked, a.decision, a.answered_by, a.answered_as, a.answered_through,
     a.note, extract(epoch from a.answered_at), a.risk) from hookmachine.approvals a where a.call = c.id)
)::text`;

interface Recorded {
  readonly id: string;
  readonly record: string;
}

/**
 * Adds the calls that have ended to the chain, each once.
 *
 * @returns how many were added
 */
export async function sealCalls(database: Database): Promise<number> {
  for (let total = 0; ;) {
    const sealed = await database.transaction(async (connection) => {
      await connection.query('select pg_advisory_xact_lock($1::bigint)', [lockKey('chain')]);
      const { rows } = await connection.query<Recorded>(
        `select c.id, ${record} as record from hookmachine.calls c
         where c.status = 'ended' and not c.sealed and c.pruned_at is null
         order by c.ended_at limit ${batch} for update of c skip locked`,
      );
      await appendToChain(
        connection,
        rows.map(({ id, record: text }) => ({ kind: 'call', subject: id, body: digestOf(text) })),
      );
      await connection.query('update hookmachine.calls set sealed = true where id = any($1)', [
        rows.map(({ id }) => id),
      ]);
      return rows.length;
    });
    total += sealed;
    if (sealed < batch) return total;
  }
}

interface Entry extends ChainEntry {
  readonly id: string;
  readonly digest: string;
}

/**
 * Checks that nothing in the chain was changed, removed or put in between, and that the calls in it are still as
 * they were; what was done for calls that were pruned cannot be checked any more. Somebody who may write to the
 * database can make another chain: only a digest that is kept elsewhere shows that.
 *
 * `expected` is such a digest, which must be that of one of the entries.
 */
export async function verifyChain(database: Database, expected?: string): Promise<VerifiedChain> {
  const problems: ChainProblem[] = [];
  let [entries, digest, last] = [0, start, '0'];
  let isExpected = expected === undefined || expected === start;
  for (;;) {
    const { rows } = await database.query<Entry>(
      `select * from hookmachine.chain where id > $1 order by id limit ${batch}`,
      [last],
    );
    for (const { id, digest: written, ...entry } of rows) {
      digest = next(digest, entry);
      if (digest !== written) problems.push({ ...about(id, entry), problem: 'entry-changed' });
      // What follows is compared with what is written, so that one change is reported once.
      digest = written;
      isExpected ||= written === expected;
      entries += 1;
      last = id;
    }
    problems.push(
      ...(await changedCalls(
        database,
        rows.filter(({ kind }) => kind === 'call'),
      )),
    );
    if (rows.length < batch) return { entries, digest, problems, isExpected };
  }
}

const about = (entry: string, { kind, subject }: ChainEntry) => ({ entry, kind, subject });

async function changedCalls(
  database: Database,
  entries: readonly Entry[],
): Promise<readonly ChainProblem[]> {
  const { rows } = await database.query<Recorded & { readonly isPruned: boolean }>(
    `select c.id, ${record} as record, c.pruned_at is not null as "isPruned"
     from hookmachine.calls c where c.id = any($1)`,
    [entries.map(({ subject }) => subject)],
  );
  const calls = new Map(rows.map((row) => [row.id, row]));
  return entries.flatMap((entry): ChainProblem[] => {
    const call = calls.get(entry.subject);
    if (call === undefined) return [{ ...about(entry.id, entry), problem: 'call-missing' }];
    const isAsSealed = call.isPruned || digestOf(call.record) === entry.body;
    return isAsSealed ? [] : [{ ...about(entry.id, entry), problem: 'call-changed' }];
  });
}
