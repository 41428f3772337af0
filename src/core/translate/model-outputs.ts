import type { HookEventName } from '../protocol/events.ts';
import { createToolHookOutput, DefaultHookOutput, type HookOutput } from '../protocol/output.ts';
import type { GenAIRequest, GenAIResponse, GenAIToolConfig } from './genai-types.ts';
import { defaultHookTranslator, stopResponse } from './genai-v1.ts';
import { normalizeHookLLMRequest, normalizeHookToolConfig } from './request.ts';
import { fromFinalResponse, normalizeHookLLMResponse } from './response.ts';
import { isRecord } from '../../base/json.ts';

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;

/** A BeforeModel output, which may change the request or answer in the model's place. */
export class BeforeModelHookOutput extends DefaultHookOutput {
  /** Returns a hook's answer in the model's place; a stop alone does not make one. */
  getSyntheticResponse(): GenAIResponse | undefined {
    const { response } = normalizeHookLLMResponse(this.hookSpecificOutput?.['llm_response']);
    return response && defaultHookTranslator.fromHookLLMResponse(response);
  }

  /** Returns the request with the hooks' changes; the given one stays unchanged. */
  applyLLMRequestModifications<Target extends GenAIRequest>(target: Target): Target {
    const { request } = normalizeHookLLMRequest(this.hookSpecificOutput?.['llm_request']);
    return isEmpty(request) ? target : defaultHookTranslator.fromHookLLMRequest(request, target);
  }
}

/** An AfterModel output, which may change or replace the response. */
export class AfterModelHookOutput extends DefaultHookOutput {
  /**
   * Returns the hooks' response, else the reason of a stop in its place. If the
   * model's own response is given, the parts that hooks cannot see stay, above all its tool calls: these
   * are removed only if a hook blocks or stops.
   */
  getModifiedResponse(original?: GenAIResponse): GenAIResponse | undefined {
    const { response } = normalizeHookLLMResponse(
      this.hookSpecificOutput?.['llm_response'],
      isRecord(original) ? defaultHookTranslator.toHookLLMResponse(original) : undefined,
    );
    const ends = this.isBlockingDecision() || this.shouldStopExecution();
    if (response && ends) return fromFinalResponse(response, original);
    if (response) return defaultHookTranslator.fromHookLLMResponse(response, original);
    if (!this.shouldStopExecution()) return undefined;
    return stopResponse(this.stopReason || this.reason || 'Execution stopped by hook');
  }
}

/** A BeforeToolSelection output: restricts which tools may be called, and removes none. */
export class BeforeToolSelectionHookOutput extends DefaultHookOutput {
  /** Returns the config with the hooks' tool config; `tools` and all else stay unchanged. */
  applyToolConfigModifications<Target extends { readonly toolConfig?: GenAIToolConfig }>(
    target: Target,
  ): Target {
    const { toolConfig } = normalizeHookToolConfig(this.hookSpecificOutput?.['toolConfig']);
    if (isEmpty(toolConfig)) return target;
    const before = target.toolConfig;
    return { ...target, toolConfig: defaultHookTranslator.fromHookToolConfig(toolConfig, before) };
  }
}

/**
 * The general factory. The model events have classes of their own; any other event gets a plain output,
 * which ignores `permissionDecision` for BeforeTool.
 *
 * @example
 * createHookOutput('BeforeTool', { decision: 'deny' }).isBlockingDecision(); // true
 */
export function createHookOutput(event: HookEventName, output: HookOutput): DefaultHookOutput {
  switch (event) {
    case 'BeforeModel':
      return new BeforeModelHookOutput(output);
    case 'AfterModel':
      return new AfterModelHookOutput(output);
    case 'BeforeToolSelection':
      return new BeforeToolSelectionHookOutput(output);
    default:
      return new DefaultHookOutput(output);
  }
}

/** Wraps a merged output in its event's class; BeforeTool's honours `permissionDecision`. */
export const createSpecificHookOutput = (
  output: HookOutput,
  event: HookEventName,
): DefaultHookOutput => createToolHookOutput(output, event) ?? createHookOutput(event, output);
