import { fromHookLLMRequest, toHookLLMRequest } from './request.ts';
import { fromHookLLMResponse, toHookLLMResponse } from './response.ts';
import { fromHookToolConfig, toHookToolConfig } from './tool-config.ts';
import type { HookTranslator } from './translator.ts';

/**
 * The translator for Google GenAI's model calls (HOOK-035, 045).
 *
 * @example
 * const request = { model: 'gemini-2.5-pro', contents: 'Hi' };
 * defaultHookTranslator.toHookLLMRequest(request).messages; // [{ role: 'user', content: 'Hi' }]
 */
export const defaultHookTranslator: HookTranslator = {
  toHookLLMRequest,
  fromHookLLMRequest,
  toHookLLMResponse,
  fromHookLLMResponse,
  toHookToolConfig,
  fromHookToolConfig,
};

export { normalizeHookLLMRequest } from './normalize-request.ts';
export { normalizeHookLLMResponse } from './normalize-response.ts';
export { dropsFunctionCalls } from './dropped-calls.ts';
export { emptyResponse, stopResponse } from './synthetic-response.ts';
export { normalizeHookToolConfig } from './tool-config.ts';
export type { HookTranslator } from './translator.ts';
