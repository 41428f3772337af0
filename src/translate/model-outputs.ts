import type { HookEventName } from '../protocol/events.ts';
import {
  createToolHookOutput,
  DefaultHookOutput,
  type HookOutput,
  isRecord,
} from '../protocol/output.ts';
import type { GenAIRequest, GenAIResponse, GenAIToolConfig } from './genai-types.ts';
import { defaultHookTranslator, stopResponse } from './genai-v1.ts';
import { normalizeHookLLMRequest, normalizeHookToolConfig } from './request.ts';
import { fromFinalResponse, normalizeHookLLMResponse } from './response.ts';

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;

/** A BeforeModel output: it may change the request, or answer in the model's place. */
export class BeforeModelHookOutput extends DefaultHookOutput {
  /** The answer in the model's place; only a hook's own, a stop alone makes none (HOOK-036, 194). */
  getSyntheticResponse(): GenAIResponse | undefined {
    const { response } = normalizeHookLLMResponse(this.hookSpecificOutput?.['llm_response']);
    return response && defaultHookTranslator.fromHookLLMResponse(response);
  }

  /** The request with the hooks' changes; the given one is left as it is (HOOK-038, 078). */
  applyLLMRequestModifications<Target extends GenAIRequest>(target: Target): Target {
    const { request } = normalizeHookLLMRequest(this.hookSpecificOutput?.['llm_request']);
    return isEmpty(request) ? target : defaultHookTranslator.fromHookLLMRequest(request, target);
  }
}

/** An AfterModel output: it may change or replace the response. */
export class AfterModelHookOutput extends DefaultHookOutput {
  /**
   * The hooks' response, else what a stop says in its place (HOOK-046 to 048, C-82). With the model's
   * own response given, what hooks cannot see of it stays, its tool calls above all: they go only where
   * a hook blocks or stops (C-86).
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

/** A BeforeToolSelection output: it restricts which tools may be called, and never removes one (HOOK-167, 168). */
export class BeforeToolSelectionHookOutput extends DefaultHookOutput {
  /** The config with the hooks' tool config; `tools` and all else stay as they are (HOOK-055, 056). */
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
 * The general factory: the model events have classes of their own, any other event gets a plain
 * output, which for BeforeTool ignores `permissionDecision` (HOOK-200).
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

/** The class that a merged output is wrapped in; for BeforeTool it honours `permissionDecision` (HOOK-200). */
export const createSpecificHookOutput = (
  output: HookOutput,
  event: HookEventName,
): DefaultHookOutput => createToolHookOutput(output, event) ?? createHookOutput(event, output);
