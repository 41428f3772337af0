import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ToolInput } from '../../machines/tool-call.ts';
import {
  assertArgument,
  assertArguments,
  anyText,
  flag,
  oneOf,
  object,
  optional,
  positive,
  type Rule,
  text,
} from '../base/arguments.ts';
import { HookmachineError } from '../base/errors.ts';
import type { ApprovalFilter, ApprovalRow, Decision } from './database/approvals.ts';
import type { CallStore } from './database/store.ts';
import { assertKnown } from './database/calls.ts';
import { onDemand } from '../base/on-demand.ts';
import type { Risk } from '../guards/risk.ts';
import type { HookSaid } from './judged.ts';
import { digestOf } from './database/digest.ts';
import { isUnreachable } from './database/postgres.ts';
import { isEncrypted } from './encrypted-store.ts';
import { format } from './database/schema.ts';

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
  /** The machine whose call it is, if it came through a hub. */
  readonly machine?: string;
  /** The arguments that the tool gets, byte for byte, as JSON. */
  readonly shown: string;
  /** The SHA-256 of `shown`. An answer that names it applies to exactly these arguments. */
  readonly digest: string;
  /** The arguments with which it was approved, as JSON, if they are not those that were shown. */
  readonly edited?: string;
  /** Why the hooks want someone to be asked. */
  readonly reason?: string;
  /** How much the call may harm by the rules of the guards; absent if an earlier release asked. */
  readonly risk?: Risk;
  /** What each hook said. */
  readonly hooks: readonly HookSaid[];
  readonly askedAt: Date;
  readonly expiresAt: Date;
  /** Absent until someone has answered. */
  readonly answer?: GivenAnswer;
}

/** Loaded only when somebody has to be asked: most calls need none of the guards' rules. */
export const loadRisk = onDemand(() => import('../guards/risk.ts'));

/** How a question was answered. */
export interface GivenAnswer {
  readonly decision: Decision;
  /** Who answered: as a hub knows them, or by their own account. */
  readonly by?: string;
  /** The database role that the answer was given with. */
  readonly role?: string;
  /** `hub` if a hub knows who answered. */
  readonly through?: 'hub';
  readonly note?: string;
  readonly at: Date;
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
   * With an approval: other arguments than those that were shown. The hooks judge them before the tool gets them.
   */
  readonly input?: ToolInput | undefined;
  /**
   * The digest of the arguments that were shown when answering; any other is refused. Its first twelve
   * characters are enough.
   */
  readonly digest?: string | undefined;
}

/** Whether an answer was accepted: only the first one is. */
export type AnswerOutcome =
  | {
      readonly accepted: true;
      /** How many more people have to approve before the call continues. */
      readonly missing?: number;
    }
  | { readonly accepted: false; readonly was: GivenAnswer };

const longest = (most: number): Rule => ({
  fits: (value) => typeof value === 'string' && value.length <= most,
  fix: `pass a string of at most ${most} characters`,
});

const answerRules: Readonly<Record<string, Rule>> = {
  decision: oneOf('approve', 'deny', 'withdraw'),
  by: text,
  note: optional(longest(100_000)),
  input: optional(object),
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

/** The part of a store that these are read from and answered in. */
type ApprovalStore = Pick<
  CallStore,
  'approval' | 'approvalOf' | 'approvals' | 'countApprovals' | 'answerApproval' | 'expireApprovals'
>;

const words = { approve: 'approved', deny: 'denied', withdraw: 'withdrawn' } as const;

/**
 * The questions of all workspaces of a database. Reading and answering them needs no tools, no hooks and no
 * running host.
 */
export class Approvals {
  readonly #store: ApprovalStore;

  constructor(store: ApprovalStore) {
    this.#store = store;
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
    const from = after === undefined ? undefined : numberOf(after);
    await this.expire();
    const rows = await this.#store.approvals({ ...options, limit, after: from, newestFirst });
    return rows.map(approvalFrom);
  }

  /**
   * Counts questions. Those whose time is up expire first.
   *
   * @throws {HookmachineError} `ARGUMENT_INVALID`
   */
  async count(filter: ApprovalFilter = {}): Promise<number> {
    assertArguments('approvals.count', filter, filterRules);
    await this.expire();
    return this.#store.countApprovals(filter);
  }

  /** @throws {HookmachineError} `APPROVAL_UNKNOWN` if there is no such question */
  async show(id: string): Promise<Approval> {
    return approvalFrom(await this.#row(id));
  }

  async #row(id: string): Promise<ApprovalRow> {
    const number = numberOf(id);
    await this.expire();
    const found = await this.#store.approval(number);
    if (found === undefined) throw unknownApproval(id);
    return found;
  }

  /** Returns the question that a call is or was waiting for. */
  async of(call: string): Promise<Approval | undefined> {
    const found = await this.#store.approvalOf(call);
    return found && approvalFrom(found);
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
    const { decision, by, note, digest, input } = options;
    const row = await this.#row(id);
    const asked = approvalFrom(row);
    const edited = input && editedIn(id, row, decision, input);
    assertKnown({ id: asked.call, format: asked.format });
    if (decision === 'approve' && isEncrypted(asked.shown))
      throw new HookmachineError(
        'PAYLOAD_UNREADABLE',
        `${id} cannot be approved here: its arguments are encrypted, and the key is not here.`,
      );
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
    const answer = { decision: words[decision], by, note, edited };
    const { isAccepted, missing } = await this.#store.answerApproval(numberOf(id), answer);
    if (isAccepted) return { accepted: true, ...(missing !== undefined && { missing }) };
    const { answer: was } = await this.show(id);
    if (was === undefined) throw unknownApproval(id);
    return { accepted: false, was };
  }

  /**
   * Expires the questions whose time is up. Their calls continue, and are refused.
   *
   * @returns whether there were any
   */
  expire(): Promise<boolean> {
    return this.#store.expireApprovals();
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
      const after = String(last);
      const rows = await this.#store.approvals({ after, limit: 1_000, newestFirst: false });
      return rows.map(approvalFrom);
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      return [];
    }
  }
}

