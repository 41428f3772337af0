import type { Risk } from '../../guards/risk.ts';
import type { Database, Queryable } from './postgres.ts';

/** How a question was answered. */
export type Decision = 'approved' | 'denied' | 'expired' | 'withdrawn';

/** A question as it is stored in the database, with what its call says. */
export interface ApprovalRow {
  readonly id: string;
  readonly call: string;
  readonly format: number;
  readonly workspace: string;
  readonly session: string | null;
  readonly tool: string;
  /** The machine whose call it is, if it came through a hub. */
  readonly machine: string | null;
  readonly shown: string;
  readonly digest: string;
  readonly asked: string;
  /** How much the call may harm; null if it was asked by an earlier release. */
  readonly risk: Risk | null;
  readonly asked_at: Date;
  readonly expires_at: Date;
  readonly decision: Decision | null;
  readonly answered_by: string | null;
  readonly answered_as: string | null;
  /** `hub` if a hub knows who answered. */
  readonly answered_through: string | null;
  /** The arguments as JSON, if they were approved with others than those that were shown. */
  readonly edited: string | null;
  /** Whether the agent runs the tool itself. */
  readonly is_callers: boolean;
  readonly note: string | null;
  readonly answered_at: Date | null;
}

/** Which questions are meant. */
export interface ApprovalFilter {
  /** Whether the answered ones are included; default: only the unanswered ones. */
  readonly all?: boolean | undefined;
  /** Whether only the answered ones are meant. */
  readonly answered?: boolean | undefined;
  readonly workspace?: string | undefined;
  /** The name of the tool. */
  readonly tool?: string | undefined;
  /**
   * A text that occurs in the arguments, in what the hooks said, or in the id of the call, in upper or lower
   * case.
   */
  readonly search?: string | undefined;
  /** Workspaces to which the questions are limited; one that ends with `*` stands for all that begin so. */
  readonly within?: readonly string[] | undefined;
}

/** An answer to a question. */
export interface NewAnswer {
  readonly decision: Exclude<Decision, 'expired'>;
  readonly by: string;
  readonly note?: string | undefined;
  /** The arguments as JSON, to be judged and used in place of those that were shown. */
  readonly edited?: string | undefined;
  /** Set if a hub knows who answers. */
  readonly through?: 'hub' | undefined;
}

/** Whether an answer counts. */
export interface Accepted {
  readonly isAccepted: boolean;
  /** How many more people have to approve. */
  readonly missing?: number;
}

/** A page of questions. */
export interface ApprovalPage extends ApprovalFilter {
  readonly limit: number;
  /** The number of the question that precedes the page. */
  readonly after?: string | undefined;
  readonly newestFirst: boolean;
}

/** A question that nobody was told of. */
export interface Untold {
  readonly id: string;
  readonly call: string;
  readonly tool: string;
  readonly asked: string;
}

/** The condition of an `ApprovalFilter`, of which there is an index for the unanswered ones. */
const matching = ({ all = false, answered = false }: ApprovalFilter): string =>
  `${answered ? 'a.decision is not null' : all ? 'true' : 'a.decision is null'}
   and ($1::text is null or c.workspace = $1) and ($2::text is null or c.tool = $2)
   and ($3::text is null or position(lower($3) in lower(concat_ws(' ', a.shown, a.asked, a.call))) > 0)
   and ($4::text[] is null or c.workspace like any($4))`;

const matchedBy = ({ workspace, tool, search, within }: ApprovalFilter): unknown[] => [
  workspace ?? null,
  tool ?? null,
  search ?? null,
  within?.map(likePattern) ?? null,
];

/** The pattern of SQL for a workspace, or for all that begin so. */
export const likePattern = (workspace: string): string =>
  workspace.replaceAll(/[\\%_]/g, String.raw`\$&`).replace(/\*$/, '%');

/** How long a host may take to tell of a question before another one does, in seconds. */
const tellingLasts = 120;

/** How many questions are told of at once. */
const told = 20;

/** How many questions expire in one statement: it holds their rows, which answers wait for. */
const batch = 1_000;

async function find(
  database: Database,
  which: string,
  values: readonly unknown[],
): Promise<readonly ApprovalRow[]> {
  const { rows } = await database.query<ApprovalRow>(
    `select a.*, c.format, c.workspace, c.session, c.tool, c.machine, c.is_callers
     from hookmachine.approvals a join hookmachine.calls c on c.id = a.call
     where ${which}`,
    values,
  );
  return rows;
}

