import {
  anyText,
  assertArguments,
  count,
  flag,
  optional,
  type Rule,
  text,
} from '../base/arguments.ts';
import { HookmachineError } from '../base/errors.ts';
import type { Database } from './database/postgres.ts';

/** Calls that must be kept, whatever their age: all that match each part that is given. */
export interface HoldOptions {
  readonly workspace?: string | undefined;
  readonly session?: string | undefined;
  readonly call?: string | undefined;
  /** Why they must be kept. */
  readonly note: string;
  /** Who says so. */
  readonly by: string;
}

/** A hold, such as one that a lawsuit demands. */
export interface Hold {
  /** Such as `hold-3`. */
  readonly id: string;
  readonly workspace?: string;
  readonly session?: string;
  readonly call?: string;
  readonly note: string;
  readonly by: string;
  /** The database role that placed it. */
  readonly role: string;
  readonly at: Date;
  readonly lifted?: { readonly by: string; readonly role: string; readonly at: Date };
}

/** Which calls to prune. */
export interface PruneOptions {
  /** How long ago a call must have ended, in ms. */
  readonly olderThan: number;
  readonly workspace?: string | undefined;
  /** Whether the calls are only counted. */
  readonly dryRun?: boolean | undefined;
}

interface HoldRow {
  readonly id: string;
  readonly workspace: string | null;
  readonly session: string | null;
  readonly call: string | null;
  readonly note: string;
  readonly placed_by: string;
  readonly placed_as: string;
  readonly placed_at: Date;
  readonly lifted_by: string | null;
  readonly lifted_as: string | null;
  readonly lifted_at: Date | null;
}

const pruneRules: Readonly<Record<string, Rule>> = {
  olderThan: count,
  workspace: optional(text),
  dryRun: optional(flag),
};

const holdRules: Readonly<Record<string, Rule>> = {
  workspace: optional(text),
  session: optional(text),
  call: optional(text),
  note: text,
  by: text,
};

/** How many calls are pruned in one transaction. */
const batch = 1_000;

const isDue = `c.status = 'ended' and c.pruned_at is null
  and c.ended_at < now() - $1 * interval '1 millisecond' and ($2::text is null or c.workspace = $2)
  and not exists (
    select from hookmachine.holds h where h.lifted_at is null
      and (h.workspace is null or h.workspace = c.workspace)
      and (h.session is null or h.session = c.session)
      and (h.call is null or h.call = c.id)
  )`;

/** Deletes what was done for calls that ended long ago, and keeps what must be kept. */
export class Retention {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Deletes the arguments, the results, the hooks' output and the questions of calls that ended long ago. Their
   * ids stay taken: nothing that was done under one of them is done again. Calls that wait, and those that are
   * held, stay as they are.
   *
   * @returns how many calls were pruned, or would be
   * @throws {HookmachineError} `ARGUMENT_INVALID`
   */
  async prune(options: PruneOptions): Promise<number> {
    assertArguments('retention.prune', options, pruneRules);
    const { olderThan, workspace = null, dryRun = false } = options;
    if (dryRun) {
      const { rows } = await this.#database.query<{ count: number }>(
        `select count(*)::integer as count from hookmachine.calls c where ${isDue}`,
        [olderThan, workspace],
      );
      return rows[0]!.count;
    }
    for (let total = 0; ;) {
      const { rows } = await this.#database.query(
        `with due as (
           select c.id from hookmachine.calls c where ${isDue} order by c.ended_at limit ${batch} for update skip locked
         ), effects as (
           delete from hookmachine.effects e using due where e.call = due.id
         ), approvals as (
           delete from hookmachine.approvals a using due where a.call = due.id
         ) update hookmachine.calls c set input = '{}', judged = null, outcome = null, pruned_at = now()
           from due where c.id = due.id returning c.id`,
        [olderThan, workspace],
      );
      total += rows.length;
      if (rows.length < batch) return total;
    }
  }

  /**
   * Keeps calls from being pruned, also those that are made later.
   *
   * @throws {HookmachineError} `ARGUMENT_INVALID`
   */
  async hold(options: HoldOptions): Promise<Hold> {
    assertArguments('retention.hold', options, holdRules);
    const { workspace, session, call, note, by } = options;
    if (workspace === undefined && session === undefined && call === undefined)
      throw new HookmachineError(
        'ARGUMENT_INVALID',
        'retention.hold: it says nothing to keep; pass a workspace, a session or a call.',
      );
    const { rows } = await this.#database.query<HoldRow>(
      `insert into hookmachine.holds (workspace, session, call, note, placed_by)
       values ($1, $2, $3, $4, $5) returning *`,
      [workspace ?? null, session ?? null, call ?? null, note, by],
    );
    return holdOf(rows[0]!);
  }

  /** Lists the holds, the lifted ones too. */
  async holds(): Promise<readonly Hold[]> {
    const { rows } = await this.#database.query<HoldRow>(
      'select * from hookmachine.holds order by id',
    );
    return rows.map(holdOf);
  }

  /**
   * Lifts a hold. What it kept can be pruned from then on.
   *
   * @returns whether it was in force
   * @throws {HookmachineError} `ARGUMENT_INVALID`
   */
  async lift(id: string, by: string): Promise<boolean> {
    assertArguments('retention.lift', { id, by }, { id: anyText, by: text });
    const number = /^hold-(\d{1,18})$/.exec(id)?.[1];
    if (number === undefined) return false;
    const { rows } = await this.#database.query(
      `update hookmachine.holds set lifted_by = $2, lifted_as = current_user, lifted_at = now()
       where id = $1 and lifted_at is null returning id`,
      [number, by],
    );
    return rows.length > 0;
  }
}

function holdOf(row: HoldRow): Hold {
  const { lifted_by: liftedBy, lifted_as: liftedAs, lifted_at: liftedAt } = row;
  return {
    id: `hold-${row.id}`,
    ...(row.workspace !== null && { workspace: row.workspace }),
    ...(row.session !== null && { session: row.session }),
    ...(row.call !== null && { call: row.call }),
    note: row.note,
    by: row.placed_by,
    role: row.placed_as,
    at: row.placed_at,
    ...(liftedBy !== null &&
      liftedAs !== null &&
      liftedAt !== null && { lifted: { by: liftedBy, role: liftedAs, at: liftedAt } }),
  };
}
