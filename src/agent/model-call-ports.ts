import type { ModelCallPorts, ModelRequest } from '../../machines/model-call.ts';
import type { HookSystemConfig } from '../hooks/config.ts';
import type { HookSystem } from '../hooks/hook-system.ts';
import type { GenAIRequest, GenAIResponse } from '../translate/genai-types.ts';
import { defaultHookTranslator, dropsFunctionCalls } from '../translate/genai-v1.ts';
import {
  AfterModelHookOutput,
  BeforeModelHookOutput,
  BeforeToolSelectionHookOutput,
} from '../translate/model-outputs.ts';
import { withSystemMessage } from '../translate/system-message.ts';
import { hookResult, planHooks } from './plan-hooks.ts';

/** Asks the model for one whole response. */
export type CallModel = (request: GenAIRequest, signal: AbortSignal) => Promise<GenAIResponse>;

const { toHookLLMRequest, toHookLLMResponse } = defaultHookTranslator;

/** The machine passes requests through unseen. */
const asRequest = (request: ModelRequest): GenAIRequest => request as GenAIRequest;

/** What the engine does for the `modelCall` machine: it alone knows the SDK's shapes (HOOK-141). */
export function modelCallPorts(
  config: HookSystemConfig,
  system: HookSystem | undefined,
  callModel: CallModel,
): ModelCallPorts {
  return {
    planSelection: (request) =>
      planHooks(config, system, 'BeforeToolSelection', () => ({
        llm_request: toHookLLMRequest(asRequest(request)),
      })),
    planBefore: (request) =>
      planHooks(config, system, 'BeforeModel', () => ({
        llm_request: toHookLLMRequest(asRequest(request)),
      })),
    planAfter: (request, response) =>
      planHooks(config, system, 'AfterModel', () => ({
        llm_request: toHookLLMRequest(asRequest(request)),
        llm_response: toHookLLMResponse(response),
      })),
    selectTools: (request, outcome) => {
      const output = hookResult(outcome)?.finalOutput;
      const told = withSystemMessage(asRequest(request), output?.systemMessage);
      return output instanceof BeforeToolSelectionHookOutput
        ? { ...told, config: output.applyToolConfigModifications(told.config ?? {}) }
        : told;
    },
    rewrite: (request, outcome) => {
      const output = hookResult(outcome)?.finalOutput;
      const rewritten =
        output instanceof BeforeModelHookOutput
          ? output.applyLLMRequestModifications(asRequest(request))
          : asRequest(request);
      return withSystemMessage(rewritten, output?.systemMessage);
    },
    synthetic: (outcome) => {
      const output = hookResult(outcome)?.finalOutput;
      const answer =
        output instanceof BeforeModelHookOutput ? output.getSyntheticResponse() : undefined;
      return answer;
    },
    call: (request, signal) => callModel(asRequest(request), signal),
    revise: (response, outcome) => {
      const output = hookResult(outcome)?.finalOutput;
      const revised =
        output instanceof AfterModelHookOutput ? output.getModifiedResponse(response) : undefined;
      if (revised && dropsFunctionCalls(response, revised))
        system
          ?.getEventHandler()
          .warn(
            'AfterModel: the changed response has lost its tool calls, for hooks see text only; leave a response with tool calls as it is',
          );
      return revised ?? response;
    },
  };
}
