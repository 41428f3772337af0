import type { ToolInput } from '../../machines/tool-call.ts';
import { isHookmachineError } from '../errors.ts';
import { messageOf } from '../message-of.ts';
import { errorResult } from '../protocol/tool-result.ts';
import type { Approval, Approvals } from './approvals.ts';
import type { CallRow, EndedCall } from './calls.ts';

/** A call that waits for an answer: no process and no timer, but a row. */
export interface SuspendedCall {
  readonly id: string;
  readonly status: 'suspended';
  readonly approval: Approval;
}

/** What came of a durable call so far. */
export type DurableOutcome = EndedCall | SuspendedCall;

/** How a durable call is waited for. */
export interface WaitOptions {
  /** Aborting it cancels the call where it is worked on here; else nobody waits any more. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the answer to a question is waited for, too; default: a call that waits for one is an outcome. */
  readonly wait?: boolean | undefined;
}

/** What a call has come to; undefined where it is still under way. */
export async function outcomeOf(
  row: CallRow,
  approvals: Approvals,
): Promise<DurableOutcome | undefined> {
  if (row.status === 'ended') return JSON.parse(row.outcome!) as EndedCall;
  if (row.status !== 'suspended') return undefined;
  const approval = await approvals.of(row.id);
  return approval && { id: row.id, status: 'suspended', approval };
}

/** What a call comes to that begins while the database is out of reach, or where its policies cannot be used. */
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
