import type { HookEventName } from '../../core/protocol/events.ts';
import type { ToolInput } from '../../../machines/tool-call.ts';
import type { AggregatedHookResult } from '../../core/answers/results.ts';
import type { ToolResult } from '../../core/protocol/tool-result.ts';
import { argumentChanges, resultChanges, type HookChange } from './hook-changes.ts';
import type { ToolCallRequest } from '../../core/calls/run-tool-call.ts';
import type { CompletedToolCall } from './tool-scheduler.ts';
import { reasonOf, stopReasonOf } from '../../core/answers/reasons.ts';

/** One hook's part in a decision, in plan order. */
export interface HookReport {
  readonly name: string;
  readonly status: string;
  /** Null if it did not exit by itself. */
  readonly exitCode: number | null;
  readonly signal?: string;
  readonly durationMs: number;
  readonly error?: string;
  /** Notes for its author, for example about an unknown key in its answer. */
  readonly notes?: readonly string[];
}

/** A tool call that waits for an answer. */
export interface SuspendedToolCall {
  /** The question's id, used to answer it. */
  readonly approval: string;
  readonly toolCallId: string;
  readonly name: string;
  /** Why hooks want someone to be asked. */
  readonly reason?: string;
  readonly expiresAt: Date;
}

/**
 * The events of a turn, in order. The last one is `finalAnswer`, `promptBlocked`, `stop`, `suspended`,
 * `error` or `cancelled`.
 */
export type ChatEvent =
  /** The model's text as it streams; while AfterModel hooks are configured, only what they let through. */
  | { readonly type: 'text'; readonly text: string }
  /** The model calls a tool. */
  | {
      readonly type: 'toolCall';
      readonly id: string;
      readonly name: string;
      readonly input: ToolInput;
    }
  /** A tool call has ended. */
  | {
      readonly type: 'toolResult';
      readonly id: string;
      readonly name: string;
      readonly status:
        | 'done'
        | 'blocked'
        | 'stopped'
        | 'cancelled'
        | 'refused'
        | 'deferred'
        | 'failed';
      /** The text that the user sees; null if a hook hid it (`suppressOutput`). */
      readonly display: string | null;
      /** The content that the model reads. */
      readonly llmContent: unknown;
      readonly error?: string;
    }
  /** The hooks of one event have decided. */
  | {
      readonly type: 'hookDecision';
      readonly event: HookEventName;
      /** The tool call that it was about, if any. */
      readonly toolCallId?: string;
      readonly blocked: boolean;
      readonly stop: boolean;
      readonly reason?: string;
      readonly hooks: readonly HookReport[];
      /** The changes that they made to the tool call, if any. */
      readonly changes?: readonly HookChange[];
    }
  /** A message for the user, from a hook or from the engine. */
  | { readonly type: 'notice'; readonly text: string }
  /** An AfterAgent hook rejected the answer; the model continues with the reason as its prompt. */
  | { readonly type: 'answerRejected'; readonly reason: string }
  /** An AfterAgent hook has more work; the model continues with this text as a user message. */
  | { readonly type: 'followUp'; readonly text: string }
  /** A BeforeAgent hook forbade the prompt; the model never reads it. */
  | { readonly type: 'promptBlocked'; readonly reason: string }
  /** A hook forbade the model call; the reason is for the user. */
  | { readonly type: 'modelBlocked'; readonly reason: string }
  /** The turn ended normally; the answer is '' if a hook hid it. */
  | { readonly type: 'finalAnswer'; readonly text: string; readonly steps: number }
  /** A hook, or the limit of model calls, ended the turn; the reason is for the user. */
  | { readonly type: 'stop'; readonly by: 'hook' | 'limit'; readonly reason: string }
  /**
   * Tool calls wait for answers, which may come days later. `ChatLoop.resume` continues with them, here or in
   * another process.
   */
  | { readonly type: 'suspended'; readonly approvals: readonly SuspendedToolCall[] }
  /** The model call failed. */
  | { readonly type: 'error'; readonly message: string }
  | { readonly type: 'cancelled'; readonly reason: string };

export const notice = (text: string): ChatEvent => ({ type: 'notice', text });

/** Reports what the hooks of an event did, and their message for the user only, as events of the turn. */
export function hookDecision(
  event: HookEventName,
  result: AggregatedHookResult | undefined,
  toolCallId?: string,
  changes: readonly HookChange[] = [],
): ChatEvent[] {
  if (result === undefined) return [];
  const { verdict } = result;
  const { stop } = verdict;
  const blocked = verdict.decision === 'deny';
  const reason = stop && !blocked ? stopReasonOf(verdict) : reasonOf(verdict);
  return [
    {
      type: 'hookDecision',
      event,
      ...(toolCallId !== undefined && { toolCallId }),
      blocked,
      stop,
      ...(reason !== undefined && { reason }),
      hooks: result.results.map(({ hook, status, exitCode, signal, durationMs, error, notes }) => ({
        name: hook.name,
        status,
        exitCode: signal === undefined ? exitCode : null,
        ...(signal !== undefined && { signal }),
        durationMs: Math.round(durationMs),
        ...(error && { error: error.message }),
        ...(notes.length > 0 && { notes }),
      })),
      ...(changes.length > 0 && { changes }),
    },
    ...(verdict.notice === undefined ? [] : [notice(verdict.notice)]),
  ];
}

/** Reports a completed tool call as events of the turn. */
export const toolEvents = (call: CompletedToolCall): ChatEvent[] => [
  ...hookDecision('BeforeTool', call.before, call.request.id, argumentChanges(call)),
  ...hookDecision('ToolPermission', call.permission, call.request.id),
  ...hookDecision('ToolFailed', call.failed, call.request.id),
  ...hookDecision('AfterTool', call.after, call.request.id, resultChanges(call)),
  toolResultEvent(call.request, call.toolResult, call.outcome.status),
];

export const toolResultEvent = (
  { id, name }: ToolCallRequest,
  result: ToolResult,
  status: Extract<ChatEvent, { type: 'toolResult' }>['status'],
): ChatEvent => ({
  type: 'toolResult',
  id,
  name,
  status,
  display: result.suppressDisplay ? null : result.returnDisplay,
  llmContent: result.llmContent,
  ...(result.error && { error: result.error.message }),
});
