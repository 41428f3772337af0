import { hasNoHooks } from '../../core/calls/event-hooks.ts';
import {
  type BeforeToolSelectionHookResult,
  fireBeforeToolSelectionHook,
} from '../../core/calls/hook-triggers.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import type { GenAIRequest } from '../../core/translate/genai-types.ts';

/** A list of tools is not a model call: hooks see an empty conversation. */
const request: GenAIRequest = { model: '', contents: [] };

/** The tools that a connection is offered, as BeforeToolSelection hooks decide. */
export class ToolSelection {
  readonly #config: HookSystemConfig;
  readonly #told: (result: BeforeToolSelectionHookResult) => void;
  #current: Promise<GenAIRequest> | undefined;
  #settled: GenAIRequest | undefined;

  constructor(config: HookSystemConfig, told: (result: BeforeToolSelectionHookResult) => void) {
    this.#config = config;
    this.#told = told;
  }

  /** Asks the hooks again, because a list begins. */
  renew(): GenAIRequest | Promise<GenAIRequest> {
    this.#settled = hasNoHooks(this.#config, 'BeforeToolSelection') ? request : undefined;
    return this.#settled ?? (this.#current = this.#ask());
  }

  /** What applies now, to a further page of a list or to a call; the hooks are asked if they never were. */
  current(): GenAIRequest | Promise<GenAIRequest> {
    return this.#settled ?? this.#current ?? this.renew();
  }

  async #ask(): Promise<GenAIRequest> {
    const result = await fireBeforeToolSelectionHook(this.#config, request);
    this.#told(result);
    const { toolConfig } = result;
    const asked = toolConfig ? { ...request, config: { toolConfig } } : request;
    this.#settled = asked;
    return asked;
  }
}
