import type { ToolCallOutcome, ToolInput } from '../../machines/tool-call.ts';
import type { HookSystemConfig } from '../hooks/config.ts';
import { messageOf } from '../hooks/message-of.ts';
import { onAbort } from '../hooks/on-abort.ts';
import type { AggregatedHookResult } from '../hooks/results.ts';
import type { ToolResult } from '../protocol/tool-result.ts';
import { hookResult } from './plan-hooks.ts';
import { readyHookSystem, withoutHooks } from './ready-hook-system.ts';
import { failedResult, toolCallPorts, type ExecuteTool } from './tool-call-ports.ts';
import { applyToolEffects, type AppliedToolCall } from './tool-effects.ts';

/** One call of a tool, as a model asks for it. */
export interface ToolCallRequest {
  /** Ties the call to its result. */
  readonly id: string;
  readonly name: string;
  readonly input: ToolInput;
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
export async function runToolCall(
  config: HookSystemConfig,
  request: ToolCallRequest,
  executeTool: ExecuteTool,
  signal: AbortSignal = new AbortController().signal,
): Promise<EndedToolCall> {
  const outcome = await outcomeOf(config, request, alwaysEnding(executeTool), signal);
  const before = hookResult(outcome.before);
  const after = hookResult(outcome.after);
  return {
    ...applyToolEffects(outcome, before?.finalOutput, after?.finalOutput),
    outcome,
    ...(before && { before }),
    ...(after && { after }),
  };
}

async function outcomeOf(
  config: HookSystemConfig,
  request: ToolCallRequest,
  execute: ExecuteTool,
  signal: AbortSignal,
): Promise<ToolCallOutcome> {
  // Nothing is awaited on the way to a tool that no hook is meant for (HOOK-013).
  const ready = readyHookSystem(config);
  const system = ready instanceof Promise ? await ready : ready;
  const isWatched = config.inspect !== undefined;
  const hasHooks = (['BeforeTool', 'AfterTool'] as const).some((event) =>
    system?.hasHooksFor(event, request.name),
  );
  if (!isWatched && !hasHooks) return runBare(request, execute, signal);
  const [{ toolCall }, { runMachine }] = await Promise.all([
    import('../hooks/actors.ts'),
    import('../hooks/run-machine.ts'),
  ]);
  if (signal.aborted) return cancelled(request, signal);
  const outcome = await runMachine(
    toolCall,
    {
      id: request.id,
      toolName: request.name,
      toolInput: request.input,
      ports: toolCallPorts(config, system, request.name, execute),
    },
    { signal, inspect: config.inspect },
  );
  for (const { phase, error } of outcome.failures)
    withoutHooks(config, `${phase}: the hooks broke`, error);
  return outcome;
}

/** The tool alone, as if there were no hooks; it need not settle once the call is cancelled. */
function runBare(
  request: ToolCallRequest,
  execute: ExecuteTool,
  signal: AbortSignal,
): ToolCallOutcome | Promise<ToolCallOutcome> {
  if (signal.aborted) return cancelled(request, signal);
  return new Promise((resolve) => {
    const stopWaiting = onAbort(signal, () => resolve(cancelled(request, signal)));
    const finish = (result: ToolResult): void => {
      stopWaiting();
      resolve({ status: 'done', toolInput: request.input, failures: [], result });
    };
    void execute(request.input, signal).catch(failedResult).then(finish);
  });
}

const cancelled = ({ input }: ToolCallRequest, signal: AbortSignal): ToolCallOutcome => ({
  status: 'cancelled',
  toolInput: input,
  failures: [],
  reason: messageOf(signal.reason),
});

/** Whatever a tool does, it ends later and with a result: one that throws at once, or that gives nothing (a host need not be TypeScript). */
const alwaysEnding =
  (executeTool: ExecuteTool): ExecuteTool =>
  async (toolInput, signal) =>
    (await executeTool(toolInput, signal)) ?? { llmContent: '', returnDisplay: '' };