/**
 * Returns the arguments that an approval changes, as JSON; undefined if they are those that were shown.
 *
 * @throws {HookmachineError} `ARGUMENT_INVALID`
 */
function editedIn(
  id: string,
  { shown, is_callers: isCallers }: ApprovalRow,
  decision: AnswerOptions['decision'],
  input: ToolInput,
): string | undefined {
  const json = JSON.stringify(input);
  if (isDeepStrictEqual(JSON.parse(json), JSON.parse(shown))) return undefined;
  const why =
    decision === 'approve'
      ? isCallers && 'its agent runs the tool itself, with its own arguments'
      : 'only an approval can change arguments';
  if (why) throw new HookmachineError('ARGUMENT_INVALID', `The arguments of ${id} cannot be changed: ${why}.`); // prettier-ignore
  return json;
}

/** How often new questions are polled for, in ms. */
const lookEvery = 1_000;

/** In a row of a newer release, only the columns can be read. */
const askedIn = ({ format: written, asked }: ApprovalRow): Pick<Approval, 'reason' | 'hooks'> =>
  isEncrypted(asked)
    ? { reason: 'It is encrypted, and the key is not here.', hooks: [] }
    : written > format
      ? {
          reason: `It was asked by a newer release (format ${written}): answer it there.`,
          hooks: [],
        }
      : (JSON.parse(asked) as Pick<Approval, 'reason' | 'hooks'>);

function approvalFrom(row: ApprovalRow): Approval {
  const { reason, hooks } = askedIn(row);
  const { decision, answered_by: by, answered_as: role, note, answered_at: at } = row;
  return {
    id: `ap-${row.id}`,
    call: row.call,
    format: row.format,
    workspace: row.workspace,
    ...(row.session !== null && { session: row.session }),
    tool: row.tool,
    ...(row.machine !== null && { machine: row.machine }),
    shown: row.shown,
    digest: row.digest,
    ...(row.edited !== null && { edited: row.edited }),
    ...(reason !== undefined && { reason }),
    ...(row.risk !== null && { risk: row.risk }),
    hooks,
    askedAt: row.asked_at,
    expiresAt: row.expires_at,
    ...(decision !== null &&
      at !== null && {
        answer: {
          decision,
          ...(by !== null && { by }),
          ...(role !== null && { role }),
          ...(row.answered_through === 'hub' && { through: row.answered_through }),
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

/** Says that there is no such question. */
export const unknownApproval = (id: string): HookmachineError =>
  new HookmachineError(
    'APPROVAL_UNKNOWN',
    `There is no approval ${id}: run \`hookmachine approvals list\` to see all.`,
  );

/** Whether the arguments are those that the question was asked about. */
export const isIntact = ({ shown, digest }: Pick<Approval, 'shown' | 'digest'>): boolean =>
  digestOf(shown) === digest;

const isDigest = (given: string, digest: string): boolean =>
  given.length >= 12 && digest.startsWith(given.toLowerCase());
