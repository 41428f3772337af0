import { setTimeout as sleep } from 'node:timers/promises';
import {
  assertArgument,
  assertArguments,
  anyText,
  flag,
  oneOf,
  optional,
  positive,
  type Rule,
  text,
} from '../base/arguments.ts';
import { HookmachineError } from '../base/errors.ts';
import { assertKnown } from './calls.ts';
import type { HookSaid } from './judged.ts';
import { sha256 } from './policy.ts';
import { type Database, isUnreachable } from './postgres.ts';
import { format } from './schema.ts';

/** A question that a hook wants answered before a tool runs. */
export interface Approval {
  /** Such as `ap-7`. */
  readonly id: string;
  readonly call: string;
  /** The format in which its row was written. A question of a newer release must be answered there. */
  readonly format: number;
  readonly workspace: string;
  readonly session?: string;
  readonly tool: string;
  /** The arguments that the tool gets, byte for byte, as JSON. */
  readonly shown: string;
  /** The SHA-256 of `shown`. An answer that names it applies to exactly these arguments. */
  readonly digest: string;
  /** Why the hooks want someone to be asked. */
  readonly reason?: string;
  /** What each hook said. */
  readonly hooks: readonly HookSaid[];
  readonly askedAt: Date;
  readonly expiresAt: Date;
  /** Absent until someone has answered. */
  readonly answer?: GivenAnswer;
}

/** How a question was answered. */
export interface GivenAnswer {
  readonly decision: 'approved' | 'denied' | 'expired' | 'withdrawn';
  /** Who answered, by their own account. */
  readonly by?: string;
  /** The database role that the answer was given with. */
  readonly role?: string;
  readonly note?: string;
  readonly at: Date;
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
}

/** Which questions to list, and how many. */
export interface ListOptions extends ApprovalFilter {
  /** The highest number of questions; default: 1,000. */
  readonly limit?: number | undefined;
  /** Only questions that follow this one, such as the last one of the previous page. */
  readonly after?: string | undefined;
  /** Whether the newest come first; default: the oldest. */
  readonly newestFirst?: boolean | undefined;
}

/** An answer to a question. */
export interface AnswerOptions {
  readonly decision: 'approve' | 'deny' | 'withdraw';
  /** Who is answering. */
  readonly by: string;
  readonly note?: string | undefined;
  /**
   * The digest of the arguments that were shown when answering; any other is refused. Its first twelve
   * characters are enough.
   */
  readonly digest?: string | undefined;
}

/** Whether an answer was accepted: only the first one is. */
export type AnswerOutcome =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly was: GivenAnswer };

const longest = (most: number): Rule => ({
  fits: (value) => typeof value === 'string' && value.length <= most,
  fix: `pass a string of at most ${most} characters`,
});

const answerRules: Readonly<Record<string, Rule>> = {
  decision: oneOf('approve', 'deny', 'withdraw'),
  by: text,
  note: optional(longest(100_000)),
  digest: optional({
    fits: (value) => typeof value === 'string' && /^[\da-f]{12,64}$/i.test(value),
    fix: 'pass the digest that was shown, or its first twelve characters',
  }),
};

const filterRules: Readonly<Record<string, Rule>> = {
  all: optional(flag),
  answered: optional(flag),
  workspace: optional(text),
  tool: optional(text),
  search: optional(anyText),
};

const pageRules: Readonly<Record<string, Rule>> = {
  limit: optional(positive),
  after: optional(text),
  newestFirst: optional(flag),
};

/** The condition of an `ApprovalFilter`, of which there is an index for the unanswered ones. */
const matching = ({ all = false, answered = false }: ApprovalFilter): string =>
  `${answered ? 'a.decision is not null' : all ? 'true' : 'a.decision is null'}
   and ($1::text is null or c.workspace = $1) and ($2::text is null or c.tool = $2)
   and ($3::text is null or position(lower($3) in lower(concat_ws(' ', a.shown, a.asked, a.call))) > 0)`;

const matchedBy = ({ workspace, tool, search }: ApprovalFilter): unknown[] => [
  workspace ?? null,
  tool ?? null,
  search ?? null,
];

const words = { approve: 'approved', deny: 'denied', withdraw: 'withdrawn' } as const;

