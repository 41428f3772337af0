import type { RefusedBy, ToolInput } from '../../machines/tool-call.ts';
import type { ToolResult } from '../protocol/tool-result.ts';
import type { EventContext } from '../dialects/event-context.ts';
import type { HookSystemConfig } from '../hooks/hook-system-config.ts';
import type { OpenToolCall, ToolCallVerdict } from './open-tool-call.ts';
import type { Approval, StopRequest, ToolCallRequest } from './run-tool-call.ts';

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

/** How a kept call is begun whose tool somebody else runs, or gone on with. */
export interface OpenKeptOptions extends EventContext {
  /** Aborting it cancels the call while its hooks or its tool run; one that waits, waits on. */
  readonly signal?: AbortSignal | undefined;
  /** The tool is not on offer: why, for the model. */
  readonly notOffered?: string | undefined;
  /** The model has asked for this call just now, so that an earlier one of this id is another call; default: it is the same. */
  readonly isNew?: boolean | undefined;
}

/** A kept call whose tool somebody else runs, such as a framework. */
export interface OpenKeptCall extends OpenToolCall {
  /** The call as it was begun, here or elsewhere; known by the time of the verdict. */
  readonly request: ToolCallRequest;
  /** What the call waits for, once its verdict is `asked`. */
  readonly waitsFor: KeptQuestion | undefined;
  /** What the tool asks by itself is between the framework and its user: no hook answers, and nothing of it is kept. */
  question(): Promise<ToolCallVerdict>;
  /**
   * Goes on where the question was answered. A denial given here is kept; an approval given here is none.
   * With `wait` it waits for whoever answers.
   *
   * @throws {HookmachineError} `CALL_SUSPENDED` where nobody has answered yet
   */
  answer(approved: Approval, options?: { readonly wait?: boolean }): Promise<ToolCallVerdict>;
  /** The tool is about to run, with the arguments of the verdict that is given back. It may no longer: it runs at most once. */
  begin(): Promise<ToolCallVerdict>;
  /** The tool was interrupted before it did anything, and will be begun again. */
  interrupt(): void;
  /** This process has nothing more to do with the call, which waits on. */
  leave(): void;
}

/**
 * Keeps tool calls beyond the process that made them, so that an answer to a question of theirs may come
 * days later and to another process. `connectDurable` of `hookmachine/durable` gives one.
 */
export interface CallKeeper {
  /** Whose hooks judge the calls. */
  readonly config: HookSystemConfig;
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
  /** Begins a call whose tool somebody else runs; the same id again is the same call. */
  open(request: ToolCallRequest, options?: OpenKeptOptions): OpenKeptCall;
  /** Takes back the question that a call waits for, so that its tool will not run. */
  withdraw(id: string, why: string): Promise<void>;
}
