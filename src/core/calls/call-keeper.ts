import type { RefusedBy, ToolInput } from '../../../machines/tool-call.ts';
import type { ToolResult } from '../protocol/tool-result.ts';
import type { EventContext } from '../answers/event-context.ts';
import type { CallHost } from './call-host.ts';
import type { OpenToolCall, ToolCallVerdict } from './open-tool-call.ts';
import type { Approval, ToolCallRequest } from './run-tool-call.ts';
import type { StopRequest } from './tool-effects.ts';

/** A kept tool call that has ended, as plain data: everyone who asks gets the same, at any time. */
export interface EndedKeptCall {
  readonly id: string;
  readonly status: 'done' | 'blocked' | 'stopped' | 'refused' | 'deferred' | 'failed' | 'cancelled';
  /** Who refused it. */
  readonly by?: RefusedBy;
  /** The arguments that the tool received, or would have received. */
  readonly toolInput: ToolInput;
  /** The result that the model reads. */
  readonly toolResult: ToolResult;
  /** Set if a hook wants the agent to stop. */
  readonly stop?: StopRequest;
  /** The hooks' message for the user only. */
  readonly notice?: string;
}

/** The question that a kept call waits for. */
export interface KeptQuestion {
  /** Names the question when it is answered. */
  readonly id: string;
  /** Why hooks want someone to be asked. */
  readonly reason?: string;
  readonly expiresAt: Date;
}

/** The state of a kept call so far. */
export type KeptOutcome =
  | EndedKeptCall
  | { readonly id: string; readonly status: 'suspended'; readonly approval: KeptQuestion };

/** Options for a kept call whose tool somebody else runs, when it is begun or continued. */
export interface OpenKeptOptions extends EventContext {
  /** Aborting it cancels the call while its hooks or its tool run; a call that is waiting keeps waiting. */
  readonly signal?: AbortSignal | undefined;
  /** Set if the tool is not on offer: the reason, for the model. */
  readonly notOffered?: string | undefined;
  /**
   * The model has only just asked for this call, so an earlier call with this id is a different one; by
   * default it is the same call.
   */
  readonly isNew?: boolean | undefined;
}

/** A kept call whose tool somebody else runs, such as a framework. */
export interface OpenKeptCall extends OpenToolCall {
  /** The call as it was begun, here or elsewhere; available once there is a verdict. */
  readonly request: ToolCallRequest;
  /** The question that the call waits for, once its verdict is `asked`. */
  readonly waitsFor: KeptQuestion | undefined;
  /**
   * Handles a question of the tool's own. It is between the framework and its user: no hook answers it, and
   * nothing about it is kept.
   */
  question(): Promise<ToolCallVerdict>;
  /**
   * Continues the call once its question is answered. A denial given here is kept; an approval given here
   * does not count. With `wait`, it waits for the answer.
   *
   * @throws {HookmachineError} `CALL_SUSPENDED` if nobody has answered yet
   */
  answer(approved: Approval, options?: { readonly wait?: boolean }): Promise<ToolCallVerdict>;
  /**
   * Marks the tool as about to run, with the arguments of the returned verdict. The verdict may no longer
   * allow it: the tool runs at most once.
   */
  begin(): Promise<ToolCallVerdict>;
  /** Marks the tool as interrupted before it did anything, so that it can begin again. */
  interrupt(): void;
  /** Ends this process's part in the call, which keeps waiting. */
  leave(): void;
}

/**
 * Keeps tool calls beyond the process that made them, so that a question of theirs may be answered days later
 * and from another process. `connectDurable` of `hookmachine/durable` creates one.
 */
export interface CallKeeper<Host extends CallHost = CallHost> {
  /** The configuration whose hooks judge the calls. */
  readonly config: Host;
  /** Runs a call to its end, or to a question; the same id again is the same call. */
  call(
    request: ToolCallRequest,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<KeptOutcome>;
  /**
   * Returns the state of a call that was made here or elsewhere, and continues it if its question was
   * answered.
   *
   * @throws {HookmachineError} `CALL_UNKNOWN` if there is none
   */
  outcome(
    id: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<KeptOutcome>;
  /** Begins a call whose tool somebody else runs; the same id again is the same call. */
  open(request: ToolCallRequest, options?: OpenKeptOptions): OpenKeptCall;
  /** Withdraws the question that a call waits for, so that its tool will not run. */
  withdraw(id: string, why: string): Promise<void>;
}