/** What is done to questions in the database; `number` is the part of an id after `ap-`. */
export const approvalOperations = {
  async approval(database: Database, number: string): Promise<ApprovalRow | undefined> {
    return (await find(database, 'a.id = $1', [number]))[0];
  },

  async approvalOf(database: Database, call: string): Promise<ApprovalRow | undefined> {
    return (await find(database, 'a.call = $1', [call]))[0];
  },

  approvals(database: Database, page: ApprovalPage): Promise<readonly ApprovalRow[]> {
    const [follows, order] = page.newestFirst ? ['<', 'desc'] : ['>', 'asc'];
    return find(
      database,
      `${matching(page)} and ($5::bigint is null or a.id ${follows} $5) order by a.id ${order} limit $6`,
      [...matchedBy(page), page.after ?? null, page.limit],
    );
  },

  async countApprovals(database: Database, filter: ApprovalFilter): Promise<number> {
    const { rows } = await database.query<{ count: number }>(
      `select count(*)::integer as count
       from hookmachine.approvals a join hookmachine.calls c on c.id = a.call where ${matching(filter)}`,
      matchedBy(filter),
    );
    return rows[0]!.count;
  },

  /** Answers a question, and lets its call continue, unless it was answered before or has expired. */
  async answerApproval(
    database: Queryable,
    number: string,
    { decision, by, note, edited, through }: NewAnswer,
  ): Promise<Accepted> {
    const more = [
      ...(through === undefined ? [] : [`, answered_through = '${through}'`]),
      ...(edited === undefined ? [] : [', edited = $5']),
    ].join('');
    const { rows } = await database.query(
      `with answered as (
         update hookmachine.approvals
         set decision = $2, answered_by = $3, answered_as = current_user, note = $4, answered_at = now()${more}
         where id = $1 and decision is null and expires_at > now() returning call
       ), ready as (
         update hookmachine.calls set status = 'ready', ready_at = now()
         from answered where calls.id = answered.call and calls.status = 'suspended'
       ) select hookmachine.tell(c.workspace, c.id)
         from answered join hookmachine.calls c on c.id = answered.call`,
      [number, decision, by, note ?? null, ...(edited === undefined ? [] : [edited])],
    );
    return { isAccepted: rows.length > 0 };
  },

  /** Expires the questions whose time is up. Returns whether there were any. */
  async expireApprovals(database: Database): Promise<boolean> {
    for (let total = 0; ;) {
      const { rows } = await database.query(
        `with due as (
           select id from hookmachine.approvals where decision is null and expires_at <= now()
           order by expires_at limit ${batch} for update skip locked
         ), expired as (
           update hookmachine.approvals a set decision = 'expired', answered_at = now()
           from due where a.id = due.id returning a.call
         ), ready as (
           update hookmachine.calls set status = 'ready', ready_at = now()
           from expired where calls.id = expired.call and calls.status = 'suspended'
         ) select hookmachine.tell(c.workspace, c.id)
           from expired join hookmachine.calls c on c.id = expired.call`,
      );
      total += rows.length;
      if (rows.length < batch) return total > 0;
    }
  },

  /**
   * Takes over telling of the question of one call, or of the questions of a workspace that nobody is telling
   * of. Those of a format that this host does not know are left to others.
   */
  async takeUntold(
    database: Database,
    workspace: string,
    call: string | undefined,
    upTo: number,
  ): Promise<readonly Untold[]> {
    const { rows } = await database.query<Untold>(
      `update hookmachine.approvals a set telling_at = now()
       from hookmachine.calls c
       where c.id = a.call and a.id in (
         select a.id from hookmachine.approvals a join hookmachine.calls c on c.id = a.call
         where a.told_at is null and a.decision is null and a.expires_at > now() and c.workspace = $1
           and c.format <= $3
           and ($2::text is null or a.call = $2)
           and (a.telling_at is null or a.telling_at < now() - interval '${tellingLasts} seconds')
         order by a.id limit ${told} for update of a skip locked
       ) returning a.id, a.call, c.tool, a.asked`,
      [workspace, call ?? null, upTo],
    );
    return rows;
  },

  async markTold(database: Database, id: string): Promise<void> {
    await database.query('update hookmachine.approvals set told_at = now() where id = $1', [id]);
  },
};
