import type { ToolInput } from '../../machines/tool-call.ts';
import type { HookSystemConfig } from '../hooks/config.ts';
import type { FireOptions } from '../hooks/hook-event-handler.ts';
import type { DefaultHookOutput } from '../protocol/output-classes.ts';
import type { ToolResult } from '../protocol/tool-result.ts';
import { finalOutputOf } from './final-output.ts';
import { newCallId } from './new-call-id.ts';
import type { ExecuteTool } from './run-tool.ts';
import { toolResponse } from './tool-call-ports.ts';
import { runToolCall, type EndedToolCall } from './tool-call.ts';

/**
 * Fires BeforeTool (HOOK-127, 150). Undefined when no hook said anything; never throws (HOOK-111, 115).
 * The caller tests `isBlockingDecision()` and applies the rest itself (HOOK-217).
 */
export function fireBeforeToolHook(
  config: HookSystemConfig,
  toolName: string,
  toolInput: ToolInput,
  options?: FireOptions,
): Promise<DefaultHookOutput | undefined> {
  return finalOutputOf(config, 'BeforeTool', toolName, (handler) =>
    handler.fireBeforeToolEvent(toolName, toolInput, options),
  );
}

/**
 * Fires AfterTool (HOOK-128, 151). Undefined when no hook said anything; never throws. A hook of a
 * dialect that may replace the result gives it as `hookSpecificOutput.tool_response`.
 */
export function fireAfterToolHook(
  config: HookSystemConfig,
  toolName: string,
  toolInput: ToolInput,
  result: ToolResult,
  options?: FireOptions,
): Promise<DefaultHookOutput | undefined> {
  return finalOutputOf(config, 'AfterTool', toolName, (handler) =>
    handler.fireAfterToolEvent(toolName, toolInput, toolResponse(result), options),
  );
}

/**
 * A tool call with its hooks: BeforeTool, the tool, AfterTool (HOOK-133). A blocked call never runs
 * the tool; its result tells the model why (HOOK-017, 183). Never throws: a tool that throws is a
 * result with `error`. A request to stop the agent is lost here, for a `ToolResult` has no place for
 * it (C-65): a loop that must stop uses `ToolScheduler`.
 *
 * @example
 * const result = await executeToolWithHooks(config, 'write_file', input, (input) => write(input));
 */
export function executeToolWithHooks(
  config: HookSystemConfig,
  toolName: string,
  toolInput: ToolInput,
  executeFn: ExecuteTool,
  options?: FireOptions,
): Promise<ToolResult> {
  const { signal, ...context } = options ?? {};
  const request = { id: newCallId(), name: toolName, input: toolInput };
  return runToolCall(config, request, executeFn, signal, context).then(resultOf);
}

const resultOf = ({ toolResult }: EndedToolCall): ToolResult => toolResult;
