import type { HookEventOutcome } from '../../machines/hook-event.ts';
import {
  toolCallMachine,
  type AnswerToolCall,
  type ToolCallInput,
  type ToolCallOutcome,
  type ToolCallPorts,
  type ToolInput,
} from '../../machines/tool-call.ts';
import type { EventContext } from '../dialects/event-context.ts';
import { isError } from '../errors.ts';
import { hookEvent } from '../hooks/run-machine.ts';
import type { HookSystemConfig } from '../hooks/hook-system-config.ts';
import { isObserved, observedSession } from '../hooks/telemetry.ts';
import { messageOf } from '../message-of.ts';
import { BeforeToolHookOutput, type DefaultHookOutput } from '../protocol/output.ts';
import { errorResult, type LlmContent, type ToolResult } from '../protocol/tool-result.ts';
import type { AggregatedHookResult } from '../verdict/results.ts';
import {
  hookResult,
  isPending,
  planHooks,
  type Ready,
  readyHookSystem,
  runCall,
  untilCancelled,
} from './event-hooks.ts';

/** The machine of a tool call with its actors provided, once for all runs. */
export const toolCall = toolCallMachine.provide({ actors: { hookEvent } });

/** One call of a tool, as a model asks for it. */
export interface ToolCallRequest {
  /** Ties the call to its result. */
  readonly id: string;
  readonly name: string;
  readonly input: ToolInput;
}

/** A tool call that the user is asked about, with the arguments that it would run with. */
export interface ToolCallQuestion extends ToolCallRequest {
  /** Why a hook wants the user to be asked; absent where only the host does. */
  readonly reason?: string;
}

/** Asks the user whether a tool may run. */
export type Confirm = (request: ToolCallQuestion) => boolean | Promise<boolean>;

/** How a tool call is made, and what is known of it beside what was asked. */
export interface ToolCallOptions extends EventContext {
  readonly signal?: AbortSignal | undefined;
  /** The tool is not on offer: why, for the model. */
  readonly notOffered?: string | undefined;
  /** Default: nobody is asked. */
  readonly confirm?: Confirm | undefined;
}

/** A tool call that has ended. */
export interface EndedToolCall extends AppliedToolCall {
  readonly outcome: ToolCallOutcome;
  /** What the BeforeTool hooks did, when any ran. */
  readonly before?: AggregatedHookResult;
  /** What the AfterTool hooks did, when any ran. */
  readonly after?: AggregatedHookResult;
}

/**
 * Takes one tool call through its hooks, as one `toolCall` machine; with no hook, no question and
 * nobody who watches, the tool just runs. Never throws: a failing tool is a result with `error`.
 */
export async function runToolCall(
  config: HookSystemConfig,
  request: ToolCallRequest,
  executeTool: ExecuteTool,
  { signal, ...options }: ToolCallOptions = {},
): Promise<EndedToolCall> {
  // Nothing is awaited on the way to a call that no hook matches (HOOK-013).
  const ready = readyHookSystem(config);
  const system = isPending(ready) ? await ready : ready;
  const toolInput = request.input;
  const cancelled = (reason: string) => cancelledToolCall(request, reason);
  if (signal?.aborted) return endedToolCall(cancelled(messageOf(signal.reason)));
  const input = toolCallInput(config, system, request, executeTool, options);
  if (isPlain(input) && !isObserved(config)) {
    const heard = signal ?? new AbortController().signal;
    const run = async (): Promise<ToolCallOutcome> => {
      const result = await runTool(executeTool, toolInput, heard).catch(failedResult);
      return { status: 'done', toolInput, failures: [], result };
    };
    return endedToolCall(await untilCancelled(run, cancelled, signal));
  }
  const observed = { ...input, ...observedSession(config) };
  return endedToolCall(await runCall(config, toolCall, observed, signal));
}

/** How a call ends that is cancelled before it begins. */
export const cancelledToolCall = ({ input }: ToolCallRequest, reason: string): ToolCallOutcome => ({
  status: 'cancelled',
  toolInput: input,
  failures: [],
  reason,
});

/** Whether nothing but the tool would run. */
const isPlain = ({ ports, notOffered }: ToolCallInput): boolean =>
  notOffered === undefined && !ports.hooksBefore && !ports.hooksAfter && !ports.ask;

