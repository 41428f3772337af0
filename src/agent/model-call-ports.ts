import type { HookEventInput } from '../../machines/hook-event.ts';
import type { ModelCallPorts, ModelRequest } from '../../machines/model-call.ts';
import type { HookSystemConfig } from '../hooks/config.ts';
import type { HookSystem } from '../hooks/hook-system.ts';
import type { AggregatedHookResult } from '../hooks/results.ts';
import type { HookEventFields } from '../protocol/input.ts';
import type { GenAIRequest, GenAIResponse } from '../translate/genai-types.ts';
import { defaultHookTranslator } from '../translate/genai-v1.ts';
import { withSystemMessage } from '../translate/system-message.ts';
import {
  revisedResponse,
  syntheticResponse,
  withChanges,
  withToolConfig,
} from './model-effects.ts';
import { hookResult, planHooks, tellResult } from './plan-hooks.ts';

/** The events of a model call, in their order (C-89). */
export const modelEvents = ['BeforeToolSelection', 'BeforeModel', 'AfterModel'] as const;
export type ModelEvent = (typeof modelEvents)[number];

/** Asks the model for one whole response. */
export type CallModel = (request: GenAIRequest, signal: AbortSignal) => Promise<GenAIResponse>;

/** Told of what the hooks of an event did, as soon as they have spoken. */
export type OnHooks = (event: ModelEvent, result: AggregatedHookResult) => void;

const { toHookLLMRequest, toHookLLMResponse } = defaultHookTranslator;

/** The machine passes requests through unseen. */
const asRequest = (request: ModelRequest): GenAIRequest => request as GenAIRequest;

/** What the engine does for the `modelCall` machine: it alone knows the SDK's shapes (HOOK-141). */
export function modelCallPorts(
  config: HookSystemConfig,
  system: HookSystem | undefined,
  callModel: CallModel,
  onHooks: OnHooks,
): ModelCallPorts {
  const plan = <Event extends ModelEvent>(
    event: Event,
    fields: () => HookEventFields[Event],
  ): HookEventInput | undefined =>
    tellResult(planHooks(system, event, fields), (result) => onHooks(event, result));
  return {
    // Without tools there is nothing to select from (HOOK-053).
    planSelection: (request) =>
      hasTools(asRequest(request))
        ? plan('BeforeToolSelection', () => ({ llm_request: toHookLLMRequest(asRequest(request)) }))
        : undefined,
    planBefore: (request) =>
      plan('BeforeModel', () => ({ llm_request: toHookLLMRequest(asRequest(request)) })),
    planAfter: (request, response) =>
      plan('AfterModel', () => ({
        llm_request: toHookLLMRequest(asRequest(request)),
        llm_response: toHookLLMResponse(response),
      })),
    selectTools: (request, outcome) => {
      const output = hookResult(outcome)?.finalOutput;
      return withSystemMessage(withToolConfig(asRequest(request), output), output?.systemMessage);
    },
    rewrite: (request, outcome) => {
      const output = hookResult(outcome)?.finalOutput;
      return withSystemMessage(withChanges(asRequest(request), output), output?.systemMessage);
    },
    synthetic: (outcome) => syntheticResponse(hookResult(outcome)?.finalOutput),
    // A model that throws at once fails as one that rejects does.
    call: async (request, signal) => callModel(asRequest(request), signal),
    revise: (response, outcome) =>
      revisedResponse(response, hookResult(outcome)?.finalOutput, config.onWarning),
  };
}

export function hasTools({
  config,
}: GenAIRequest & { readonly config?: { readonly tools?: unknown } }) {
  return Array.isArray(config?.tools) && config.tools.length > 0;
}
