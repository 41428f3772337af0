import type { ToolCallOutcome, ToolCallPorts, ToolInput } from '../../machines/tool-call.ts';
import type { HookSystemConfig } from '../hooks/config.ts';
import { abortReason } from '../hooks/abort-reason.ts';
import type { Verdict } from '../hooks/plan-input.ts';
import { BeforeToolHookOutput } from '../protocol/output-classes.ts';
import { errorResult, type ToolResult } from '../protocol/tool-result.ts';
import { applyToolEffects, type AppliedToolCall } from './tool-effects.ts';
import { readyHookSystem } from './ready-hook-system.ts';

/** One call of a tool, as a model asks for it. */
export interface ToolCallRequest {
  /** Ties the call to its result. */
  readonly id: string;
  readonly name: string;
  readonly input: ToolInput;
}

/** Runs the tool with the arguments that the hooks left. */
export type ExecuteTool = (toolInput: ToolInput, signal: AbortSignal) => Promise<ToolResult>;

/** A tool call that has ended. */
export interface EndedToolCall extends AppliedToolCall {
  readonly outcome: ToolCallOutcome;
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
  if (signal.aborted) {
    const outcome = cancelled({ toolInput: request.input, failures: [] }, signal);
    return { ...applyToolEffects(outcome), outcome };
  }
  // A tool that throws before it returns a promise fails like any other.
  const execute: ExecuteTool = async (...args) => executeTool(...args);
  const system = await readyHookSystem(config);
  const isWatched = config.inspect !== undefined;
  const matches = (event: 'BeforeTool' | 'AfterTool'): boolean =>
    system?.hasHooksFor(event, request.name) ?? false;
  if (!isWatched && !matches('BeforeTool') && !matches('AfterTool'))
    return runBare(request, execute, signal);

  const handler = system?.getEventHandler();
  const ports: ToolCallPorts = {
    planBefore: (toolInput) =>
      handler?.prepare(
        'BeforeTool',
        () => ({ tool_name: request.name, tool_input: toolInput }),
        request.name,
      ),
    planAfter: (toolInput, result) =>
      handler?.prepare(
        'AfterTool',
        () => ({
          tool_name: request.name,
          tool_input: toolInput,
          tool_response: toolResponse(result as unknown as ToolResult),
        }),
        request.name,
      ),
    rewrite: (toolInput, { verdict }) => {
      const output = (verdict as Verdict).result.finalOutput;
      const change =
        output instanceof BeforeToolHookOutput ? output.getModifiedToolInput() : undefined;
      return change ? { ...toolInput, ...change } : toolInput;
    },
    execute: async (toolInput, toolSignal) => ({ ...(await execute(toolInput, toolSignal)) }),
    failure: (error) => ({ ...thrownResult(error) }),
  };
  const [{ toolCall }, { runMachine }] = await Promise.all([
    import('../hooks/actors.ts'),
    import('../hooks/run-machine.ts'),
  ]);
  const outcome = await runMachine(
    toolCall,
    { id: request.id, toolName: request.name, toolInput: request.input, ports },
    { signal, inspect: config.inspect },
  );
  for (const { phase, error } of outcome.failures)
    handler?.warn(`${phase}: the hooks broke (${String(error)}); the call went on without them`);
  return { ...applyToolEffects(outcome), outcome };
}

/** The tool alone, as if there were no hooks. */
async function runBare(
  { input }: ToolCallRequest,
  execute: ExecuteTool,
  signal: AbortSignal,
): Promise<EndedToolCall> {
  const told = { toolInput: input, failures: [] };
  const result = await new Promise<ToolResult | undefined>((resolve) => {
    const abort = (): void => resolve(undefined);
    signal.addEventListener('abort', abort, { once: true });
    const finish = (ended: ToolResult): void => {
      signal.removeEventListener('abort', abort);
      resolve(ended);
    };
    void execute(input, signal).catch(thrownResult).then(finish);
  });
  const outcome: ToolCallOutcome = result
    ? { ...told, status: 'done', result: { ...result } }
    : cancelled(told, signal);
  return { ...applyToolEffects(outcome), outcome };
}

const cancelled = (
  told: Pick<ToolCallOutcome, 'toolInput' | 'failures'>,
  signal: AbortSignal,
): ToolCallOutcome => ({ ...told, status: 'cancelled', reason: abortReason(signal) });

/** What AfterTool hooks see of a result (HOOK-026, C-69). */
export const toolResponse = ({ llmContent, returnDisplay, metadata, error }: ToolResult) => ({
  llmContent,
  returnDisplay,
  ...(metadata && { metadata }),
  ...(error && { error }),
});

function thrownResult(error: unknown): ToolResult {
  const { message, name } = error instanceof Error ? error : new Error(String(error));
  return errorResult(message, name);
}
