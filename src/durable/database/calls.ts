import { isDeepStrictEqual } from 'node:util';
import { HookmachineError } from '../../base/errors.ts';
import { digestOf } from './digest.ts';
import { type Lease, LeaseLost } from './effects.ts';
import { type Database, lockKey, type Queryable } from './postgres.ts';
import { format } from './schema.ts';

/** A call as it is stored in the database. */
export interface CallRow {
  readonly id: string;
  readonly format: number;
  readonly workspace: string;
  readonly session: string | null;
  readonly tool: string;
  readonly input: string;
  /** `ready`: the first host to take it continues it. */
  readonly status: 'running' | 'suspended' | 'ready' | 'ended';
  readonly lease: number;
  readonly host: string | null;
  readonly attempts: number;
  /** If true, its caller runs the tool, and no other host continues the call. */
  readonly is_callers: boolean;
  /** The machine that submitted it through a hub. */
  readonly machine: string | null;
  readonly judged: string | null;
  readonly policy: string | null;
  readonly policy_resumed: string | null;
  readonly outcome: string | null;
  readonly submitted_at: Date;
  readonly ended_at: Date | null;
  /** When what was done for it was deleted. */
  readonly pruned_at: Date | null;
}

/** A call as it is submitted. */
export interface Submission {
  readonly id: string;
  readonly workspace: string;
  readonly session: string | undefined;
  readonly tool: string;
  /** The arguments as JSON. */
  readonly input: string;
  /** Whether the caller runs the tool itself. */
  readonly isCallers: boolean;
  /** The machine that submits it through a hub. */
  readonly machine?: string | undefined;
}

/**
 * The channel on which news of a workspace's calls is announced, by `hookmachine.tell` in the database; the
 * payload is the call's id.
 */
export const channelOf = (workspace: string): string =>
  `hookmachine_${digestOf(workspace).slice(0, 32)}`;

/** A call that was submitted just now or earlier. */
export interface Submitted {
  readonly row: CallRow;
  /** Whether it was submitted just now, so that this host must work on it. */
  readonly isNew: boolean;
}

/**
 * Submits a call for this host to work on, or without a host, for the first worker to take it; or finds the
 * one that was submitted with this id.
 *
 * @throws {HookmachineError} `CALL_CONFLICT` if another call has this id
 */
export async function submit(
  database: Database,
  submission: Submission,
  host?: string,
): Promise<Submitted> {
  const { id, tool, input, workspace } = submission;
  const made = await insert(database, submission, host);
  if (made) return { row: made, isNew: true };
  const row = await findCall(database, id);
  const isSame = isCallOf(row, submission) && isDeepStrictEqual(JSON.parse(row.input), JSON.parse(input)); // prettier-ignore
  if (!isSame) throw conflict(row, isCallOf(row, { tool, workspace }) ? ', with other arguments' : ''); // prettier-ignore
  return { row, isNew: false };
}

/**
 * Submits a call that is known to be new. If an earlier call has its id, it gets the next one, such as
 * `s/call-1#2`.
 */
export async function submitNew(
  database: Database,
  submission: Submission,
  host: string,
): Promise<Submitted> {
  for (let number = 1; ; number += 1) {
    const row = await insert(
      database,
      { ...submission, id: numbered(submission.id, number) },
      host,
    );
    if (row) return { row, isNew: true };
  }
}

/**
 * Finds the last call that was submitted as new with this id, or submits it. A call that was found keeps its
 * arguments, whatever they are now.
 *
 * @throws {HookmachineError} `CALL_CONFLICT` if it is a call of another tool
 */
export async function submitAgain(
  database: Database,
  submission: Submission,
  host: string,
): Promise<Submitted> {
  const last = await findLast(database, submission.id);
  if (last === undefined) {
    const row = await insert(database, submission, host);
    return row ? { row, isNew: true } : submitAgain(database, submission, host);
  }
  if (!isCallOf(last, submission)) throw conflict(last, '');
  return { row: last, isNew: false };
}

/** Returns the last call that was submitted as new with this id. */
export async function findLast(database: Queryable, id: string): Promise<CallRow | undefined> {
  let last: CallRow | undefined;
  for (let number = 1; ; number += 1) {
    const { rows } = await find(database, numbered(id, number));
    if (rows[0] === undefined) break;
    [last] = rows;
  }
  if (last) assertKnown(last);
  return last;
}

const numbered = (id: string, number: number): string => (number === 1 ? id : `${id}#${number}`);

const isCallOf = (row: CallRow, { tool, workspace }: Pick<Submission, 'tool' | 'workspace'>) =>
  row.tool === tool && row.workspace === workspace;

