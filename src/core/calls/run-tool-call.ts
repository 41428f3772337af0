import type { HookEventOutcome } from '../../../machines/hook-event.ts';
import {
  toolCallMachine,
  type AnswerToolCall,
  type ToolCallInput,
  type ToolCallOutcome,
  type ToolCallPorts,
  type ToolInput,
} from '../../../machines/tool-call.ts';
import type { EventContext } from '../answers/event-context.ts';
import { joinTexts, valueAfter } from '../answers/merge-effects.ts';
import type { FireOptions } from '../run/planned-event.ts';
import { hookEvent } from '../run/run-machine.ts';
import { observedSession } from '../run/telemetry.ts';
import type { CallHost } from './call-host.ts';
import type { ToolResult } from '../protocol/tool-result.ts';
import type { AggregatedHookResult } from '../answers/results.ts';
import {
  type AppliedToolCall,
  applyToolEffects,
  failedResult,
  type StopRequest,
  toolResponse,
} from './tool-effects.ts';
import {
  fixedInput,
  hasHooks,
  hookResult,
  isPending,
  newCallId,
  hooksFor,
  type Ready,
  readyHookSystem,
  runCall,
} from './event-hooks.ts';
import { messageOf } from '../../base/message-of.ts';

/** The machine for a tool call, with its actors provided once for all runs. */
export const toolCall = toolCallMachine.provide({ actors: { hookEvent } });

/** One call of a tool, as a model asks for it. */
export interface ToolCallRequest {
  /** Matches the call with its result. */
  readonly id: string;
  readonly name: string;
  readonly input: ToolInput;
}

/** A tool call that the user is asked about, with the arguments that it would run with. */
export interface ToolCallQuestion extends ToolCallRequest {
  /** Why a hook wants the user to be asked; absent if only the host does. */
  readonly reason?: string;
}

/** Whether a tool may run; a text is a denial with its reason, for the model. */
export type Approval = boolean | string;

/** Asks the user whether a tool may run. */
export type Confirm = (request: ToolCallQuestion) => Approval | Promise<Approval>;

/** Runs the tool with the arguments as hooks left them. */
export type ExecuteTool = (toolInput: ToolInput, signal: AbortSignal) => Promise<ToolResult>;

/** Options of a tool call, and what is known about it besides the request. */
export interface ToolCallOptions extends EventContext {
  readonly signal?: AbortSignal | undefined;
  /** Set if the tool is not on offer: the reason, for the model. */
  readonly notOffered?: string | undefined;
  /** Default: nobody is asked. */
  readonly confirm?: Confirm | undefined;
  /** What `confirm` is asked about: every call (the default), or only calls for which a hook wants it. */
  readonly asks?: 'every call' | 'where a hook wants it' | undefined;
  /**
   * Receives a function that has the user asked after all, once hooks let the call run: ToolPermission hooks
   * first, then `confirm`.
   */
  readonly takeQuestion?: ((raise: () => void) => void) | undefined;
}

/** A tool call that has ended. */
export interface EndedToolCall extends AppliedToolCall {
  readonly outcome: ToolCallOutcome;
  /** The result of the BeforeTool hooks, if any ran. */
  readonly before?: AggregatedHookResult;
  /** The result of the ToolPermission hooks, if any ran. */
  readonly permission?: AggregatedHookResult;
  /** The result of the ToolFailed hooks, if any ran. */
  readonly failed?: AggregatedHookResult;
  /** The result of the AfterTool hooks, if any ran. */
  readonly after?: AggregatedHookResult;
  /** The hooks' message for the user only. */
  readonly notice?: string;
}

/**
 * Runs one tool call with its hooks, as one `toolCall` machine. Never throws: a failing tool is a result with
 * `error`.
 */
export function runToolCall(
  config: CallHost,
  request: ToolCallRequest,
  executeTool: ExecuteTool,
  options: ToolCallOptions = {},
): Promise<EndedToolCall> {
  // Nothing is awaited before a call that no hook matches, and no suspended frame waits for a
  // running call: it would take memory as long as the call lasts.
  const ready = readyHookSystem(config);
  const run = (system: Ready) => runReady(config, system, request, executeTool, options);
  return isPending(ready) ? ready.then(run).then(endedToolCall) : run(ready).then(endedToolCall);
}

