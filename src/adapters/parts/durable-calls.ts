import type { CallKeeper, OpenKeptCall, OpenKeptOptions } from '../../core/calls/call-keeper.ts';
import type { SuspendedToolCall } from '../../agent/loop/chat-events.ts';
import type { ToolCallRequest } from '../../core/calls/run-tool-call.ts';
import { isHookmachineError } from '../../base/errors.ts';

/** How many unanswered calls are remembered until a model is asked again. */
const most = 1_000;

/** A framework's call, as it is kept. */
export interface KeptToolCall extends OpenKeptOptions {
  readonly sessionId: string;
}

/** The tool calls of a framework that are kept beyond the process. */
export class DurableCalls {
  readonly #keeper: CallKeeper;
  readonly #tell: ((call: SuspendedToolCall) => void) | undefined;
  /** Calls that nobody has answered although the framework went on with them, by the framework's ids. */
  readonly #unanswered = new Map<string, unknown>();

  constructor(keeper: CallKeeper, tell: ((call: SuspendedToolCall) => void) | undefined) {
    this.#keeper = keeper;
    this.#tell = tell;
  }

  open({ id, name, input }: ToolCallRequest, options: KeptToolCall): OpenKeptCall {
    const call = this.#keeper.open({ id: keptId(options.sessionId, id), name, input }, { ...options, toolCallId: id }); // prettier-ignore
    void this.#announce(call, id);
    return call;
  }

  /** Notes what a tool call threw, because a framework may take it for the result. */
  note(id: string, error: unknown): void {
    if (!isHookmachineError(error, 'CALL_SUSPENDED')) return;
    if (this.#unanswered.size >= most)
      this.#unanswered.delete(this.#unanswered.keys().next().value!);
    this.#unanswered.set(id, error);
  }

  /**
   * Checks that the run can go on with these results.
   *
   * @throws {HookmachineError} `CALL_SUSPENDED` if one of them belongs to a call that waits for an answer
   */
  assertAnswered(ids: readonly string[]): void {
    for (const id of ids) {
      const error = this.#unanswered.get(id);
      this.#unanswered.delete(id);
      if (error !== undefined) throw error;
    }
  }

  /**
   * Withdraws the questions of these calls, which were made elsewhere: the model has their results by now.
   */
  async settle(sessionId: string, ids: readonly string[]): Promise<void> {
    const why = 'the agent continued without it';
    // Most have ended. If the database is away, the others expire.
    await Promise.allSettled(ids.map((id) => this.#keeper.withdraw(keptId(sessionId, id), why)));
  }

  async #announce(call: OpenKeptCall, toolCallId: string): Promise<void> {
    const { status } = await call.verdict;
    const { waitsFor: question, request: { name } } = call; // prettier-ignore
    if (status !== 'asked' || question === undefined) return;
    const { id: approval, reason, expiresAt } = question;
    this.#tell?.({
      approval,
      toolCallId,
      name,
      ...(reason !== undefined && { reason }),
      expiresAt,
    });
  }
}

/** Providers' ids are unique only within a conversation. */
const keptId = (sessionId: string, callId: string): string => `${sessionId}/${callId}`;