/** A tool call as input of the `toolCall` machine, which waits for hooks that are not ready yet. */
export function toolCallInput(
  config: HookSystemConfig,
  ready: Ready | Promise<Ready>,
  request: ToolCallRequest,
  executeTool: ExecuteTool,
  { notOffered, confirm, toolCallId = request.id, ...given }: Omit<ToolCallOptions, 'signal'>,
): ToolCallInput {
  const { id, name, input } = request;
  const context = { ...given, toolCallId };
  const portsWith = (system: Ready): ToolCallPorts => ({
    ...plannedHooks(config, system, name, context, confirm !== undefined),
    rewrite: rewritten,
    ...(confirm && {
      ask: (toolInput, answer, before) =>
        ask({ ...request, input: toolInput, ...askedBy(before) }, confirm, answer),
    }),
    execute: (toolInput, signal) => runTool(executeTool, toolInput, signal),
    failure: failedResult,
  });
  const ports = isPending(ready)
    ? { ...portsWith(undefined), planHooks: () => ready.then(portsWith) }
    : portsWith(ready);
  return { id, toolName: name, toolInput: input, notOffered, ports };
}

/** The hooks before and after a tool. */
function plannedHooks(
  config: HookSystemConfig,
  system: Ready,
  name: string,
  context: EventContext,
  canAsk: boolean,
): Pick<ToolCallPorts, 'hooksBefore' | 'hooksAfter'> {
  const before = planHooks(config, system, 'BeforeTool', name);
  const after = planHooks(config, system, 'AfterTool', name);
  return {
    ...(before && {
      hooksBefore: (toolInput) =>
        before(() => ({ tool_name: name, tool_input: toolInput }), { context, canAsk }),
    }),
    ...(after && {
      hooksAfter: (toolInput, result) =>
        after(
          () => ({
            tool_name: name,
            tool_input: toolInput,
            tool_response: toolResponse(result as ToolResult),
          }),
          { context },
        ),
    }),
  };
}

/** The arguments that the hooks before the tool left. */
function rewritten(toolInput: ToolInput, outcome: HookEventOutcome): ToolInput {
  const { finalOutput: output, toolInput: replaced } = hookResult(outcome) ?? {};
  if (replaced) return replaced;
  const change = output && new BeforeToolHookOutput(output).getModifiedToolInput();
  return change ? { ...toolInput, ...change } : toolInput;
}

/** Why hooks want the user to be asked, if they do. */
function askedBy(before: HookEventOutcome | undefined): Pick<ToolCallQuestion, 'reason'> {
  const { decision, reason } = hookResult(before)?.verdict ?? {};
  return decision === 'ask' && reason !== undefined ? { reason } : {};
}

/** Asks the user. A question that breaks is no approval. */
function ask(request: ToolCallRequest, confirm: Confirm, answer: AnswerToolCall): void {
  const reason = `The user did not let ${request.name} run.`;
  const asked = (async () => confirm(request))();
  void asked.then(
    (approved) => answer(approved, reason),
    (error: unknown) => answer(false, `${reason} (${messageOf(error)})`),
  );
}

/** What an ended tool call means, with what its hooks did. */
export function endedToolCall(outcome: ToolCallOutcome): EndedToolCall {
  const before = hookResult(outcome.before);
  const after = hookResult(outcome.after);
  return {
    ...applyToolEffects(outcome, before?.finalOutput, after?.finalOutput, after?.toolResponse),
    outcome,
    ...(before && { before }),
    ...(after && { after }),
  };
}

/** Runs the tool with the arguments that the hooks left. */
export type ExecuteTool = (toolInput: ToolInput, signal: AbortSignal) => Promise<ToolResult>;

/** Whatever a tool does, it ends later and with a result: one that throws at once, or that gives nothing (a host need not be TypeScript). */
function runTool(
  executeTool: ExecuteTool,
  toolInput: ToolInput,
  signal: AbortSignal,
): Promise<ToolResult> {
  try {
    return Promise.resolve(executeTool(toolInput, signal)).then(orNothing);
  } catch (error) {
    return Promise.reject(error);
  }
}

const orNothing = (result: ToolResult | undefined | null): ToolResult =>
  result ?? { llmContent: '', returnDisplay: '' };

/** The agent is to stop, and why; the reason is for the user (HOOK-020, 028). */
export interface StopRequest {
  readonly reason: string;
}

