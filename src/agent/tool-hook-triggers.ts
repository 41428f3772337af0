import type { ToolInput } from '../../machines/tool-call.ts';
import type { HookSystemConfig } from '../hooks/hook-system-config.ts';
import type { FireOptions } from '../hooks/hook-event-handler.ts';
import type { DefaultHookOutput } from '../protocol/output.ts';
import type { ToolResult } from '../protocol/tool-result.ts';
import { finalOutputOf } from './event-hooks.ts';
import { newCallId } from './run-call.ts';
import {
  type EndedToolCall,
  type ExecuteTool,
  runToolCall,
  type StopRequest,
  toolResponse,
} from './tool-call.ts';

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

/** What a tool gave, with the effects of its hooks. */
export interface HookedToolResult extends ToolResult {
  /** A hook wants the agent to stop, and why: end the loop, and show the reason to the user. */
  readonly stop?: StopRequest;
}

/**
 * A tool call with its hooks: BeforeTool, the tool, AfterTool (HOOK-133). A blocked call never runs
 * the tool; its result tells the model why (HOOK-017, 183). Never throws: a tool that throws is a
 * result with `error`. Where a hook wants the agent to stop, the result has a `stop` with the reason for
 * the user (C-65).
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
): Promise<HookedToolResult> {
  const request = { id: newCallId(), name: toolName, input: toolInput };
  return runToolCall(config, request, executeFn, options).then(resultOf);
}

const resultOf = ({ toolResult, stop }: EndedToolCall): HookedToolResult =>
  stop ? { ...toolResult, stop } : toolResult;
