import type { GenAIResponse } from './genai-types.ts';
import { fromHookLLMResponse } from './response.ts';

/** A response that ends the turn with a reason as the model's words (HOOK-048, C-82). */
export const stopResponse = (reason: string): GenAIResponse =>
  fromHookLLMResponse({ text: reason });

/** The response of a blocked call for which no hook had an answer: one candidate that says nothing (HOOK-202, C-81). */
export const emptyResponse = (): GenAIResponse =>
  fromHookLLMResponse({ candidates: [{ content: { role: 'model', parts: [] } }] });
