import type { ToolInput } from '../../machines/tool-call.ts';
import { isHookmachineError } from '../base/errors.ts';
import { errorResult } from '../core/protocol/tool-result.ts';
import type { Approval, Approvals } from './approvals.ts';
import type { EndedKeptCall } from '../core/calls/call-keeper.ts';
import type { CallRow } from './database/calls.ts';
import { messageOf } from '../base/message-of.ts';

/** How a durable call ended, as plain data; the same for everyone who asks, at any time. */
export type EndedCall = EndedKeptCall;

/** A call that waits for an answer. It takes no process and no timer, only a row in the database. */
export interface SuspendedCall {
  readonly id: string;
  readonly status: 'suspended';
  readonly approval: Approval;
}

/** What has become of a durable call so far. */
export type DurableOutcome = EndedCall | SuspendedCall;

/** How to wait for a durable call. */
export interface WaitOptions {
  /** Aborting it cancels the call if this host is working on it; otherwise it only ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether to wait for the answer to a question, too. Default: a call that waits for an answer counts as an
   * outcome.
   */
  readonly wait?: boolean | undefined;
}

/** Returns the outcome of a call; undefined while it is still in progress. */
export async function outcomeOf(
  row: CallRow,
  approvals: Approvals,
): Promise<DurableOutcome | undefined> {
  if (row.status === 'ended') return JSON.parse(row.outcome!) as EndedCall;
  if (row.status !== 'suspended') return undefined;
  const approval = await approvals.of(row.id);
  return approval && { id: row.id, status: 'suspended', approval };
}

/** How long until an open question expires, in ms; the server's clock decides. */
export const untilExpiry = (outcome: DurableOutcome | undefined): number =>
  outcome?.status === 'suspended'
    ? Math.max(outcome.approval.expiresAt.getTime() - Date.now(), 750) + 250
    : Infinity;

/** The outcome of a call that begins while the database is unreachable or the policies cannot be used. */
export const blockedBy = (error: unknown, id: string, toolInput: ToolInput): EndedCall => ({
  id,
  status: 'blocked',
  toolInput,
  toolResult: isHookmachineError(error, 'POLICY_UNUSABLE')
    ? errorResult(`Blocked: ${error.message}`, 'policy_unusable')
    : errorResult(
        `Blocked, because durable calls need their database: ${messageOf(error)}`,
        'database_unavailable',
      ),
});
