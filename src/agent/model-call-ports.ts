import type { ModelCallPorts, ModelRequest } from '../../machines/model-call.ts';
import type { EventContext } from '../dialects/event-context.ts';
import type { HookSystemConfig } from '../hooks/hook-system-config.ts';
import type { PrepareOptions } from '../hooks/hook-event-handler.ts';
import type { AggregatedHookResult } from '../verdict/results.ts';
import type { GenAIRequest, GenAIResponse } from '../translate/genai-types.ts';
import { defaultHookTranslator, withSystemMessage } from '../translate/genai-v1.ts';
import {
  revisedResponse,
  syntheticResponse,
  withChanges,
  withToolConfig,
} from './hook-triggers.ts';
import { hookResult, planHooks, type Ready } from './event-hooks.ts';

/** The events of a model call, in their order (C-89). */
export type ModelEvent = 'BeforeToolSelection' | 'BeforeModel' | 'AfterModel';

/** Asks the model for one whole response. */
export type CallModel = (request: GenAIRequest, signal: AbortSignal) => Promise<GenAIResponse>;

/** Called with what the hooks of an event did, as soon as they have spoken. */
export type OnHooks = (event: ModelEvent, result: AggregatedHookResult) => void;

/** A model call as it is to be made. */
export interface ModelCall {
  readonly request: GenAIRequest;
  readonly callModel: CallModel;
  readonly onHooks?: OnHooks | undefined;
  readonly context?: EventContext | undefined;
}

const { toHookLLMRequest, toHookLLMResponse } = defaultHookTranslator;

/** The machine passes requests through unseen. */
const asRequest = (request: ModelRequest): GenAIRequest => request as GenAIRequest;

/** What the engine does for the `modelCall` machine: it alone knows the SDK's shapes (HOOK-141). */
export function modelCallPorts(
  config: HookSystemConfig,
  system: Ready,
  { request, callModel, onHooks = () => undefined, context = {} }: ModelCall,
): ModelCallPorts {
  const onSelection = planHooks(config, system, 'BeforeToolSelection');
  // Without tools there is nothing to select from (HOOK-053).
  const selection = onSelection && hasTools(request) ? onSelection : undefined;
  const before = planHooks(config, system, 'BeforeModel');
  const after = planHooks(config, system, 'AfterModel');
  const reporting = (event: ModelEvent): PrepareOptions => ({
    context,
    onDecided: (result) => onHooks(event, result),
  });
  return {
    ...(selection && {
      hooksOnSelection: (asked) =>
        selection(
          () => ({ llm_request: toHookLLMRequest(asRequest(asked)) }),
          reporting('BeforeToolSelection'),
        ),
    }),
    ...(before && {
      hooksBefore: (asked) =>
        before(
          () => ({ llm_request: toHookLLMRequest(asRequest(asked)) }),
          reporting('BeforeModel'),
        ),
    }),
    ...(after && {
      hooksAfter: (asked, response) =>
        after(
          () => ({
            llm_request: toHookLLMRequest(asRequest(asked)),
            llm_response: toHookLLMResponse(response),
          }),
          reporting('AfterModel'),
        ),
    }),
    selectTools: (asked, outcome) => {
      const { finalOutput: output, verdict } = hookResult(outcome) ?? {};
      return withSystemMessage(withToolConfig(asRequest(asked), output), verdict?.message);
    },
    rewrite: (asked, outcome) => {
      const { finalOutput: output, verdict } = hookResult(outcome) ?? {};
      return withSystemMessage(withChanges(asRequest(asked), output), verdict?.message);
    },
    synthetic: (outcome) => syntheticResponse(hookResult(outcome)?.finalOutput),
    // A model that throws at once fails as one that rejects does.
    call: async (asked, signal) => callModel(asRequest(asked), signal),
    revise: (response, outcome) =>
      revisedResponse(response, hookResult(outcome)?.finalOutput, config.onWarning),
  };
}

function hasTools({ config }: GenAIRequest & { readonly config?: { readonly tools?: unknown } }) {
  return Array.isArray(config?.tools) && config.tools.length > 0;
}
