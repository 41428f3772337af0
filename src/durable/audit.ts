import { type Approval, Approvals } from './approvals.ts';
import type { CallRow } from './database/calls.ts';
import type { CallStore } from './database/store.ts';

/** One effect of a call: a hook or the tool. */
export interface AuditedEffect {
  /** Such as `BeforeTool/0/guard` or `tool`. */
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly startedAt: Date;
  /** Absent if it is not known to have ended. */
  readonly endedAt?: Date;
  /** How it ended: for a hook its exit and its output, for the tool its result. */
  readonly outcome?: unknown;
}

/** Everything that was done for a call. */
export interface Audit {
  readonly call: Pick<CallRow, 'id' | 'workspace' | 'tool' | 'input' | 'status' | 'attempts'> & {
    readonly host?: string;
    readonly submittedAt: Date;
    readonly endedAt?: Date;
    readonly outcome?: unknown;
  };
  /** The digests of the hooks that judged the call, and of those that finished it after its answer. */
  readonly policy: { readonly judged?: string; readonly resumed?: string };
  readonly effects: readonly AuditedEffect[];
  readonly approval?: Approval;
}

/** @throws {HookmachineError} `CALL_UNKNOWN` if there is no such call */
export async function audit(store: CallStore, id: string): Promise<Audit> {
  const row = await store.findCall(id);
  const effects = await store.effectsOf(id);
  const approval = await new Approvals(store).of(id);
  const { workspace, tool, input, status, attempts, host } = row;
  return {
    call: {
      id,
      workspace,
      tool,
      input,
      status,
      attempts,
      ...(host !== null && { host }),
      submittedAt: row.submitted_at,
      ...(row.ended_at && { endedAt: row.ended_at }),
      ...(row.outcome !== null && { outcome: JSON.parse(row.outcome) as unknown }),
    },
    policy: {
      ...(row.policy !== null && { judged: row.policy }),
      ...(row.policy_resumed !== null && { resumed: row.policy_resumed }),
    },
    effects: effects.map((effect) => ({
      name: effect.name,
      host: effect.host,
      pid: effect.pid,
      startedAt: effect.started_at,
      ...(effect.ended_at && { endedAt: effect.ended_at }),
      ...(effect.outcome !== null && { outcome: JSON.parse(effect.outcome) as unknown }),
    })),
    ...(approval && { approval }),
  };
}
