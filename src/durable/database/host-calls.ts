import { insertQuestion } from './calls.ts';
import { type Database, lockKey } from './postgres.ts';
import { format } from './schema.ts';

/** A call that an agent runs itself, to be kept while it waits. */
export interface WaitingHostCall {
  readonly id: string;
  readonly workspace: string;
  readonly session: string;
  readonly tool: string;
  /** The arguments as JSON. */
  readonly input: string;
  /** What its hooks said, as JSON. */
  readonly judged: string;
  /** What the person is told, as JSON. */
  readonly asked: string;
  /** How long the question waits, in ms. */
  readonly expiresAfter: number;
  /** The digest of the arguments, if they are encrypted. */
  readonly digest?: string | undefined;
  /** How much the call may harm. */
  readonly risk?: string | undefined;
  /** The machine that submits it through a hub. */
  readonly machine?: string | undefined;
}

/** What is done in the database to calls that agents run themselves. */
export const hostCallOperations = {
  /** Keeps a call and lists its question, unless another one of its session waits: returns that one. */
  suspendForHost(database: Database, call: WaitingHostCall): Promise<string | undefined> {
    const { id, workspace, session, tool, input, judged } = call;
    return database.transaction(async (connection) => {
      // One call of a session at a time, so that two cannot both find that no other waits.
      await connection.query('select pg_advisory_xact_lock($1::bigint)', [
        lockKey(`ask ${session}`),
      ]);
      const { rows } = await connection.query<{ id: string }>(
        `select a.id from hookmachine.approvals a join hookmachine.calls c on c.id = a.call
         where c.session = $1 and c.workspace = $2 and a.decision is null`,
        [session, workspace],
      );
      if (rows[0]) return `ap-${rows[0].id}`;
      await connection.query(
        `insert into hookmachine.calls (id, format, workspace, session, tool, input, is_callers, status, judged, machine)
         values ($1, $2, $3, $4, $5, $6, true, 'suspended', $7, $8)`,
        [id, format, workspace, session, tool, input, judged, call.machine ?? null],
      );
      const { asked, expiresAfter, digest, risk } = call;
      await insertQuestion(connection, id, { shown: input, asked, expiresAfter, digest, risk });
      return undefined;
    });
  },

  /** Ends a call that was answered. Returns false if it had been ended before. */
  async handOver(database: Database, id: string, tool: string, outcome: string): Promise<boolean> {
    const { rows } = await database.query(
      `update hookmachine.calls set status = 'ended', outcome = $2, ended_at = now()
       where id = $1 and status = 'ready' and tool = $3 returning tool`,
      [id, outcome, tool],
    );
    return rows.length > 0;
  },
};
