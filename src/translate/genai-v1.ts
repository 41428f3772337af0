import type { HookToolConfig, LLMRequest, LLMResponse } from '../protocol/llm.ts';
import { isRecord } from '../protocol/output.ts';
import type { GenAIRequest, GenAIResponse, GenAIToolConfig } from './genai-types.ts';
import {
  fromHookLLMRequest,
  fromHookToolConfig,
  toHookLLMRequest,
  toHookToolConfig,
} from './request.ts';
import { candidatesOf, fromHookLLMResponse, toHookLLMResponse } from './response.ts';

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

export { normalizeHookLLMRequest, normalizeHookToolConfig } from './request.ts';
export { normalizeHookLLMResponse } from './response.ts';

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

/**
 * Turns one SDK's model calls into the stable hook format and back (seed 000 §5, HOOK-035, 045).
 * Every function is pure, leaves its arguments as they are and throws at nothing. What it returns may
 * share parts with its arguments.
 */
export interface HookTranslator<
  Request = GenAIRequest,
  Response = GenAIResponse,
  ToolConfig = GenAIToolConfig,
> {
  readonly toHookLLMRequest: (request: Request) => LLMRequest;
  /** The base request with the hook's changes; what the hook did not touch stays as it was. */
  readonly fromHookLLMRequest: <Base extends Request = Request>(
    hookRequest: Partial<LLMRequest>,
    baseRequest?: Base,
  ) => Base;
  readonly toHookLLMResponse: (response: Response) => LLMResponse;
  /** A response with the hook's text; `baseResponse` is the one that the hook saw, if there was one. */
  readonly fromHookLLMResponse: (
    hookResponse: Partial<LLMResponse>,
    baseResponse?: Response,
  ) => Response;
  readonly toHookToolConfig: (toolConfig: ToolConfig | undefined) => HookToolConfig;
  /** The base tool config with the hook's changes. */
  readonly fromHookToolConfig: <Base extends ToolConfig = ToolConfig>(
    hookToolConfig: HookToolConfig,
    base?: Base,
  ) => Base;
}

/** The request with a hook's `systemMessage` for the model, as the system's words (HOOK-159, C-61, C-77). */
export function withSystemMessage<Request extends GenAIRequest>(
  request: Request,
  message: string | undefined,
): Request {
  if (message === undefined || message === '') return request;
  const messages = [{ role: 'system' as const, content: message }];
  return defaultHookTranslator.fromHookLLMRequest({ messages }, request);
}
