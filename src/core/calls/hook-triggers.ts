import type { ToolInput } from '../../../machines/tool-call.ts';
import type { FireOptions } from '../run/planned-event.ts';
import type { CallHost } from './call-host.ts';
import { warnPlainly, type WarningSink } from '../../base/log.ts';
import type { DefaultHookOutput } from '../protocol/output.ts';
import type { ToolResult } from '../protocol/tool-result.ts';
import type { GenAIRequest, GenAIResponse, GenAIToolConfig } from '../translate/genai-types.ts';
import { defaultHookTranslator, dropsFunctionCalls } from '../translate/genai-v1.ts';
import {
  AfterModelHookOutput,
  BeforeModelHookOutput,
  BeforeToolSelectionHookOutput,
} from '../translate/model-outputs.ts';
import { commonEffects } from '../answers/results.ts';
import { finalOutputOf } from './event-hooks.ts';
import { toolResponse } from './tool-effects.ts';
import { defined, isRecord } from '../../base/json.ts';

/**
 * Fires BeforeTool. Returns undefined if no hook gave output; never throws.
 * The caller tests `isBlockingDecision()` and applies the rest itself.
 */
export function fireBeforeToolHook(
  config: CallHost,
  toolName: string,
  toolInput: ToolInput,
  options?: FireOptions,
): Promise<DefaultHookOutput | undefined> {
  return finalOutputOf(config, 'BeforeTool', toolName, (handler) =>
    handler.fireBeforeToolEvent(toolName, toolInput, options),
  );
}

/**
 * Fires AfterTool. Returns undefined if no hook gave output; never throws. A hook of a
 * dialect that may replace the result gives the replacement as `hookSpecificOutput.tool_response`.
 */
export function fireAfterToolHook(
  config: CallHost,
  toolName: string,
  toolInput: ToolInput,
  result: ToolResult,
  options?: FireOptions,
): Promise<DefaultHookOutput | undefined> {
  return finalOutputOf(config, 'AfterTool', toolName, (handler) =>
    handler.fireAfterToolEvent(toolName, toolInput, toolResponse(result), options),
  );
}

/** What every model hook may return besides its event's own output. */
interface CommonHookResult {
  /** Whether the agent must stop. */
  readonly shouldStop: boolean;
  readonly stopReason?: string;
  /** For the model, never for the user. */
  readonly systemMessage?: string;
  /** Whether the call's result must not be shown to the user. */
  readonly suppressOutput: boolean;
}

/** The result of BeforeModel hooks. */
export interface BeforeModelHookResult extends CommonHookResult {
  /** The model must not be called: a hook blocked the call, or stops the agent. */
  readonly blocked: boolean;
  readonly reason?: string;
  /** The answer that replaces the model's; if there is none, the response is empty. */
  readonly syntheticResponse?: GenAIResponse;
  /** The request to send instead of the original. */
  readonly modifiedRequest?: GenAIRequest;
}

/** The result of AfterModel hooks. */
export interface AfterModelHookResult extends CommonHookResult {
  /** The response to continue with: a changed one, or the model's own. */
  readonly response: GenAIResponse;
}

/** The result of BeforeToolSelection hooks. */
export interface BeforeToolSelectionHookResult extends CommonHookResult {
  /** The tool config to send; absent if hooks did not set one. */
  readonly toolConfig?: GenAIToolConfig;
  /** The request's tools, unchanged: hooks restrict calls and never remove definitions. */
  readonly tools?: unknown;
}

const { toHookLLMRequest, toHookLLMResponse } = defaultHookTranslator;

/** Fires BeforeModel. Never throws: if something fails, the call goes ahead. */
export async function fireBeforeModelHook(
  config: CallHost,
  request: GenAIRequest,
  options?: FireOptions,
): Promise<BeforeModelHookResult> {
  const output = await finalOutputOf(config, 'BeforeModel', undefined, (handler) =>
    handler.fire('BeforeModel', { llm_request: toHookLLMRequest(request) }, options),
  );
  const common = commonResult(output);
  if (output?.isBlockingDecision() || output?.shouldStopExecution()) {
    const answer = syntheticResponse(output);
    return {
      blocked: true,
      reason: output.getBlockReason(),
      ...(answer && { syntheticResponse: answer }),
      ...common,
    };
  }
  const modified = withChanges(request, output);
  return { blocked: false, ...(modified !== request && { modifiedRequest: modified }), ...common };
}

/** Fires AfterModel, once for the whole response. Never throws. */
export async function fireAfterModelHook(
  config: CallHost,
  request: GenAIRequest,
  response: GenAIResponse,
  options?: FireOptions,
): Promise<AfterModelHookResult> {
  const output = await finalOutputOf(config, 'AfterModel', undefined, (handler) =>
    handler.fire(
      'AfterModel',
      { llm_request: toHookLLMRequest(request), llm_response: toHookLLMResponse(response) },
      options,
    ),
  );
  return { response: revisedResponse(response, output, config.onWarning), ...commonResult(output) };
}

/** Fires BeforeToolSelection. Never throws. */
export async function fireBeforeToolSelectionHook(
  config: CallHost,
  request: GenAIRequest & { readonly config?: { readonly tools?: unknown } },
  options?: FireOptions,
): Promise<BeforeToolSelectionHookResult> {
  const output = await finalOutputOf(config, 'BeforeToolSelection', undefined, (handler) =>
    handler.fire('BeforeToolSelection', { llm_request: toHookLLMRequest(request) }, options),
  );
  const selected = withToolConfig(request, output);
  const toolConfig = selected === request ? undefined : selected.config?.toolConfig;
  const tools = isRecord(request) ? request.config?.tools : undefined;
  return {
    ...(toolConfig && { toolConfig }),
    ...(tools !== undefined && { tools }),
    ...commonResult(output),
  };
}

const commonResult = (output: DefaultHookOutput | undefined): CommonHookResult =>
  defined<CommonHookResult>(commonEffects(output));

type Output = DefaultHookOutput | undefined;

/**
 * Returns the request with the tool config of BeforeToolSelection hooks, or the same object if they gave
 * none.
 */
export function withToolConfig<Request extends GenAIRequest>(
  request: Request,
  output: Output,
): Request {
  if (output === undefined || !isRecord(request)) return request;
  const before = request.config ?? {};
  const config = new BeforeToolSelectionHookOutput(output).applyToolConfigModifications(before);
  return config === before ? request : { ...request, config };
}

/** Returns the request with the changes of BeforeModel hooks, or the same object if they made none. */
export const withChanges = <Request extends GenAIRequest>(
  request: Request,
  output: Output,
): Request =>
  output ? new BeforeModelHookOutput(output).applyLLMRequestModifications(request) : request;

/** The answer that BeforeModel hooks give in the model's place. */
export const syntheticResponse = (output: Output): GenAIResponse | undefined =>
  output && new BeforeModelHookOutput(output).getSyntheticResponse();

/**
 * Returns the response as AfterModel hooks left it. The model's tool calls stay unless a hook blocks or
 * stops; lost ones are reported.
 */
export function revisedResponse(
  response: GenAIResponse,
  output: Output,
  onWarning: WarningSink | undefined,
): GenAIResponse {
  const revised = output && new AfterModelHookOutput(output).getModifiedResponse(response);
  if (revised === undefined) return response;
  if (!output?.shouldStopExecution() && dropsFunctionCalls(response, revised))
    warnPlainly(
      onWarning,
      "AfterModel: the changed response lost some of the model's tool calls, because a hook blocked it or omitted the candidate they belong to",
    );
  return revised;
}
