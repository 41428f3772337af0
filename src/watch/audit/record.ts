import type { CallAccount, EventAccount, HookAccount } from '../journal/account.ts';
import type { FailureCode } from '../../base/errors.ts';
import type { TokenCounts } from '../journal/entry.ts';
import { decisionOf } from '../journal/decision-of.ts';
import { defined } from '../../base/json.ts';

/** The origin of a record, which every line of an audit log states. */
export interface AuditOrigin {
  readonly host: string;
  readonly user: string;
  /** The version of hookmachine. */
  readonly version: string;
  readonly project: string;
  /** The number of the system's hooks that were on. */
  readonly guards: number;
}

/** One hook of an event. */
export interface AuditedHook {
  readonly name: string;
  readonly source?: string;
  readonly dialect?: string;
  /** `ok`, or how it failed or why it did not run; `notStarted` if another hook ended its sequence. */
  readonly status: string;
  readonly decision?: string;
  readonly ms?: number;
  /** Why it failed. */
  readonly error?: FailureCode;
}

/** The hooks of one event, and what they decided. */
export interface AuditedEvent {
  readonly event: string;
  readonly decision: 'deny' | 'ask' | 'defer' | 'stop' | 'none';
  readonly by?: string;
  /** Only of a denial, and only as hooks gave it. */
  readonly reason?: string;
  readonly hooks: readonly AuditedHook[];
}

interface Line extends AuditOrigin {
  readonly v: 1;
  /** ISO 8601. */
  readonly at: string;
  readonly session: string;
}

/** A session began. */
export interface AuditedSession extends Line {
  readonly kind: 'session';
  /** The number of hooks that were on, by source. */
  readonly hooks: Readonly<Record<string, number>>;
  /** The number of problems in settings. */
  readonly problems: number;
}

/** A turn, model call or tool call ended, or an event that belongs to none. */
export interface AuditedCall extends Line {
  readonly kind: 'call';
  readonly machine: string;
  /** The name of the tool, the model or the event. */
  readonly name: string;
  /** For a standalone event, the tool that it is about. */
  readonly tool?: string;
  readonly status?: string;
  readonly ms?: number;
  /** For a model call: the tokens that it used. */
  readonly usage?: TokenCounts;
  readonly events: readonly AuditedEvent[];
}

/** A hook was skipped because it is not trusted. */
export interface AuditedSkip extends Line {
  readonly kind: 'skipped';
  readonly text: string;
}

/** One line of an audit log. */
export type AuditLine = AuditedSession | AuditedCall | AuditedSkip;

/** The longest text of a hook that is kept, in characters. */
const longest = 300;

/** Returns the part of a line that describes a call. */
export const auditedCall = (
  { machine, name, status, startedAt, endedAt, usage, events }: CallAccount,
  tool: string | undefined,
): Pick<AuditedCall, 'machine' | 'name' | 'tool' | 'status' | 'ms' | 'usage' | 'events'> =>
  defined<Pick<AuditedCall, 'machine' | 'name' | 'tool' | 'status' | 'ms' | 'usage' | 'events'>>({
    machine,
    name,
    tool,
    status,
    ms: endedAt === undefined ? undefined : Math.round(endedAt - startedAt),
    usage,
    events: events.map(auditedEvent),
  });

const auditedEvent = ({ event, hooks, verdict }: EventAccount): AuditedEvent =>
  defined<AuditedEvent>({
    event,
    decision: decisionOf(verdict),
    by: verdict?.by ?? verdict?.stopBy,
    reason: verdict?.blocked ? verdict.reason?.slice(0, longest) : undefined,
    hooks: hooks.map(auditedHook),
  });

const auditedHook = ({ name, source, dialect, status, answer }: HookAccount): AuditedHook =>
  defined<AuditedHook>({
    name: name.slice(0, longest),
    source,
    dialect,
    status: answer?.status ?? (status === 'ended' ? 'cancelled' : status),
    decision: answer?.decision,
    ms: answer && Math.round(answer.durationMs),
    error: answer?.failure,
  });
