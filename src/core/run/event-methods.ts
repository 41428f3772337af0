import type { AggregatedHookResult } from '../answers/results.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HookEventFields } from '../protocol/input.ts';
import type { LLMRequest, LLMResponse } from '../protocol/llm.ts';
import type { FireOptions } from './planned-event.ts';

/** A method for each event of an agent, over one that fires any event. */
export abstract class EventMethods {
  /** Fires any event with its own fields. */
  abstract fire<Event extends HookEventName>(
    event: Event,
    fields: HookEventFields[Event],
    options?: FireOptions,
  ): Promise<AggregatedHookResult>;

  /** Before a tool runs. */
  fireBeforeToolEvent(
    toolName: string,
    toolInput: Readonly<Record<string, unknown>>,
    options?: FireOptions,
  ): Promise<AggregatedHookResult> {
    return this.fire('BeforeTool', { tool_name: toolName, tool_input: toolInput }, options);
  }

  /** After a tool ran. */
  fireAfterToolEvent(
    toolName: string,
    toolInput: Readonly<Record<string, unknown>>,
    toolResponse: Readonly<Record<string, unknown>>,
    options?: FireOptions,
  ): Promise<AggregatedHookResult> {
    return this.fire(
      'AfterTool',
      { tool_name: toolName, tool_input: toolInput, tool_response: toolResponse },
      options,
    );
  }

  /** Before a prompt is processed. */
  fireBeforeAgentEvent(prompt: string, options?: FireOptions): Promise<AggregatedHookResult> {
    return this.fire('BeforeAgent', { prompt }, options);
  }

  /** After the agent has answered; `stopHookActive` if it did so because an AfterAgent hook asked. */
  fireAfterAgentEvent(
    prompt: string,
    promptResponse: string,
    stopHookActive = false,
    options?: FireOptions,
  ): Promise<AggregatedHookResult> {
    return this.fire(
      'AfterAgent',
      { prompt, prompt_response: promptResponse, stop_hook_active: stopHookActive },
      options,
    );
  }

  /**
   * Before the model is asked. The request is in the stable format; `fireBeforeModelHook` takes the SDK's.
   */
  fireBeforeModelEvent(
    llmRequest: LLMRequest,
    options?: FireOptions,
  ): Promise<AggregatedHookResult> {
    return this.fire('BeforeModel', { llm_request: llmRequest }, options);
  }

  /**
   * After the model answered, with both parts in the stable format; `fireAfterModelHook` takes the SDK's.
   */
  fireAfterModelEvent(
    llmRequest: LLMRequest,
    llmResponse: LLMResponse,
    options?: FireOptions,
  ): Promise<AggregatedHookResult> {
    return this.fire('AfterModel', { llm_request: llmRequest, llm_response: llmResponse }, options);
  }

  /** Before the model is offered tools; the request is in the stable format. */
  fireBeforeToolSelectionEvent(
    llmRequest: LLMRequest,
    options?: FireOptions,
  ): Promise<AggregatedHookResult> {
    return this.fire('BeforeToolSelection', { llm_request: llmRequest }, options);
  }

  /** When a session starts. */
  fireSessionStartEvent(
    fields: HookEventFields['SessionStart'],
    options?: FireOptions,
  ): Promise<AggregatedHookResult> {
    return this.fire('SessionStart', fields, options);
  }

  /** When a session ends. */
  fireSessionEndEvent(
    fields: HookEventFields['SessionEnd'],
    options?: FireOptions,
  ): Promise<AggregatedHookResult> {
    return this.fire('SessionEnd', fields, options);
  }

  /** Before the conversation is compressed. */
  firePreCompressEvent(
    fields: HookEventFields['PreCompress'],
    options?: FireOptions,
  ): Promise<AggregatedHookResult> {
    return this.fire('PreCompress', fields, options);
  }

  /** When the user is about to be notified, for example of a question for permission. */
  fireNotificationEvent(
    fields: HookEventFields['Notification'],
    options?: FireOptions,
  ): Promise<AggregatedHookResult> {
    return this.fire('Notification', fields, options);
  }
}
