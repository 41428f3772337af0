import { isRecord } from '../../base/json.ts';
import { isDeepStrictEqual } from 'node:util';
import type { ToolInput } from '../../../machines/tool-call.ts';
import type { OpenKeptCall } from '../../core/calls/call-keeper.ts';
import type { OpenToolCall, ToolCallVerdict } from '../../core/calls/open-tool-call.ts';
import {
  type Confirm,
  type EndedToolCall,
  runToolCall,
  type ToolCallOptions,
  type ToolCallRequest,
} from '../../core/calls/run-tool-call.ts';
import { isHookmachineError } from '../../base/errors.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import { onAbort } from '../../core/run/run-machine.ts';
import type { ToolResult } from '../../core/protocol/tool-result.ts';
import { messageOf } from '../../base/message-of.ts';

/** A tool call as a framework runs it. */
export interface FrameworkToolCall extends ToolCallRequest {
  readonly signal?: AbortSignal | undefined;
  /** Whether the user has approved it in the framework's own way. */
  readonly isApproved?: boolean;
  /**
   * Whether `input` is exactly what the model asked for: a call whose arguments have changed since they were
   * judged is then judged again.
   */
  readonly isVerbatim?: boolean;
  /**
   * Asks the user when a hook wants it, for frameworks that do not ask by themselves before they run the
   * tool; what it throws goes to the framework.
   */
  readonly confirm?: Confirm | undefined;
  /**
   * Whether `confirm` asks again when it is called again: a kept call that nobody has answered then
   * interrupts the run anew.
   */
  readonly asksAgain?: boolean | undefined;
  /** What the framework turns arguments into before a tool gets them. */
  readonly read?: ((input: ToolInput) => unknown) | undefined;
  /**
   * Whether what the tool threw is for the framework, which will run the call again: it is not a failure, and
   * hooks do not see it.
   */
  readonly isInterruption?: ((error: unknown) => boolean) | undefined;
  /** Whether the agent that makes the call was started by the user's own agent. */
  readonly isSubagent?: boolean;
  /** The session of a call that belongs to no known turn; default: as the options say. */
  readonly sessionId?: string | undefined;
}

/** Runs a tool for a framework. */
export type RunTool = (input: ToolInput, signal: AbortSignal | undefined) => Promise<ToolResult>;

/** How a judged call continues. */
interface ContinueOptions extends Pick<FrameworkToolCall, 'signal' | 'confirm' | 'asksAgain'> {
  readonly isInterruption: (error: unknown) => boolean;
}

const reasonOf = ({ reason }: { reason: string | undefined }): { readonly reason?: string } =>
  reason === undefined ? {} : { reason };

/**
 * Runs a call that was not judged with the model's answer. If it is interrupted, it begins anew when it runs
 * again.
 */
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

/** Continues a call that was judged with the model's answer. */
export async function continueCall(
  call: OpenToolCall,
  input: ToolInput,
  run: RunTool,
  how: ContinueOptions,
): Promise<EndedToolCall> {
  const judged = await call.verdict;
  const verdict = judged.status === 'asked' ? await answer(call, judged, how) : judged;
  return verdict.status === 'allowed' ? finish(call, input, run, how) : call.ended;
}

/** Whether a call is kept beyond the process. */
export const isKept = (call: OpenToolCall | OpenKeptCall): call is OpenKeptCall => 'leave' in call;

/** How a kept call continues. */
interface KeptContinueOptions extends ContinueOptions, Pick<FrameworkToolCall, 'read'> {
  /** Begins the call anew, because its user has changed the arguments. */
  readonly anew: () => OpenKeptCall;
}

/** Continues a kept call, which may have been judged and answered elsewhere. */
export async function continueKept(
  call: OpenKeptCall,
  input: ToolInput,
  run: RunTool,
  how: KeptContinueOptions,
): Promise<EndedToolCall> {
  const judged = await call.verdict;
  if (judged.status === 'ended') return judged.call;
  const final = await finalInput(call, judged.toolInput, input, how.read);
  if (final === undefined) {
    void call.cancel('its arguments were changed, so it is a different call');
    return continueKept(how.anew(), input, run, how);
  }
  const answered = judged.status === 'asked' ? await answer(call, judged, how) : judged;
  const begun = answered.status === 'allowed' ? await call.begin() : answered;
  return begun.status === 'allowed' ? finish(call, final, run, how) : call.ended;
}

/** What the tool must run with; undefined if that was never judged. */
async function finalInput(
  call: OpenKeptCall,
  judged: ToolInput,
  given: ToolInput,
  read: FrameworkToolCall['read'],
): Promise<ToolInput | undefined> {
  if (isSameJson(given, judged)) return given;
  if (isSameJson(given, call.request.input)) return judged;
  return read && isSameJson(given, await read(judged)) ? given : undefined;
}

/** Compares as JSON, which is what is kept. */
const isSameJson = (one: unknown, other: unknown): boolean =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));

/** Runs the tool of a call that may run. */
async function finish(
  call: OpenToolCall | OpenKeptCall,
  input: ToolInput,
  run: RunTool,
  { signal, isInterruption }: ContinueOptions,
): Promise<EndedToolCall> {
  const stopListening = signal && onAbort(signal, () => void call.cancel(messageOf(signal.reason)));
  try {
    return await call.succeed(await run(input, signal));
  } catch (error) {
    if (!isInterruption(error)) return await call.fail(error);
    if (isKept(call)) call.interrupt();
    throw error;
  } finally {
    stopListening?.();
  }
}

/** Asks the user. Without `confirm`, the framework runs such a call only once its user has approved it. */
async function answer(
  call: OpenToolCall,
  { toolInput, reason }: Extract<ToolCallVerdict, { status: 'asked' }>,
  { confirm, asksAgain = false }: ContinueOptions,
): Promise<ToolCallVerdict> {
  for (;;) {
    const question = { ...call.request, input: toolInput, ...reasonOf({ reason }) };
    const approved = (await confirm?.(question)) ?? true;
    try {
      return await call.answer(approved);
    } catch (error) {
      if (!asksAgain || !isHookmachineError(error, 'CALL_SUSPENDED')) throw error;
    }
  }
}

/** The key under which hooks see arguments that are not an object. */
export const loneArgument = 'input';

/** Arguments as hooks see them: always an object. */
export function asInput(given: unknown): ToolInput {
  if (isRecord(given)) return given;
  return given === undefined || given === null ? {} : { [loneArgument]: given };
}

/** What a tool gets whose arguments came in the form of `given`, now that hooks have left `final`. */
export const asGiven = (given: unknown, final: ToolInput): unknown =>
  isRecord(given) || !(loneArgument in final) ? final : final[loneArgument];

/** Whether two values are equal. Those that are nested too deep to be compared are not, so they are judged. */
export function isSame(one: unknown, other: unknown): boolean {
  try {
    return isDeepStrictEqual(one, other);
  } catch {
    return false;
  }
}
