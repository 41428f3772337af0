import type { ToolCallOutcome, ToolInput } from '../../machines/tool-call.ts';
import type { OpenKeptCall, OpenKeptOptions } from '../core/calls/call-keeper.ts';
import type { ToolCallVerdict } from '../core/calls/open-tool-call.ts';
import {
  type Approval as Answer,
  type EndedToolCall,
  endedToolCall,
  type ToolCallRequest,
} from '../core/calls/run-tool-call.ts';
import { failedResult } from '../core/calls/tool-effects.ts';
import { HookmachineError } from '../base/errors.ts';
import { onAbort, type Later, later } from '../core/run/run-machine.ts';
import { errorResult, type ToolResult } from '../core/protocol/tool-result.ts';
import type { AnswerOptions, Approval } from './approvals.ts';
import { interruption } from './effects.ts';
import type { GivenTool } from './leg.ts';
import type { DurableOutcome, EndedCall } from './outcome.ts';
import { messageOf } from '../base/message-of.ts';

/** How a host is asked to work on a call whose tool someone else runs. */
export interface Hold {
  /** Whether to wait for an answer. */
  readonly wait: boolean;
  readonly tool: GivenTool;
  /** Aborting it cancels the call. */
  readonly signal: AbortSignal;
  /** Aborting it releases the call, so that another host can take it. */
  readonly left: AbortSignal;
  /** Receives the outcome of the machine if the call ends here. */
  readonly onEnd: (outcome: ToolCallOutcome) => void;
  /** Receives the arguments that the call was begun with, here or elsewhere. */
  readonly onFound: (input: ToolInput) => void;
}

/** What an open call needs of its host. */
export interface CallHost {
  /** Answers a question; if the database is away, waits for it. */
  readonly say: (question: string, answer: AnswerOptions) => Promise<unknown>;
  readonly hostName: string;
  /** Works on the call until it waits for an answer or has ended. */
  readonly proceed: (hold: Hold) => Promise<DurableOutcome>;
}

type Told = Omit<OpenKeptOptions, 'signal' | 'isNew' | 'sessionId'>;

/**
 * A durable call whose tool is run by a framework: it is judged, may wait for an answer, and takes the tool's
 * result when there is one.
 */
export class OpenCall implements OpenKeptCall {
  readonly verdict: Promise<ToolCallVerdict>;
  #request: ToolCallRequest;
  readonly #host: CallHost;
  readonly #tool: GivenTool;
  readonly #ended = later<EndedToolCall>();
  readonly #cancelled = new AbortController();
  readonly #stopListening: (() => void) | undefined;
  #left = new AbortController();
  #state: 'judging' | 'asked' | 'waiting' | 'running' | 'left' | 'ended' = 'judging';
  #step = later<ToolCallVerdict>();
  #tries = newTry();
  #outcome: ToolCallOutcome | undefined;
  #question: Approval | undefined;

  constructor(
    request: ToolCallRequest,
    host: CallHost,
    { signal, told }: { readonly signal?: AbortSignal | undefined; readonly told: Told },
  ) {
    this.#request = request;
    this.#host = host;
    this.verdict = this.#step.promise;
    this.#tool = {
      options: told,
      isIdempotent: false,
      starts: (toolInput) => {
        if (this.#state !== 'running') this.#state = 'waiting';
        this.#step.settle({ status: 'allowed', toolInput });
        return this.#tries.begun.promise;
      },
      execute: async (toolInput) => {
        this.#tries.claimed.settle(toolInput);
        return this.#tries.result.promise;
      },
    };
    if (signal?.aborted) this.#cancelled.abort(signal.reason);
    this.#stopListening = signal && onAbort(signal, () => this.#interrupted(signal.reason));
    void this.#proceed();
  }

  get request(): ToolCallRequest {
    return this.#request;
  }

  get ended(): Promise<EndedToolCall> {
    return this.#ended.promise;
  }

  get waitsFor(): Approval | undefined {
    return this.#question;
  }

  async question(): Promise<ToolCallVerdict> {
    const verdict = await this.#step.promise;
    return verdict.status === 'allowed' ? { ...verdict, status: 'asked' } : verdict;
  }