interface ApprovalRow {
  readonly id: string;
  readonly call: string;
  readonly format: number;
  readonly workspace: string;
  readonly session: string | null;
  readonly tool: string;
  readonly shown: string;
  readonly digest: string;
  readonly asked: string;
  readonly asked_at: Date;
  readonly expires_at: Date;
  readonly decision: GivenAnswer['decision'] | null;
  readonly answered_by: string | null;
  readonly answered_as: string | null;
  readonly note: string | null;
  readonly answered_at: Date | null;
}

/**
 * The questions of all workspaces of a database. Reading and answering them needs no tools, no hooks and no
 * running host.
 */
export class Approvals {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Lists questions, a page at a time. Those whose time is up expire first.
   *
   * @throws {HookmachineError} `ARGUMENT_INVALID`, `APPROVAL_UNKNOWN` if `after` is not the id of a question
   * @example
   * const page = await approvals.list({ tool: 'write_file', limit: 50 });
   * const next = await approvals.list({ tool: 'write_file', limit: 50, after: page.at(-1)?.id });
   */
  async list(options: ListOptions = {}): Promise<readonly Approval[]> {
    assertArguments('approvals.list', options, { ...filterRules, ...pageRules });
    const { limit = 1_000, after, newestFirst = false } = options;
    const [follows, order] = newestFirst ? ['<', 'desc'] : ['>', 'asc'];
    const from = after === undefined ? null : numberOf(after);
    await this.expire();
    return this.#find(
      `${matching(options)} and ($4::bigint is null or a.id ${follows} $4) order by a.id ${order} limit $5`,
      [...matchedBy(options), from, limit],
    );
  }

  /**
   * Counts questions. Those whose time is up expire first.
   *
   * @throws {HookmachineError} `ARGUMENT_INVALID`
   */
  async count(filter: ApprovalFilter = {}): Promise<number> {
    assertArguments('approvals.count', filter, filterRules);
    await this.expire();
    const { rows } = await this.#database.query<{ count: number }>(
      `select count(*)::integer as count
       from hookmachine.approvals a join hookmachine.calls c on c.id = a.call where ${matching(filter)}`,
      matchedBy(filter),
    );
    return rows[0]!.count;
  }

  /** @throws {HookmachineError} `APPROVAL_UNKNOWN` if there is no such question */
  async show(id: string): Promise<Approval> {
    const number = numberOf(id);
    await this.expire();
    const [found] = await this.#find('a.id = $1', [number]);
    if (found === undefined) throw unknownApproval(id);
    return found;
  }

  /** Returns the question that a call is or was waiting for. */
  async of(call: string): Promise<Approval | undefined> {
    const [found] = await this.#find('a.call = $1', [call]);
    return found;
  }

  /**
   * Answers a question and lets its call continue, in one transaction. Only the first answer counts, and only
   * until the question has expired.
   *
   * @throws {HookmachineError} `ARGUMENT_INVALID` if an option is not valid, `APPROVAL_UNKNOWN` if there is no
   * such question, `APPROVAL_MISMATCH` if `digest` is that of other arguments, or if the arguments to approve
   * were changed
   * @example
   * const { accepted } = await approvals.answer('ap-7', { decision: 'approve', by: 'ann' });
   */
  async answer(id: string, options: AnswerOptions): Promise<AnswerOutcome> {
    assertArguments('approvals.answer', options, answerRules);
    const { decision, by, note, digest } = options;
    const asked = await this.show(id);
    assertKnown({ id: asked.call, format: asked.format });
    if (decision === 'approve' && !isIntact(asked))
      throw new HookmachineError(
        'APPROVAL_MISMATCH',
        `${id} cannot be approved: its arguments were changed in the database after its hooks had judged them. Deny it, or make the call again.`,
      );
    if (digest !== undefined && !isDigest(digest, asked.digest))
      throw new HookmachineError(
        'APPROVAL_MISMATCH',
        `${id} is not about the arguments with the digest ${digest}: its digest is ${asked.digest}. Check what it shows.`,
      );
    const { rows } = await this.#database.query(
      `with answered as (
         update hookmachine.approvals
         set decision = $2, answered_by = $3, answered_as = current_user, note = $4, answered_at = now()
         where id = $1 and decision is null and expires_at > now() returning call
       ), ready as (
         update hookmachine.calls set status = 'ready', ready_at = now()
         from answered where calls.id = answered.call and calls.status = 'suspended'
       ) select hookmachine.tell(c.workspace, c.id)
         from answered join hookmachine.calls c on c.id = answered.call`,
      [numberOf(id), words[decision], by, note ?? null],
    );
    if (rows.length > 0) return { accepted: true };
    const { answer } = await this.show(id);
    if (answer === undefined) throw unknownApproval(id);
    return { accepted: false, was: answer };
  }

  /**
   * Expires the questions whose time is up. Their calls continue, and are refused.
   *
   * @returns whether there were any
   */
  async expire(): Promise<boolean> {
    for (let total = 0; ;) {
      const { rows } = await this.#database.query(
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
  }

  /**
   * Yields the unanswered questions and then every new one, until the signal is aborted. If the database goes
   * away, it waits until it is back.
   *
   * @example
   * for await (const approval of approvals.watch(signal)) await post(approval);
   */
  async *watch(signal: AbortSignal): AsyncGenerator<Approval, void, undefined> {
    let last = 0;
    while (!signal.aborted) {
      const found = await this.#newer(last);
      for (const approval of found) {
        last = Math.max(last, Number(numberOf(approval.id)));
        yield approval;
      }
      await sleep(lookEvery, undefined, { signal }).catch(() => undefined);
    }
  }

  async #newer(last: number): Promise<readonly Approval[]> {
    try {
      await this.expire();
      return await this.#find('a.decision is null and a.id > $1 order by a.id limit 1000', [last]);
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      return [];
    }
  }

  async #find(which: string, values: readonly unknown[]): Promise<readonly Approval[]> {
    const { rows } = await this.#database.query<ApprovalRow>(
      `select a.*, c.format, c.workspace, c.session, c.tool
       from hookmachine.approvals a join hookmachine.calls c on c.id = a.call
       where ${which}`,
      values,
    );
    return rows.map(approvalOf);
  }
}

