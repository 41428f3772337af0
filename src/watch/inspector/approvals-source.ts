/**
 * The approvals that a page lists and answers: those of `openRecords` and `connectDurable` of
 * `hookmachine/durable`. The page does not know the database.
 */
export interface ApprovalsSource {
  readonly approvals: {
    list(page: {
      readonly answered: boolean;
      readonly newestFirst: boolean;
      readonly limit: number;
    }): Promise<readonly AskedApproval[]>;
    count(filter: { readonly all: boolean }): Promise<number>;
    answer(id: string, answer: PageAnswer): Promise<PageAnswerOutcome>;
  };
  audit(call: string): Promise<CallTrail>;
}

/** A question that waits for an answer or has one. */
export interface AskedApproval {
  readonly id: string;
  readonly call: string;
  readonly workspace: string;
  readonly session?: string;
  readonly tool: string;
  /** The arguments that the tool gets, byte for byte, as JSON. */
  readonly shown: string;
  /** The SHA-256 of `shown`. */
  readonly digest: string;
  readonly reason?: string;
  readonly hooks: readonly {
    readonly hook: string;
    readonly source: string;
    readonly dialect: string;
    readonly decision?: string;
    readonly reason?: string;
    readonly status?: string;
  }[];
  readonly askedAt: Date;
  readonly expiresAt: Date;
  readonly answer?: RecordedAnswer;
}

/** How a question was answered. */
export interface RecordedAnswer {
  readonly decision: string;
  readonly by?: string;
  readonly role?: string;
  readonly note?: string;
  readonly at: Date;
}

/** An answer as the page gives it. */
export interface PageAnswer {
  readonly decision: 'approve' | 'deny' | 'withdraw';
  readonly by: string;
  readonly note?: string;
  readonly digest: string;
}

/** Whether an answer was accepted: only the first one is. */
export type PageAnswerOutcome =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly was: RecordedAnswer };

/** What was done for a call, and by which hosts. */
export interface CallTrail {
  readonly call: {
    readonly id: string;
    readonly status: string;
    readonly attempts: number;
    readonly submittedAt: Date;
  };
  /** The digests of the hooks that judged the call, and of those that finished it after its answer. */
  readonly policy: { readonly judged?: string; readonly resumed?: string };
  readonly effects: readonly TrailedEffect[];
  readonly approval?: AskedApproval;
}

/** A hook or the tool, as one host ran it. */
export interface TrailedEffect {
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly startedAt: Date;
  readonly endedAt?: Date;
  readonly outcome?: unknown;
}

/** What a page is told about approvals. */
export interface ListedApprovals {
  /** The oldest unanswered ones and, if requested, the newest answered ones. */
  readonly approvals: readonly AskedApproval[];
  /** How many there are in total. */
  readonly count: number;
  /** The user of the process. Answers are given in this name unless the reader enters another. */
  readonly user: string;
}
