import type { ToolInput } from '../../../machines/tool-call.ts';
import { assertArgument, assertArguments, object, type Rule, text } from '../../base/arguments.ts';
import type { CallHost } from './call-host.ts';
import { onAbort, later } from '../run/run-machine.ts';
import type { ToolResult } from '../protocol/tool-result.ts';
import {
  type Approval,
  type EndedToolCall,
  runToolCall,
  type ToolCallOptions,
  type ToolCallQuestion,
  type ToolCallRequest,
} from './run-tool-call.ts';
import { failedResult } from './tool-effects.ts';

/** The joint decision of the hooks before a tool. */
export type ToolCallVerdict =
  /** The tool may run with these arguments. */
  | { readonly status: 'allowed'; readonly toolInput: ToolInput }
  /** A hook wants the user to be asked, with these arguments, before the tool runs. */
  | { readonly status: 'asked'; readonly toolInput: ToolInput; readonly reason?: string }
  /** The tool must not run: the call has ended, with the result that the model reads instead. */
  | { readonly status: 'ended'; readonly call: EndedToolCall };

/**
 * A tool call whose tool somebody else runs: hooks judge it first, and it takes the result once there is one.
 */
export interface OpenToolCall {
  readonly request: ToolCallRequest;
  /** The verdict that currently applies. Never rejects. */
  readonly verdict: Promise<ToolCallVerdict>;
  /** The call with its result, once it has ended in any way. Never rejects. */
  readonly ended: Promise<EndedToolCall>;
  /**
   * Reports that whoever runs the tool is about to ask its user: ToolPermission hooks may answer in the
   * user's place. Returns the verdict that then applies; if it is `asked`, pass the user's answer to
   * `answer`.
   */
  question(): Promise<ToolCallVerdict>;
  /**
   * Takes the user's answer to an `asked` verdict; a text is the reason for a denial. Returns the verdict
   * that then applies.
   */
  answer(approved: Approval): Promise<ToolCallVerdict>;
  /** Hands in the tool's result; hooks judge it, and `ended` has the result that they left. */
  succeed(result: ToolResult): Promise<EndedToolCall>;
  /** Hands in the error that the tool threw. */
  fail(error: unknown): Promise<EndedToolCall>;
  /** Ends the call because the tool will not run, or because its result is no longer wanted. */
  cancel(reason: string): Promise<EndedToolCall>;
}

/** Options of a tool call, and what is known about it. */
export interface BeginToolCallOptions extends Omit<
  ToolCallOptions,
  'confirm' | 'asks' | 'takeQuestion'
> {
  /**
   * Whether someone can be asked if a hook wants it; default true. Otherwise asking is a denial, except for
   * LLxprt's hooks.
   */
  readonly canAsk?: boolean | undefined;
}

const anApproval: Rule = {
  fits: (value) => typeof value === 'boolean' || typeof value === 'string',
  fix: 'pass true, false, or the reason for a denial',
};

const requestRules: Readonly<Record<string, Rule>> = { id: text, name: text, input: object };

/**
 * Begins a tool call whose tool somebody else runs, such as a framework, as one `toolCall` machine that
 * waits for the result, or for the end of the call.
 *
 * @example
 * const call = beginToolCall(config, { id: 'call-1', name: 'write_file', input });
 * const verdict = await call.verdict;
 * if (verdict.status === 'allowed') {
 *   const text = await write(verdict.toolInput);
 *   const { toolResult } = await call.succeed({ llmContent: text, returnDisplay: text });
 * }
 */
export function beginToolCall(
  config: CallHost,
  request: ToolCallRequest,
  options: BeginToolCallOptions = {},
): OpenToolCall {
  assertArguments('beginToolCall', request, requestRules);
  return new OpenCall(config, request, options);
}

class OpenCall implements OpenToolCall {
  readonly request: ToolCallRequest;
  readonly ended: Promise<EndedToolCall>;
  readonly #abort = new AbortController();
  readonly #approval = later<Approval>();
  readonly #result = later<ToolResult>();
  #verdict = later<ToolCallVerdict>();
  #afterAnswer = later<ToolCallVerdict>();
  #raise: (() => void) | undefined;
  #isQuestioned = false;

  constructor(
    config: CallHost,
    request: ToolCallRequest,
    { signal, canAsk = true, ...options }: BeginToolCallOptions,
  ) {
    this.request = request;
    if (signal?.aborted) this.#abort.abort(signal.reason);
    const stopListening = signal && onAbort(signal, () => this.#abort.abort(signal.reason));
    const execute = (toolInput: ToolInput): Promise<ToolResult> => {
      this.#decide({ status: 'allowed', toolInput });
      return this.#result.promise;
    };
    this.ended = runToolCall(config, request, execute, {
      ...options,
      signal: this.#abort.signal,
      ...(canAsk && {
        asks: 'where a hook wants it',
        confirm: (question) => this.#confirm(question),
        takeQuestion: (raise) => {
          this.#raise = raise;
        },
      }),
    }).then((call) => {
      stopListening?.();
      this.#decide({ status: 'ended', call });
      this.#verdict = this.#afterAnswer = later();
      this.#decide({ status: 'ended', call });
      return call;
    });
  }

  get verdict(): Promise<ToolCallVerdict> {
    return this.#verdict.promise;
  }

  // Functions of their own, because callers take them apart.
  readonly question = async (): Promise<ToolCallVerdict> => {
    const before = await this.verdict;
    if (before.status !== 'allowed' || this.#raise === undefined) return before;
    // It is raised only once, even if others ask meanwhile.
    if (this.#isQuestioned) return this.verdict;
    this.#isQuestioned = true;
    this.#verdict = later();
    this.#afterAnswer = later();
    this.#raise();
    return this.verdict;
  };

  readonly answer = async (approved: Approval): Promise<ToolCallVerdict> => {
    assertArgument('OpenToolCall.answer: the answer', approved, anApproval);
    this.#approval.settle(approved);
    const after = await this.#afterAnswer.promise;
    if (approved === true || after.status === 'ended') return after;
    // It had been approved, but a denial overrides an approval.
    const why = approved === false ? `The user did not let ${this.request.name} run.` : approved;
    return { status: 'ended', call: await this.cancel(why) };
  };

  readonly succeed = (result: ToolResult): Promise<EndedToolCall> => {
    this.#result.settle(result);
    return this.ended;
  };

  readonly fail = (error: unknown): Promise<EndedToolCall> => this.succeed(failedResult(error));

  readonly cancel = (reason: string): Promise<EndedToolCall> => {
    this.#abort.abort(reason);
    return this.ended;
  };

  #decide(decided: ToolCallVerdict): void {
    this.#verdict.settle(decided);
    this.#afterAnswer.settle(decided);
  }

  #confirm({ input: toolInput, reason }: ToolCallQuestion): Promise<Approval> {
    this.#verdict.settle({
      status: 'asked',
      toolInput,
      ...(reason !== undefined && { reason }),
    });
    return this.#approval.promise;
  }
}