const conflict = ({ id, tool, workspace }: CallRow, difference: string): HookmachineError =>
  new HookmachineError(
    'CALL_CONFLICT',
    `Another call has the id ${id}: it calls ${tool} in the workspace ${workspace}${difference}. Submit this one with a different id.`,
  );

async function insert(
  database: Database,
  { id, workspace, session, tool, input, isCallers, machine }: Submission,
  host?: string,
): Promise<CallRow | undefined> {
  const { rows } = await database.query<CallRow>(
    `with made as (
       insert into hookmachine.calls (id, format, workspace, session, tool, input, is_callers, machine, status, host, attempts)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing returning *
     ) select made.*, case when status = 'ready' then hookmachine.tell(workspace, id) end from made`,
    [id, format, workspace, session ?? null, tool, input, isCallers, machine ?? null, ...(host === undefined ? ['ready', null, 0] : ['running', host, 1])], // prettier-ignore
  );
  return rows[0];
}

const find = (database: Queryable, id: string) =>
  database.query<CallRow>('select * from hookmachine.calls where id = $1', [id]);

/**
 * @throws {HookmachineError} `CALL_UNKNOWN` if there is none, or if its row was written by a newer release,
 * `CALL_PRUNED`
 */
export async function findCall(database: Queryable, id: string): Promise<CallRow> {
  const { rows } = await find(database, id);
  const [row] = rows;
  if (row === undefined) throw unknownCall(id);
  assertKnown(row);
  return row;
}

/** Says that there is no such call. */
export const unknownCall = (id: string): HookmachineError =>
  new HookmachineError('CALL_UNKNOWN', `There is no call with the id ${id}.`);

/**
 * @throws {HookmachineError} `CALL_UNKNOWN` if the row was written by a newer release, `CALL_PRUNED` if what
 * was done for the call was deleted
 */
export function assertKnown(
  row: Pick<CallRow, 'id' | 'format'> & Partial<Pick<CallRow, 'pruned_at' | 'ended_at'>>,
): void {
  if (row.pruned_at)
    throw new HookmachineError(
      'CALL_PRUNED',
      `The call ${row.id} ended at ${row.ended_at?.toISOString()}, and what was done for it was deleted at ${row.pruned_at.toISOString()}. Its id stays taken: use a different one for another call.`,
    );
  if (row.format > format)
    throw new HookmachineError(
      'CALL_UNKNOWN',
      `The call ${row.id} has format ${row.format}, but this release reads only up to ${format}: upgrade hookmachine on this host.`,
    );
}

/** Says that nobody but its agent can continue a call. */
export const isOfAnAgent = ({ id, tool }: CallRow): HookmachineError =>
  new HookmachineError(
    'CALL_CONFLICT',
    `The call ${id} was answered, and waits for its agent, which runs ${tool} itself: continue that agent's run.`,
  );

/**
 * Takes the call with this id if it is ready; without an id, the oldest ready call of the workspace that any
 * host may continue. A tool that its caller runs no longer stands in the way once it is not going to run.
 */
export async function takeReady(
  database: Queryable,
  workspace: string,
  host: string,
  id?: string,
): Promise<CallRow | undefined> {
  const { rows } = await database.query<CallRow>(
    `update hookmachine.calls
     set status = 'running', host = $2, lease = lease + 1, attempts = attempts + 1
     where id = (
       select id from hookmachine.calls
       where status = 'ready' and workspace = $1 and format <= $3
         and case when $4::text is not null then id = $4 else not is_callers or exists (
           select from hookmachine.approvals where call = calls.id and decision <> 'approved'
         ) end
       order by ready_at for update skip locked limit 1
     ) returning *`,
    [workspace, host, format, id ?? null],
  );
  return rows[0];
}

/**
 * Takes the oldest call of the workspace that any host may continue, unless `most` calls of the workspace are
 * already being worked on, on whichever hosts.
 */
export function takeWithin(
  database: Database,
  workspace: string,
  host: string,
  most: number,
): Promise<CallRow | undefined> {
  return database.transaction(async (connection) => {
    // One host at a time counts, so that two cannot take the last place.
    await connection.query('select pg_advisory_xact_lock($1::bigint)', [lockKey(`take ${workspace}`)]); // prettier-ignore
    const { rows } = await connection.query<{ count: number }>(
      `select count(*)::integer as count from hookmachine.calls
       where status = 'running' and workspace = $1 and not is_callers`,
      [workspace],
    );
    return rows[0]!.count < most ? takeReady(connection, workspace, host) : undefined;
  });
}

/**
 * A host that left in good order has survived the call: this may happen any number of times without the call
 * being given up.
 */
const survived = (hasLeft: string): string =>
  `case when ${hasLeft}::boolean then greatest(attempts - 1, 1) else attempts end`;

