import type { ToolCallPorts, ToolInput } from '../../machines/tool-call.ts';
import type { EventContext } from '../dialects/event-context.ts';
import type { HookSystemConfig } from '../hooks/config.ts';
import type { HookSystem } from '../hooks/hook-system.ts';
import { messageOf } from '../hooks/message-of.ts';
import { BeforeToolHookOutput } from '../protocol/output-classes.ts';
import { errorResult, type ToolResult } from '../protocol/tool-result.ts';
import { hookResult, planHooks } from './plan-hooks.ts';

/** Runs the tool with the arguments that the hooks left. */
export type ExecuteTool = (toolInput: ToolInput, signal: AbortSignal) => Promise<ToolResult>;

/** What the engine does for the `toolCall` machine. */
export function toolCallPorts(
  config: HookSystemConfig,
  system: HookSystem | undefined,
  toolName: string,
  execute: ExecuteTool,
  context: EventContext,
): ToolCallPorts {
  return {
    planBefore: (toolInput) =>
      planHooks(
        config,
        system,
        'BeforeTool',
        () => ({ tool_name: toolName, tool_input: toolInput }),
        toolName,
        context,
      ),
    planAfter: (toolInput, result) =>
      planHooks(
        config,
        system,
        'AfterTool',
        () => ({
          tool_name: toolName,
          tool_input: toolInput,
          tool_response: toolResponse(result as ToolResult),
        }),
        toolName,
        context,
      ),
    rewrite: (toolInput, before) => {
      const { finalOutput: output, toolInput: replaced } = hookResult(before) ?? {};
      if (replaced) return replaced;
      const change =
        output instanceof BeforeToolHookOutput ? output.getModifiedToolInput() : undefined;
      return change ? { ...toolInput, ...change } : toolInput;
    },
    execute,
    failure: failedResult,
  };
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
  return errorResult(messageOf(error), error instanceof Error ? error.name : 'Error');
}
