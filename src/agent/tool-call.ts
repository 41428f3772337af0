import type { ToolCallOutcome, ToolCallPorts, ToolInput } from '../../machines/tool-call.ts';
import type { EventContext } from '../dialects/event-context.ts';
import type { HookSystemConfig } from '../hooks/hook-system-config.ts';
import { messageOf } from '../message-of.ts';
import { isObserved } from '../hooks/observers.ts';
import type { OnSuspended } from '../hooks/run-machine.ts';
import type { AggregatedHookResult } from '../verdict/results.ts';
import { BeforeToolHookOutput } from '../protocol/output-classes.ts';
import type { ToolResult } from '../protocol/tool-result.ts';
import { toolCall } from './call-machines.ts';
import { hookResult, planHooks } from './plan-hooks.ts';
import { isPending, readyHookSystem, type Ready } from './ready-hook-system.ts';
import { runCall, untilCancelled, type RunCallOptions } from './run-call.ts';
import { runTool, type ExecuteTool } from './run-tool.ts';
import { applyToolEffects, type AppliedToolCall } from './tool-effects.ts';
import { failedResult, toolResponse } from './tool-response.ts';

/** One call of a tool, as a model asks for it. */
export interface ToolCallRequest {
  /** Ties the call to its result. */
  readonly id: string;
  readonly name: string;
  readonly input: ToolInput;
}

/** Asks the user whether a tool may run, with the arguments that it would run with. */
export type Confirm = (request: ToolCallRequest) => boolean | Promise<boolean>;

/** How a tool call is made, and what is known of it beside what was asked. */
export interface ToolCallOptions extends EventContext, Pick<RunCallOptions, 'signal' | 'parent'> {
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
  { signal, parent, notOffered, confirm, ...context }: ToolCallOptions = {},
): Promise<EndedToolCall> {
  // Nothing is awaited on the way to a call that no hook matches (HOOK-013).
  const ready = readyHookSystem(config);
  const system = isPending(ready) ? await ready : ready;
  const { id, name, input } = request;
  const ports = portsFor(config, system, request, executeTool, context, confirm);
  const cancelled = (reason: string): ToolCallOutcome => ({
    status: 'cancelled',
    toolInput: input,
    failures: [],
    reason,
  });
  if (signal?.aborted) return ended(cancelled(messageOf(signal.reason)));
  const isPlain = !ports.hooksBefore && !ports.hooksAfter && !confirm && notOffered === undefined;
  if (isPlain && !isObserved(config)) {
    const heard = signal ?? new AbortController().signal;
    const run = async (): Promise<ToolCallOutcome> => {
      const result = await runTool(executeTool, input, heard).catch(failedResult);
      return { status: 'done', toolInput: input, failures: [], result };
    };
    return ended(await untilCancelled(run, cancelled, signal));
  }
  const outcome = await runCall(
    config,
    toolCall,
    { id, toolName: name, toolInput: input, notOffered, ports },
    { signal, parent, onSuspended: confirm && asking(request, confirm) },
  );
  return ended(outcome);
}

/** What the engine does for the `toolCall` machine. */
function portsFor(
  config: HookSystemConfig,
  system: Ready,
  { id, name }: ToolCallRequest,
  executeTool: ExecuteTool,
  { toolCallId = id, ...given }: EventContext,
  confirm: Confirm | undefined,
): ToolCallPorts {
  const context = { ...given, toolCallId };
  const before = planHooks(config, system, 'BeforeTool', name);
  const after = planHooks(config, system, 'AfterTool', name);
  return {
    ...(before && {
      hooksBefore: (toolInput) =>
        before(() => ({ tool_name: name, tool_input: toolInput }), { context }),
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
    rewrite(toolInput, outcome) {
      const { finalOutput: output, toolInput: replaced } = hookResult(outcome) ?? {};
      if (replaced) return replaced;
      const change = output && new BeforeToolHookOutput(output).getModifiedToolInput();
      return change ? { ...toolInput, ...change } : toolInput;
    },
    mustAsk: () => confirm !== undefined,
    execute: (toolInput, signal) => runTool(executeTool, toolInput, signal),
    failure: failedResult,
  };
}

/** Asks the user whenever the call waits for it. A question that breaks is no approval. */
function asking(request: ToolCallRequest, confirm: Confirm): OnSuspended {
  const reason = `The user did not let ${request.name} run.`;
  return (actor) => {
    const { toolInput } = actor.getSnapshot().context as { readonly toolInput: ToolInput };
    const ask = async (): Promise<boolean> => confirm({ ...request, input: toolInput });
    const answer = (approved: boolean, why = reason): void => {
      // It may have been cancelled meanwhile.
      if (actor.getSnapshot().status === 'active')
        actor.send({ type: 'answer', approved, reason: why });
    };
    void ask().then(answer, (error: unknown) => answer(false, `${reason} (${messageOf(error)})`));
  };
}

/** What an ended tool call means, with what its hooks did. */
function ended(outcome: ToolCallOutcome): EndedToolCall {
  const before = hookResult(outcome.before);
  const after = hookResult(outcome.after);
  return {
    ...applyToolEffects(outcome, before?.finalOutput, after?.finalOutput, after?.toolResponse),
    outcome,
    ...(before && { before }),
    ...(after && { after }),
  };
}
