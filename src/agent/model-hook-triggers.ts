import type { HookSystemConfig } from '../hooks/hook-system-config.ts';
import type { FireOptions } from '../hooks/hook-event-handler.ts';
import { commonEffects } from '../hooks/processed-result.ts';
import { defined } from '../protocol/defined.ts';
import type { DefaultHookOutput } from '../protocol/output-classes.ts';
import { isRecord } from '../protocol/output.ts';
import type { GenAIRequest, GenAIResponse, GenAIToolConfig } from '../translate/genai-types.ts';
import { defaultHookTranslator } from '../translate/genai-v1.ts';
import { finalOutputOf } from './final-output.ts';
import {
  revisedResponse,
  syntheticResponse,
  withChanges,
  withToolConfig,
} from './model-effects.ts';

/** What every model hook may say beside its own answer (C-50, C-61, C-83). */
interface CommonHookResult {
  /** The agent is to stop. */
  readonly shouldStop: boolean;
  readonly stopReason?: string;
  /** For the model, never for the user. */
  readonly systemMessage?: string;
  /** What comes of the call is not for the user. */
  readonly suppressOutput: boolean;
}

/** HOOK-135, 184. */
export interface BeforeModelHookResult extends CommonHookResult {
  /** The model is not to be asked: a hook blocked the call, or stops the agent. */
  readonly blocked: boolean;
  readonly reason?: string;
  /** The answer in the model's place; with none, the call has an empty response. */
  readonly syntheticResponse?: GenAIResponse;
  /** The request to send in place of the original. */
  readonly modifiedRequest?: GenAIRequest;
}

/** HOOK-136. */
export interface AfterModelHookResult extends CommonHookResult {
  /** The response to go on with: changed, or the model's own. */
  readonly response: GenAIResponse;
}

/** HOOK-137. */
export interface BeforeToolSelectionHookResult extends CommonHookResult {
  /** The tool config to send; absent when hooks said nothing of it. */
  readonly toolConfig?: GenAIToolConfig;
  /** As they were: hooks restrict calls and never remove definitions (HOOK-167). */
  readonly tools?: unknown;
}

const { toHookLLMRequest, toHookLLMResponse } = defaultHookTranslator;

/** Fires BeforeModel (HOOK-152). Never throws: what breaks lets the call go on (HOOK-116). */
export async function fireBeforeModelHook(
  config: HookSystemConfig,
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

/** Fires AfterModel, once for the whole response (HOOK-050, 153). Never throws. */
export async function fireAfterModelHook(
  config: HookSystemConfig,
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

/** Fires BeforeToolSelection (HOOK-154, 205). Never throws. */
export async function fireBeforeToolSelectionHook(
  config: HookSystemConfig,
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
