import type { ToolInput } from '../../machines/tool-call.ts';
import type { OpenToolCall } from '../agent/open-tool-call.ts';
import {
  type Confirm,
  type EndedToolCall,
  runToolCall,
  type ToolCallOptions,
  type ToolCallRequest,
} from '../agent/run-tool-call.ts';
import type { HookSystemConfig } from '../hooks/hook-system-config.ts';
import { onAbort } from '../hooks/run-machine.ts';
import { messageOf } from '../message-of.ts';
import type { ToolResult } from '../protocol/tool-result.ts';

/** A tool call as a framework runs it. */
export interface FrameworkToolCall extends ToolCallRequest {
  readonly signal?: AbortSignal | undefined;
  /** The user has approved it in the framework's own way. */
  readonly isApproved?: boolean;
  /** `input` is what the model asked for, letter by letter: a call whose arguments were changed since they were judged is judged again. */
  readonly isVerbatim?: boolean;
  /** Asks the user where a hook wants it, for frameworks that do not ask by themselves before they run the tool; what it throws goes to the framework. */
  readonly confirm?: Confirm | undefined;
  /** Whether what the tool threw is for the framework, which will run the call again: no failure, and hooks do not hear of it. */
  readonly isInterruption?: ((error: unknown) => boolean) | undefined;
  /** The framework runs agents within agents, and this is one that the user's own started. */
  readonly isSubagent?: boolean;
  /** The session of a call that no turn is known of; default: as the options say. */
  readonly sessionId?: string | undefined;
}

/** Runs a tool for a framework. */
export type RunTool = (input: ToolInput, signal: AbortSignal | undefined) => Promise<ToolResult>;

/** How a judged call goes on. */
interface GoingOn extends Pick<FrameworkToolCall, 'signal' | 'confirm'> {
  readonly isInterruption: (error: unknown) => boolean;
}

const reasonOf = ({ reason }: { readonly reason?: string }): { readonly reason?: string } =>
  reason === undefined ? {} : { reason };

/** A call that was not judged with the model's answer. One that is interrupted begins anew when it runs again. */
export async function judgeNow(
  config: HookSystemConfig,
  request: ToolCallRequest,
  run: RunTool,
  isInterruption: (error: unknown) => boolean,
  { signal, confirm, ...options }: ToolCallOptions,
): Promise<EndedToolCall> {
  const interrupted = new AbortController();
  const noted = async <Value>(work: () => Value): Promise<Awaited<Value>> => {
    try {
      return await work();
    } catch (error) {
      if (isInterruption(error)) interrupted.abort(error);
      throw error;
    }
  };
  const ended = await runToolCall(
    config,
    request,
    (toolInput, toolSignal) => noted(() => run(toolInput, toolSignal)),
    {
      ...options,
      signal: signal ? AbortSignal.any([signal, interrupted.signal]) : interrupted.signal,
      ...(confirm && { confirm: (question) => noted(() => confirm(question)) }),
    },
  );
  interrupted.signal.throwIfAborted();
  return ended;
}

/** Goes on with a call that was judged with the model's answer. */
export async function goOn(
  call: OpenToolCall,
  input: ToolInput,
  run: RunTool,
  { signal, confirm, isInterruption }: GoingOn,
): Promise<EndedToolCall> {
  const judged = await call.verdict;
  // Where it does not ask us to, the framework runs such a call only once its user has approved it.
  const verdict =
    judged.status === 'asked'
      ? await call.answer(
          (await confirm?.({ ...call.request, input, ...reasonOf(judged) })) ?? true,
        )
      : judged;
  if (verdict.status !== 'allowed') return call.ended;
  const stopListening = signal && onAbort(signal, () => void call.cancel(messageOf(signal.reason)));
  try {
    return await call.succeed(await run(input, signal));
  } catch (error) {
    if (isInterruption(error)) throw error;
    return await call.fail(error);
  } finally {
    stopListening?.();
  }
}