/**
 * Gives back the calls that a host was working on, for the first host to take them. The leases of that host
 * become invalid.
 */
export async function giveBack(
  database: Queryable,
  host: string,
  { hasLeft = false } = {},
): Promise<number> {
  const { rows } = await database.query(
    `with given as (
       update hookmachine.calls
       set status = 'ready', host = null, lease = lease + 1, ready_at = now(), attempts = ${survived('$2')}
       where host = $1 and status = 'running' returning id, workspace
     ) select hookmachine.tell(workspace, id) from given`,
    [host, hasLeft],
  );
  return rows.length;
}

/** Releases one call that a host could not continue. */
export async function letGo(
  database: Queryable,
  { call, number }: Lease,
  { hasLeft = false } = {},
): Promise<void> {
  await database.query(
    `with given as (
       update hookmachine.calls
       set status = 'ready', host = null, lease = lease + 1, ready_at = now(), attempts = ${survived('$3')}
       where id = $1 and lease = $2 and status = 'running' returning id, workspace
     ) select hookmachine.tell(workspace, id) from given`,
    [call, number, hasLeft],
  );
}

/** Records the policy that a call is judged by, or was finished by. */
export async function keepPolicy(
  database: Database,
  { call, number }: Lease,
  { digest, hooks }: { readonly digest: string; readonly hooks: string },
  isResumed: boolean,
): Promise<void> {
  const { rows } = await database.query(
    `with known as (
       insert into hookmachine.policies (digest, hooks) values ($3, $4) on conflict do nothing
     )
     update hookmachine.calls
     set policy = case when $5 then policy else $3 end, policy_resumed = case when $5 then $3 else policy_resumed end
     where id = $1 and lease = $2 and status = 'running' returning id`,
    [call, number, digest, hooks, isResumed],
  );
  assertHeld(rows, call);
}

/** A question to list; `judged`, `shown` and `asked` are JSON. */
export interface NewQuestion {
  /** What the first leg passes on to the second. */
  readonly judged: string;
  /** The arguments that the tool would get. */
  readonly shown: string;
  /** Why the hooks want someone to be asked, and what each said. */
  readonly asked: string;
  /** How long it waits, in ms. */
  readonly expiresAfter: number;
  /** The digest of the arguments, if `shown` is encrypted. */
  readonly digest?: string | undefined;
  /** How much the call may harm. */
  readonly risk?: string | undefined;
}

/** Lists the question and releases the call, in one transaction. */
export function suspend(
  database: Database,
  { call, number }: Lease,
  { judged, ...question }: NewQuestion,
): Promise<void> {
  return database.transaction(async (connection) => {
    const { rows } = await connection.query(
      `update hookmachine.calls set status = 'suspended', host = null, judged = $3
       where id = $1 and lease = $2 and status = 'running' returning id`,
      [call, number, judged],
    );
    if (rows.length === 0) return assertWritten(connection, call, number);
    await insertQuestion(connection, call, question);
  });
}

/** Lists the question of a call and notifies those who watch. */
export async function insertQuestion(
  connection: Queryable,
  call: string,
  { shown, asked, expiresAfter, digest = digestOf(shown), risk }: Omit<NewQuestion, 'judged'>,
): Promise<void> {
  await connection.query(
    `insert into hookmachine.approvals (call, shown, digest, asked, expires_at, risk)
     values ($1, $2, $3, $4, now() + $5 * interval '1 millisecond', $6)`,
    [call, shown, digest, asked, expiresAfter, risk ?? null],
  );
  await connection.query('select hookmachine.tell(workspace, id) from hookmachine.calls where id = $1', [call]); // prettier-ignore
}

/** Records how a call ended. */
export async function end(
  database: Database,
  { call, number }: Lease,
  outcome: string,
): Promise<void> {
  const { rows } = await database.query(
    `with ended as (
       update hookmachine.calls set status = 'ended', host = null, outcome = $3, ended_at = now()
       where id = $1 and lease = $2 and status = 'running' returning id, workspace
     ) select hookmachine.tell(workspace, id) from ended`,
    [call, number, outcome],
  );
  if (rows.length === 0) await assertWritten(database, call, number);
}

/**
 * The database may have gone away after it had written what this host is writing again: only the holder of a
 * lease ends the work on a call without raising the number of the lease.
 */
async function assertWritten(database: Queryable, call: string, number: number): Promise<void> {
  const { rows } = await database.query(
    `select from hookmachine.calls where id = $1 and lease = $2 and status <> 'running'`,
    [call, number],
  );
  assertHeld(rows, call);
}

function assertHeld(rows: readonly unknown[], call: string): void {
  if (rows.length === 0) throw new LeaseLost(`The call ${call} was taken over by another host.`);
}
