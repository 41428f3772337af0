import type { CallAccount, EventAccount, HookAccount } from '../journal/account.ts';
import { decisionOf } from '../journal/decision-of.ts';
import { defined } from '../protocol/output.ts';

/** Whose record it is: what every line of an audit log says. */
export interface AuditOrigin {
  readonly host: string;
  readonly user: string;
  /** Of hookmachine. */
  readonly version: string;
  readonly project: string;
  /** How many hooks of the system were on. */
  readonly guards: number;
}

/** One hook of an event. */
export interface AuditedHook {
  readonly name: string;
  readonly source?: string;
  readonly dialect?: string;
  /** `ok`, or how it failed or why it did not run; `notStarted` where another one ended its sequence. */
  readonly status: string;
  readonly decision?: string;
  readonly ms?: number;
  readonly error?: string;
}

/** The hooks of one event, and what they decided. */
export interface AuditedEvent {
  readonly event: string;
  readonly decision: 'deny' | 'ask' | 'defer' | 'stop' | 'none';
  readonly by?: string;
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
  /** How many hooks were on, by their source. */
  readonly hooks: Readonly<Record<string, number>>;
  /** What was wrong with settings, in number. */
  readonly problems: number;
}

/** A turn, a model call or a tool call has ended, or an event that belongs to none. */
export interface AuditedCall extends Line {
  readonly kind: 'call';
  readonly machine: string;
  /** The tool, the model or the event. */
  readonly name: string;
  /** Of an event by itself: the tool that it is about. */
  readonly tool?: string;
  readonly status?: string;
  readonly ms?: number;
  readonly events: readonly AuditedEvent[];
}

/** A hook was skipped because nobody trusts it. */
export interface AuditedSkip extends Line {
  readonly kind: 'skipped';
  readonly text: string;
}

/** One line of an audit log. */
export type AuditLine = AuditedSession | AuditedCall | AuditedSkip;

/** The longest text of a hook's that is kept. */
const longest = 300;

/** What a line says of a call. */
export const auditedCall = (
  { machine, name, status, startedAt, endedAt, events }: CallAccount,
  tool: string | undefined,
): Pick<AuditedCall, 'machine' | 'name' | 'tool' | 'status' | 'ms' | 'events'> =>
  defined<Pick<AuditedCall, 'machine' | 'name' | 'tool' | 'status' | 'ms' | 'events'>>({
    machine,
    name,
    tool,
    status,
    ms: endedAt === undefined ? undefined : Math.round(endedAt - startedAt),
    events: events.map(auditedEvent),
  });

const auditedEvent = ({ event, hooks, verdict }: EventAccount): AuditedEvent =>
  defined<AuditedEvent>({
    event,
    decision: decisionOf(verdict),
    by: verdict?.by ?? verdict?.stopBy,
    reason: verdict?.reason?.slice(0, longest),
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
    error: answer?.error?.slice(0, longest),
  });