/** A tool's result with the effects of its hooks. */
export interface HookedToolResult extends ToolResult {
  /** Set if a hook wants the agent to stop: end the loop, and show the reason to the user. */
  readonly stop?: StopRequest;
  /** The hooks' message for the user only. */
  readonly notice?: string;
}

/**
 * Runs a tool call with its hooks: BeforeTool, the tool, AfterTool. A blocked call never runs
 * the tool; its result tells the model why. Never throws: a tool that throws is a
 * result with `error`. If a hook wants the agent to stop, the result has a `stop` with the reason for
 * the user.
 *
 * @example
 * const result = await executeToolWithHooks(config, 'write_file', input, (input) => write(input));
 */
export function executeToolWithHooks(
  config: CallHost,
  toolName: string,
  toolInput: ToolInput,
  executeFn: ExecuteTool,
  options?: Omit<FireOptions, 'canAsk'>,
): Promise<HookedToolResult> {
  const request = { id: newCallId(), name: toolName, input: toolInput };
  return runToolCall(config, request, executeFn, options).then(hookedResult);
}

const hookedResult = ({ toolResult, stop, notice }: EndedToolCall): HookedToolResult =>
  stop || notice !== undefined
    ? { ...toolResult, ...(stop && { stop }), ...(notice !== undefined && { notice }) }
    : toolResult;

function runReady(
  config: CallHost,
  system: Ready,
  request: ToolCallRequest,
  executeTool: ExecuteTool,
  { signal, ...options }: ToolCallOptions,
): Promise<ToolCallOutcome> {
  if (signal?.aborted) return Promise.resolve(cancelledToolCall(request, messageOf(signal.reason)));
  const input = toolCallInput(config, system, request, executeTool, options);
  const session = observedSession(config, options.sessionId);
  return runCall(config, toolCall, { ...input, ...session }, signal);
}

/** The outcome of a call that is cancelled before it begins. */
export const cancelledToolCall = ({ input }: ToolCallRequest, reason: string): ToolCallOutcome => ({
  status: 'cancelled',
  toolInput: input,
  failures: [],
  reason,
});

/** A tool call as input of the `toolCall` machine, which waits for hooks that are not ready yet. */
export function toolCallInput(
  config: CallHost,
  ready: Ready | Promise<Ready>,
  request: ToolCallRequest,
  executeTool: ExecuteTool,
  {
    notOffered,
    confirm,
    asks,
    takeQuestion,
    toolCallId = request.id,
    ...given
  }: Omit<ToolCallOptions, 'signal'>,
): ToolCallInput {
  const { id, name, input } = request;
  let durationMs: number | undefined;
  const context: EventContext = { ...given, toolCallId, toolDuration: () => durationMs };
  const timed: ExecuteTool = (toolInput, signal) => {
    const start = performance.now();
    return runTool(executeTool, toolInput, signal).finally(() => {
      durationMs = performance.now() - start;
    });
  };
  const portsWith = (system: Ready): ToolCallPorts => {
    const canAsk = confirm !== undefined;
    return {
      rewrite: rewritten,
      ask:
        confirm &&
        ((toolInput, answer, before) =>
          askUser({ ...request, input: toolInput, ...askedBy(before) }, confirm, answer)),
      ...(asks === 'where a hook wants it' && { asksForHooksAlone: true }),
      ...(confirm && takeQuestion && { takeQuestion }),
      execute: timed,
      failure: failedResult,
      hasFailed: (result) => (result as ToolResult).error !== undefined,
      ...hookPorts(config, system, name, context, canAsk),
    };
  };
  // Until the hooks are planned, the ports are those of a call without hooks.
  const ports = isPending(ready)
    ? { ...portsWith(undefined), planHooks: () => ready.then(portsWith) }
    : portsWith(ready);
  const call = { id, toolName: name, toolInput: input, notOffered, ports };
  return ports.hooksBefore || ports.planHooks ? withFixedInput(call) : call;
}

