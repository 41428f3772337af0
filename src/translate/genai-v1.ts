import { isRecord } from '../protocol/output.ts';
import type { GenAIResponse } from './genai-types.ts';
import { fromHookLLMRequest, toHookLLMRequest } from './request.ts';
import { candidatesOf, fromHookLLMResponse, toHookLLMResponse } from './response.ts';
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
export { normalizeHookToolConfig } from './tool-config.ts';
export type { HookTranslator } from './translator.ts';

/** A response that ends the turn with a reason as the model's words (HOOK-048, C-82). */
export const stopResponse = (reason: string): GenAIResponse =>
  fromHookLLMResponse({ text: reason });

/** The response of a blocked call for which no hook had an answer: one candidate that says nothing (HOOK-202, C-81). */
export const emptyResponse = (): GenAIResponse =>
  fromHookLLMResponse({ candidates: [{ content: { role: 'model', parts: [] } }] });

/**
 * Whether a response lost function calls to a hook, so that a caller can warn (C-86). Without `after`:
 * whether there are any to lose.
 */
export const dropsFunctionCalls = (before: GenAIResponse, after: GenAIResponse = {}): boolean =>
  countCalls(after) < countCalls(before);

const countCalls = (response: GenAIResponse): number =>
  candidatesOf(response)
    .flatMap(({ content }) => (Array.isArray(content?.parts) ? content.parts : []))
    .filter((part) => isRecord(part) && isRecord(part.functionCall)).length;
