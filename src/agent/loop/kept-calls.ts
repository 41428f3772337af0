import type { EndedToolStep } from '../../../machines/agent-turn.ts';
import { isHookmachineError } from '../../base/errors.ts';
import { errorResult, type ToolResult } from '../../core/protocol/tool-result.ts';
import type {
  CallKeeper,
  EndedKeptCall,
  KeptOutcome,
  KeptQuestion,
} from '../../core/calls/call-keeper.ts';
import { notice, toolResultEvent, type ChatEvent, type SuspendedToolCall } from './chat-events.ts';
import type { ToolCallRequest } from '../../core/calls/run-tool-call.ts';
import { messageOf } from '../../base/message-of.ts';

/** A call of a turn that is kept beyond the process, ended or waiting. */
export interface KeptCall extends EndedToolStep {
  readonly request: ToolCallRequest;
  /** The result for the model; absent while the call waits for an answer. */
  readonly toolResult?: ToolResult;
  readonly status: KeptOutcome['status'];
  readonly question?: KeptQuestion;
  readonly notice?: string;
}

/** Makes a call of a turn, or resumes it. Never rejects. */
export async function keepCall(
  keeper: CallKeeper,
  request: ToolCallRequest,
  { isResumed, signal }: { readonly isResumed: boolean; readonly signal: AbortSignal },
): Promise<KeptCall> {
  try {
    const outcome = isResumed
      ? await keeper.outcome(request.id, { signal })
      : await keeper.call(request, { signal });
    return keptCall(request, outcome);
  } catch (error) {
    if (isHookmachineError(error, 'CALL_UNKNOWN')) return neverMade(request);
    return unknownEnd(request, error);
  }
}

function keptCall(request: ToolCallRequest, outcome: KeptOutcome): KeptCall {
  if (outcome.status === 'suspended')
    return { request, status: 'suspended', question: outcome.approval, isSuspended: true };
  const { status, toolResult, stop, notice: told }: EndedKeptCall = outcome;
  return {
    request,
    status,
    toolResult,
    ...(stop && { stop }),
    ...(told !== undefined && { notice: told }),
  };
}

/** The turn ended before this call was made. */
const neverMade = (request: ToolCallRequest): KeptCall => ({
  request,
  status: 'cancelled',
  toolResult: errorResult('The tool was not run: the turn had ended.', 'cancelled'),
});

const unknownEnd = (request: ToolCallRequest, error: unknown): KeptCall => ({
  request,
  status: 'failed',
  toolResult: errorResult(
    `It is not known whether the tool ran: ${messageOf(error)}`,
    'outcome_unknown',
  ),
});

/** Reports a kept call as events of the turn; none while it waits. */
export const keptEvents = ({ request, toolResult, status, notice: told }: KeptCall): ChatEvent[] =>
  toolResult === undefined || status === 'suspended'
    ? []
    : [...(told === undefined ? [] : [notice(told)]), toolResultEvent(request, toolResult, status)];

/** The call as the turn reports it, if it waits for an answer. */
export function waitingCall(call: object): SuspendedToolCall[] {
  const { question, request } = call as Partial<KeptCall>;
  if (question === undefined || request === undefined) return [];
  const { id, reason, expiresAt } = question;
  return [
    {
      approval: id,
      toolCallId: request.id,
      name: request.name,
      ...(reason !== undefined && { reason }),
      expiresAt,
    },
  ];
}

/** Withdraws the questions of these calls, so that none of them runs after nobody waits for it any more. */
export async function withdrawAll(
  keeper: CallKeeper,
  calls: readonly ToolCallRequest[],
  why: string,
): Promise<void> {
  // Some were never made, some have ended, and the database may be unreachable: then they expire.
  await Promise.allSettled(calls.map(({ id }) => keeper.withdraw(id, why)));
}