/** How many questions expire in one statement: it holds their rows, which answers wait for. */
const batch = 1_000;

/** How often new questions are polled for, in ms. */
const lookEvery = 1_000;

/** In a row of a newer release, only the columns can be read. */
const askedIn = ({ format: written, asked }: ApprovalRow): Pick<Approval, 'reason' | 'hooks'> =>
  written > format
    ? { reason: `It was asked by a newer release (format ${written}): answer it there.`, hooks: [] }
    : (JSON.parse(asked) as Pick<Approval, 'reason' | 'hooks'>);

function approvalOf(row: ApprovalRow): Approval {
  const { reason, hooks } = askedIn(row);
  const { decision, answered_by: by, answered_as: role, note, answered_at: at } = row;
  return {
    id: `ap-${row.id}`,
    call: row.call,
    format: row.format,
    workspace: row.workspace,
    ...(row.session !== null && { session: row.session }),
    tool: row.tool,
    shown: row.shown,
    digest: row.digest,
    ...(reason !== undefined && { reason }),
    hooks,
    askedAt: row.asked_at,
    expiresAt: row.expires_at,
    ...(decision !== null &&
      at !== null && {
        answer: {
          decision,
          ...(by !== null && { by }),
          ...(role !== null && { role }),
          ...(note !== null && { note }),
          at,
        },
      }),
  };
}

/** @throws {HookmachineError} `APPROVAL_UNKNOWN` if it is not the id of a question */
function numberOf(id: string): string {
  assertArgument('the id of an approval', id, anyText);
  const number = /^ap-(\d{1,18})$/.exec(id)?.[1];
  if (number === undefined) throw unknownApproval(id);
  return number;
}

const unknownApproval = (id: string): HookmachineError =>
  new HookmachineError(
    'APPROVAL_UNKNOWN',
    `There is no approval ${id}: run \`hookmachine approvals list\` to see all.`,
  );

/** Whether the arguments are those that the question was asked about. */
export const isIntact = ({ shown, digest }: Pick<Approval, 'shown' | 'digest'>): boolean =>
  sha256(shown) === digest;

const isDigest = (given: string, digest: string): boolean =>
  given.length >= 12 && digest.startsWith(given.toLowerCase());
