import type { ToolCallOutcome, ToolInput } from '../../machines/tool-call.ts';
import type { EventContext } from '../dialects/event-context.ts';
import type { HookSystemConfig } from '../hooks/config.ts';
import type { AggregatedHookResult } from '../hooks/results.ts';
import { hookResult } from './plan-hooks.ts';
import { runCall, type CallOrigin, type GiveUp, type HookedCall } from './run-call.ts';
import { runTool, type ExecuteTool } from './run-tool.ts';
import { EngineToolCallPorts, failedResult } from './tool-call-ports.ts';
import { applyToolEffects, type AppliedToolCall } from './tool-effects.ts';

/** One call of a tool, as a model asks for it. */
export interface ToolCallRequest {
  /** Ties the call to its result. */
  readonly id: string;
  readonly name: string;
  readonly input: ToolInput;
}

/** What is known of a call beside what was asked. */
export interface ToolCallContext extends EventContext {
  readonly origin?: CallOrigin | undefined;
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
 * Takes one tool call through its hooks: one `toolCall` machine, or none at all when no hook matches
 * and nobody watches. Never throws: a failing tool is a result with `error`.
 */
export function runToolCall(
  config: HookSystemConfig,
  request: ToolCallRequest,
  executeTool: ExecuteTool,
  signal?: AbortSignal,
  { origin, ...context }: ToolCallContext = {},
): Promise<EndedToolCall> {
  const { id, name, input } = request;
  const told = { toolInput: input, failures: [] };
  return runCall<ToolCallOutcome, Told>(
    config,
    {
      told,
      events: ['BeforeTool', 'AfterTool'],
      subject: name,
      withHooks: ({ toolCall }, system, run) =>
        run(toolCall, {
          id,
          toolName: name,
          toolInput: input,
          ports: new EngineToolCallPorts(system, name, executeTool, {
            ...context,
            toolCallId: context.toolCallId ?? id,
          }),
        }),
      withoutHooks: async () => {
        const heard = signal ?? new AbortController().signal;
        const result = await runTool(executeTool, input, heard).catch(failedResult);
        return { ...told, status: 'done', result };
      },
      withoutMachine,
      cancelled: (reason) => ({ ...told, status: 'cancelled', reason }),
    },
    signal,
    origin,
  ).then(ended);
}

type Told = Pick<ToolCallOutcome, 'toolInput' | 'failures'>;

async function withoutMachine(
  { told, withoutHooks }: HookedCall<ToolCallOutcome, Told>,
  giveUp: GiveUp,
): Promise<ToolCallOutcome> {
  const before = giveUp('BeforeTool');
  if (before?.verdict.blocked) return { ...told, status: 'blocked', before, stop: false };
  const done = await withoutHooks();
  const after = giveUp('AfterTool');
  return { ...done, ...(before && { before }), ...(after && { after }) };
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