/** The same call, in which the tool gets what the hooks judged. */
function withFixedInput({ ports, ...call }: ToolCallInput): ToolCallInput {
  const { input, refusal, hasChanged } = fixedInput(call.toolInput);
  const fixed = (some: ToolCallPorts): ToolCallPorts => ({
    ...some,
    ...(some.planHooks && { planHooks: () => some.planHooks!().then(fixed) }),
    execute: (toolInput, signal) => {
      const why = refusal ?? (toolInput === input && hasChanged() ? changedSince : undefined);
      return why === undefined ? some.execute(toolInput, signal) : Promise.reject(new Error(why));
    },
  });
  return { ...call, toolInput: input, ports: fixed(ports) };
}

const changedSince =
  'The tool did not run, because its arguments were changed after the hooks had judged them.';

/** The hooks of a tool call by phase, each planned once; undefined for a phase without hooks. */
function hookPorts(
  config: CallHost,
  system: Ready,
  name: string,
  context: EventContext,
  canAsk: boolean,
): Pick<ToolCallPorts, 'hooksBefore' | 'hooksOnPermission' | 'hooksOnFailure' | 'hooksAfter'> {
  const prepareBefore = hooksFor(config, system, 'BeforeTool', name);
  // Most calls never reach these phases, and even an event without hooks is reported once it is planned.
  const rare = (event: 'ToolPermission' | 'ToolFailed') =>
    hasHooks(system, event, name) ? hooksFor(config, system, event, name) : undefined;
  const preparePermission = canAsk ? rare('ToolPermission') : undefined;
  const prepareFailure = rare('ToolFailed');
  const prepareAfter = hooksFor(config, system, 'AfterTool', name);
  return {
    hooksBefore:
      prepareBefore &&
      ((toolInput) =>
        prepareBefore(() => ({ tool_name: name, tool_input: toolInput }), { context, canAsk })),
    hooksOnPermission:
      preparePermission &&
      ((toolInput) =>
        preparePermission(() => ({ tool_name: name, tool_input: toolInput }), { context })),
    hooksOnFailure:
      prepareFailure &&
      ((toolInput, result) =>
        prepareFailure(
          () => ({
            tool_name: name,
            tool_input: toolInput,
            error: (result as ToolResult).error?.message ?? '',
            tool_response: toolResponse(result as ToolResult),
          }),
          { context },
        )),
    hooksAfter:
      prepareAfter &&
      ((toolInput, result) =>
        prepareAfter(
          () => ({
            tool_name: name,
            tool_input: toolInput,
            tool_response: toolResponse(result as ToolResult),
          }),
          { context },
        )),
  };
}

/** The arguments as the BeforeTool or ToolPermission hooks left them. */
const rewritten = (toolInput: ToolInput, outcome: HookEventOutcome): ToolInput =>
  valueAfter(hookResult(outcome)?.verdict.changes.tool_input, toolInput) as ToolInput;

/** The reason why hooks want the user to be asked, if they do. */
function askedBy(before: HookEventOutcome | undefined): Pick<ToolCallQuestion, 'reason'> {
  const { decision, reason } = hookResult(before)?.verdict ?? {};
  return decision === 'ask' && reason !== undefined ? { reason } : {};
}

/** Asks the user. If the question fails, the call is not approved. */
function askUser(request: ToolCallRequest, confirm: Confirm, answer: AnswerToolCall): void {
  const reason = `The user did not let ${request.name} run.`;
  const asked = (async () => confirm(request))();
  void asked.then(
    (approval) => answer(approval === true, typeof approval === 'string' ? approval : reason),
    (error: unknown) => answer(false, `${reason} (${messageOf(error)})`),
  );
}

/** Derives what an ended tool call means, with the results of its hooks. */
export function endedToolCall(outcome: ToolCallOutcome): EndedToolCall {
  const before = hookResult(outcome.before);
  const permission = hookResult(outcome.permission);
  const failed = hookResult(outcome.failed);
  const after = hookResult(outcome.after);
  const notice = joinTexts(
    [before, permission, failed, after].map((result) => result?.verdict.notice),
  );
  return {
    ...applyToolEffects(outcome, {
      before: before?.verdict,
      permission: permission?.verdict,
      failed: failed?.verdict,
      after: after?.verdict,
    }),
    outcome,
    ...(notice !== undefined && { notice }),
    ...(before && { before }),
    ...(permission && { permission }),
    ...(failed && { failed }),
    ...(after && { after }),
  };
}

/**
 * Runs a tool so that it always settles asynchronously and with a result, even if it throws at once or
 * returns nothing (a host need not be TypeScript).
 */
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
