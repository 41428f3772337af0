import type { RefusedBy, ToolInput } from '../../machines/tool-call.ts';
import type { ToolResult } from '../protocol/tool-result.ts';
import type { StopRequest, ToolCallRequest } from './run-tool-call.ts';

/** A kept tool call that has ended, as plain data: it is the same for whoever asks, and whenever. */
export interface EndedKeptCall {
  readonly id: string;
  readonly status: 'done' | 'blocked' | 'stopped' | 'refused' | 'deferred' | 'failed' | 'cancelled';
  /** Who refused it. */
  readonly by?: RefusedBy;
  /** The arguments that the tool got, or would have got. */
  readonly toolInput: ToolInput;
  /** What the model reads. */
  readonly toolResult: ToolResult;
  /** A hook wants the agent to stop. */
  readonly stop?: StopRequest;
  /** What hooks have for the user alone. */
  readonly notice?: string;
}

/** What a kept call waits for. */
export interface KeptQuestion {
  /** Whoever answers names it. */
  readonly id: string;
  /** Why hooks want somebody to be asked. */
  readonly reason?: string;
  readonly expiresAt: Date;
}

/** What became of a kept call so far. */
export type KeptOutcome =
  | EndedKeptCall
  | { readonly id: string; readonly status: 'suspended'; readonly approval: KeptQuestion };

/**
 * Keeps tool calls beyond the process that made them, so that an answer to a question of theirs may come
 * days later and to another process. `connectDurable` of `hookmachine/durable` gives one.
 */
export interface CallKeeper {
  /** Takes a call to its end, or to a question; the same id again is the same call. */
  call(
    request: ToolCallRequest,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<KeptOutcome>;
  /**
   * What became of a call that was made here or elsewhere; one that was answered is gone on with.
   *
   * @throws {HookmachineError} `CALL_UNKNOWN` where there is none
   */
  outcome(
    id: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<KeptOutcome>;
  /** Takes back the question that a call waits for, so that its tool will not run. */
  withdraw(id: string, why: string): Promise<void>;
}
