import type { HookEventInput, HookEventOutcome } from '../../machines/hook-event.ts';
import type { ToolCallPorts, ToolCallResult, ToolInput } from '../../machines/tool-call.ts';
import type { EventContext } from '../dialects/event-context.ts';
import type { HookSystem } from '../hooks/hook-system.ts';
import { messageOf } from '../hooks/message-of.ts';
import type { HookEventFields } from '../protocol/input.ts';
import { BeforeToolHookOutput } from '../protocol/output-classes.ts';
import { errorResult, type ToolResult } from '../protocol/tool-result.ts';
import { hookResult, planHooks } from './plan-hooks.ts';
import { runTool, type ExecuteTool } from './run-tool.ts';

/** What the engine does for the `toolCall` machine. A class, for every call under way holds one: closures would take three times as much. */
export class EngineToolCallPorts implements ToolCallPorts {
  readonly #system: HookSystem | undefined;
  readonly #toolName: string;
  readonly #executeTool: ExecuteTool;
  readonly #context: EventContext;

  constructor(
    system: HookSystem | undefined,
    toolName: string,
    executeTool: ExecuteTool,
    context: EventContext,
  ) {
    this.#system = system;
    this.#toolName = toolName;
    this.#executeTool = executeTool;
    this.#context = context;
  }

  planBefore(toolInput: ToolInput): HookEventInput | undefined {
    return this.#plan('BeforeTool', () => ({ tool_name: this.#toolName, tool_input: toolInput }));
  }

  planAfter(toolInput: ToolInput, result: ToolCallResult): HookEventInput | undefined {
    return this.#plan('AfterTool', () => ({
      tool_name: this.#toolName,
      tool_input: toolInput,
      tool_response: toolResponse(result as ToolResult),
    }));
  }

  rewrite(toolInput: ToolInput, before: HookEventOutcome): ToolInput {
    const { finalOutput: output, toolInput: replaced } = hookResult(before) ?? {};
    if (replaced) return replaced;
    const change =
      output instanceof BeforeToolHookOutput ? output.getModifiedToolInput() : undefined;
    return change ? { ...toolInput, ...change } : toolInput;
  }

  execute(toolInput: ToolInput, signal: AbortSignal): Promise<ToolResult> {
    return runTool(this.#executeTool, toolInput, signal);
  }

  failure(error: unknown): ToolResult {
    return failedResult(error);
  }

  #plan<Event extends 'BeforeTool' | 'AfterTool'>(
    event: Event,
    fields: () => HookEventFields[Event],
  ): HookEventInput | undefined {
    return planHooks(this.#system, event, fields, this.#toolName, this.#context);
  }
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