/** A tool call's result with the effects of its hooks applied. */
interface AppliedToolCall {
  readonly toolResult: ToolResult;
  readonly stop?: StopRequest;
}

/** What an ended tool call means for the model, the user and the agent (HOOK-017, 027 to 030, 131, 132, 217). */
export function applyToolEffects(
  outcome: ToolCallOutcome,
  before: DefaultHookOutput | undefined,
  after: DefaultHookOutput | undefined,
  replaced?: Readonly<Record<string, unknown>>,
): AppliedToolCall {
  switch (outcome.status) {
    case 'blocked': {
      const reason = before?.getBlockReason() ?? 'Blocked by hook';
      return {
        toolResult: withTexts(errorResult(reason, 'blocked_by_hook'), [
          note(before?.systemMessage),
        ]),
        ...(outcome.stop && { stop: { reason: before?.getStopReason() ?? reason } }),
      };
    }
    case 'stopped': {
      const reason = (after?.shouldStopExecution() ? after : before)?.getStopReason() ?? '';
      const toolResult = outcome.result
        ? withHookTexts(resultOf(outcome.result, replaced), before, after)
        : withTexts(errorResult(reason, 'stopped_by_hook'), [note(before?.systemMessage)]);
      return { toolResult, stop: { reason } };
    }
    // What AfterTool hooks had said so far decides nothing (G-02).
    case 'cancelled':
      return {
        toolResult: outcome.result
          ? withHookTexts(outcome.result as ToolResult, before, undefined)
          : errorResult(`The tool call was cancelled: ${outcome.reason}`, 'cancelled'),
      };
    case 'refused':
      return {
        toolResult: errorResult(
          outcome.reason,
          outcome.by === 'selection' ? 'tool_not_allowed' : 'declined',
        ),
      };
    case 'deferred':
      return {
        toolResult: errorResult(
          before?.reason
            ? `The tool call was deferred: ${before.reason}`
            : 'The tool call was deferred.',
          'deferred',
        ),
        // Whoever takes it up again begins a new turn.
        stop: { reason: before?.reason ?? `A hook put off the call of ${outcome.toolName}.` },
      };
    case 'done':
      return { toolResult: withHookTexts(resultOf(outcome.result, replaced), before, after) };
  }
}

/** The tool's result, or what a hook put in its place. */
const resultOf = (result: object, replaced: object | undefined): ToolResult =>
  (replaced ?? result) as ToolResult;

/** Context first, then messages (C-56, C-57); a denial after the fact is reported, and takes nothing back (C-62). */
function withHookTexts(
  result: ToolResult,
  before: DefaultHookOutput | undefined,
  after: DefaultHookOutput | undefined,
): ToolResult {
  const context = after?.getAdditionalContext();
  const told = withTexts(result, [
    context === undefined ? undefined : `\n\n${context}`,
    note(before?.systemMessage),
    note(after?.systemMessage),
    after?.isBlockingDecision() ? note(after.getBlockReason()) : undefined,
  ]);
  return after?.suppressOutput === true ? { ...told, suppressDisplay: true } : told;
}

/** A system annotation (HOOK-131, C-55). */
const note = (text: string | undefined): string | undefined =>
  text === undefined || text === '' ? undefined : `\n\n[System] ${text}`;

function withTexts(result: ToolResult, texts: readonly (string | undefined)[]): ToolResult {
  const present = texts.filter((text) => text !== undefined);
  return present.length === 0
    ? result
    : { ...result, llmContent: present.reduce<LlmContent>(append, result.llmContent ?? '') };
}

/** Content that is no text keeps its parts and gets one more (C-59). */
function append(content: LlmContent, text: string): LlmContent {
  if (typeof content === 'string') return content + text;
  return [...(Array.isArray(content) ? content : [content]), { text }] as LlmContent;
}

/** What AfterTool hooks see of a result (HOOK-026, C-69). */
export const toolResponse = ({ llmContent, returnDisplay, metadata, error }: ToolResult) => ({
  llmContent,
  returnDisplay,
  ...(metadata && { metadata }),
  ...(error && { error }),
});

/** A thrown error as a result that the model reads and AfterTool hooks see (C-68). */
export function failedResult(error: unknown): ToolResult {
  return errorResult(messageOf(error), isError(error) ? error.name : 'Error');
}
