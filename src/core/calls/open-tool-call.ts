import type { ToolInput } from '../../../machines/tool-call.ts';
import { assertArgument, assertArguments, object, type Rule, text } from '../../base/arguments.ts';
import type { CallHost } from './call-host.ts';
import { onAbort, later } from '../run/run-machine.ts';
import type { ToolResult } from '../protocol/tool-result.ts';
import {
  type Approval,
  type Confirm,
  type EndedToolCall,
  runToolCall,
  type ToolCallOptions,
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
  { signal, canAsk = true, ...options }: BeginToolCallOptions = {},
): OpenToolCall {
  assertArguments('beginToolCall', request, requestRules);
  const abort = new AbortController();
  if (signal?.aborted) abort.abort(signal.reason);
  const stopListening = signal && onAbort(signal, () => abort.abort(signal.reason));
  let verdict = later<ToolCallVerdict>();
  let afterAnswer = later<ToolCallVerdict>();
  let raise: (() => void) | undefined;
  let isQuestioned = false;
  const approval = later<Approval>();
  const result = later<ToolResult>();
  const decide = (decided: ToolCallVerdict): void => {
    verdict.settle(decided);
    afterAnswer.settle(decided);
  };
  const confirm: Confirm = ({ input, reason }) => {
    verdict.settle({
      status: 'asked',
      toolInput: input,
      ...(reason !== undefined && { reason }),
    });
    return approval.promise;
  };
  const ended = runToolCall(
    config,
    request,
    (toolInput) => {
      decide({ status: 'allowed', toolInput });
      return result.promise;
    },
    {
      ...options,
      signal: abort.signal,
      ...(canAsk && {
        asks: 'where a hook wants it',
        confirm,
        takeQuestion: (raiseIt) => {
          raise = raiseIt;
        },
      }),
    },
  ).then((call) => {
    stopListening?.();
    decide({ status: 'ended', call });
    verdict = afterAnswer = later();
    decide({ status: 'ended', call });
    return call;
  });
  const cancel = (reason: string): Promise<EndedToolCall> => {
    abort.abort(reason);
    return ended;
  };
  return {
    request,
    get verdict() {
      return verdict.promise;
    },
    ended,
    async question() {
      const before = await verdict.promise;
      if (before.status !== 'allowed' || raise === undefined) return before;
      // It is raised only once, even if others ask meanwhile.
      if (isQuestioned) return verdict.promise;
      isQuestioned = true;
      verdict = later();
      afterAnswer = later();
      raise();
      return verdict.promise;
    },
    async answer(approved) {
      assertArgument('OpenToolCall.answer: the answer', approved, anApproval);
      approval.settle(approved);
      const after = await afterAnswer.promise;
      if (approved === true || after.status === 'ended') return after;
      // It had been approved, but a denial overrides an approval.
      const why = approved === false ? `The user did not let ${request.name} run.` : approved;
      return { status: 'ended', call: await cancel(why) };
    },
    succeed(given) {
      result.settle(given);
      return ended;
    },
    fail: (error) => {
      result.settle(failedResult(error));
      return ended;
    },
    cancel,
  };
}