  async answer(approved: Answer, { wait = false } = {}): Promise<ToolCallVerdict> {
    await this.#step.promise;
    const why = typeof approved === 'string' ? approved : '';
    if (approved !== true && this.#state === 'asked') await this.#say('deny', why);
    const verdict = await this.#resume(wait);
    if (verdict.status === 'asked') throw this.#unanswered();
    if (approved === true || verdict.status === 'ended') return verdict;
    // Someone had approved it before, or no hook asked; either way the denial wins.
    return { status: 'ended', call: await this.cancel(why) };
  }

  async begin(): Promise<ToolCallVerdict> {
    this.#tries.begun.settle();
    const isLeft = this.#state === 'left';
    // From here on, aborting the run cancels the call: its tool may have been claimed by now.
    if (isLeft || this.#state === 'waiting') this.#state = 'running';
    if (isLeft) {
      this.#left = new AbortController();
      void this.#proceed();
    }
    return Promise.race([
      this.#tries.claimed.promise.then((toolInput) => ({ status: 'allowed' as const, toolInput })),
      this.#ended.promise.then((call) => ({ status: 'ended' as const, call })),
    ]);
  }

  interrupt(): void {
    const { result } = this.#tries;
    this.#tries = newTry();
    this.#state = 'waiting';
    result.settle(Promise.reject(interruption));
  }

  succeed(given: ToolResult): Promise<EndedToolCall> {
    this.#tries.result.settle(Promise.resolve(given));
    return this.#ended.promise;
  }

  fail(error: unknown): Promise<EndedToolCall> {
    return this.succeed(failedResult(error));
  }

  async cancel(reason: string): Promise<EndedToolCall> {
    const isAsked = this.#state === 'asked';
    if (isAsked) await this.#say('withdraw', reason);
    if (isAsked || this.#state === 'left') {
      const { status } = await this.#resume(false);
      // A question that could not be withdrawn will expire, and nobody else runs the tool.
      if (status === 'asked') this.#end(endedElsewhere(this.#given(reason)));
    }
    // Someone may have approved it before.
    this.#cancelled.abort(reason);
    return this.#ended.promise;
  }

  leave(): void {
    if (this.#state === 'judging') void this.cancel('its caller no longer waits for it');
    if (this.#state !== 'waiting') return;
    this.#state = 'left';
    this.#left.abort();
  }

  async #proceed(wait = false): Promise<void> {
    const { signal: left } = this.#left;
    try {
      const outcome = await this.#host.proceed({
        tool: this.#tool,
        wait,
        signal: this.#cancelled.signal,
        left,
        onFound: (input) => {
          this.#request = { ...this.#request, input };
        },
        onEnd: (ended) => {
          this.#outcome = ended;
        },
      });
      if (outcome.status === 'suspended') this.#ask(outcome.approval);
      else this.#end(this.#outcome ? endedToolCall(this.#outcome) : endedElsewhere(outcome));
    } catch (error) {
      if (left.aborted) return;
      this.#end(endedElsewhere(unknownEnd(this.request, error)));
    }
  }

  /**
   * Continues a call whose question was answered, or that was left, unless it is already being worked on.
   * Returns the verdict that then applies.
   */
  #resume(wait: boolean): Promise<ToolCallVerdict> {
    if (this.#state === 'left') this.#left = new AbortController();
    else if (this.#state !== 'asked') return this.#step.promise;
    this.#state = 'judging';
    const step = later<ToolCallVerdict>();
    this.#step = step;
    void this.#proceed(wait);
    return step.promise;
  }

  #given(reason: string): EndedCall {
    const { id, input } = this.request;
    const toolResult = errorResult(`The tool call was cancelled: ${reason}`, 'cancelled');
    return { id, status: 'cancelled', toolInput: input, toolResult };
  }

  #ask(question: Approval): void {
    const { shown, reason } = question;
    this.#question = question;
    this.#state = 'asked';
    const toolInput = JSON.parse(shown) as ToolInput;
    this.#step.settle({ status: 'asked', toolInput, ...(reason !== undefined && { reason }) });
  }

  #end(call: EndedToolCall): void {
    this.#stopListening?.();
    this.#state = 'ended';
    this.#step.settle({ status: 'ended', call });
    this.#ended.settle(call);
  }

  /** The agent's run was aborted: a call that waits keeps waiting. */
  #interrupted(reason: unknown): void {
    if (this.#state === 'waiting') this.leave();
    else if (this.#state !== 'asked') this.#cancelled.abort(reason);
  }

  /** Answers the question if nobody has. If that fails, continuing the call will report it. */
  async #say(decision: 'deny' | 'withdraw', note: string): Promise<void> {
    const { say, hostName } = this.#host;
    const by = decision === 'deny' ? `the user of ${hostName}` : hostName;
    const answer = { decision, by, ...(note !== '' && { note }) };
    await say(this.#question!.id, answer).catch(() => undefined);
  }

  #unanswered(): HookmachineError {
    const { id, tool, expiresAt } = this.#question!;
    return new HookmachineError(
      'CALL_SUSPENDED',
      `The call of ${tool} waits for an answer to ${id} until ${expiresAt.toISOString()}; what the conversation says about it is not an answer. Continue the run once it has been answered: hookmachine approvals answer ${id} approve|deny --as NAME`,
    );
  }
}

/** One attempt to run the tool. */
interface Try {
  readonly begun: Later<void>;
  readonly claimed: Later<ToolInput>;
  readonly result: Later<Promise<ToolResult>>;
}

const newTry = (): Try => ({ begun: later(), claimed: later(), result: later() });

/** An ended call of which only its end is known. */
function endedElsewhere(ended: EndedCall): EndedToolCall {
  const { status, toolInput, toolResult, stop, notice, by = 'user' } = ended;
  const { message: reason = '' } = toolResult.error ?? {};
  const common = { toolInput, failures: [] };
  return {
    toolResult,
    plainResult: toolResult,
    appended: [],
    outcome: outcomeOf(),
    ...(stop && { stop }),
    ...(notice !== undefined && { notice }),
  };

  function outcomeOf(): ToolCallOutcome {
    switch (status) {
      case 'done':
      case 'stopped':
        return { status, ...common, result: toolResult };
      case 'blocked':
        return { status, ...common, stop: stop !== undefined };
      case 'refused':
        return { status, ...common, by, reason };
      case 'deferred':
        return { status, ...common, id: ended.id, toolName: '' };
      case 'failed':
        return { status, ...common, error: new Error(reason) };
      case 'cancelled':
        return { status, ...common, reason };
    }
  }
}

const unknownEnd = ({ id, input }: ToolCallRequest, error: unknown): EndedCall => ({
  id,
  status: 'failed',
  toolInput: input,
  toolResult: errorResult(
    `It is not known whether the tool ran: ${messageOf(error)}`,
    'outcome_unknown',
  ),
});
