import type { HookToolConfig, LLMRequest, LLMResponse } from '../protocol/llm.ts';
import { isRecord } from '../../base/json.ts';
import type { GenAIRequest, GenAIResponse, GenAIToolConfig } from './genai-types.ts';
import {
  fromHookLLMRequest,
  fromHookToolConfig,
  toHookLLMRequest,
  toHookToolConfig,
} from './request.ts';
import { candidatesOf, fromHookLLMResponse, toHookLLMResponse } from './response.ts';

/**
 * The translator for Google GenAI's model calls.
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

/** Returns a response that ends the turn, with a reason as the model's words. */
export const stopResponse = (reason: string): GenAIResponse =>
  fromHookLLMResponse({ text: reason });

/** Returns the response to a blocked call that no hook answered: one empty candidate. */
export const emptyResponse = (): GenAIResponse =>
  fromHookLLMResponse({ candidates: [{ content: { role: 'model', parts: [] } }] });

/**
 * Whether a hook removed function calls from a response, so that a caller can warn. Without
 * `after`: whether there are any to lose.
 */
export const dropsFunctionCalls = (before: GenAIResponse, after: GenAIResponse = {}): boolean =>
  countCalls(after) < countCalls(before);

const countCalls = (response: GenAIResponse): number =>
  candidatesOf(response)
    .flatMap(({ content }) => (Array.isArray(content?.parts) ? content.parts : []))
    .filter((part) => isRecord(part) && isRecord(part.functionCall)).length;

/**
 * Turns one SDK's model calls into the stable hook format and back.
 * Every function is pure, leaves its arguments unchanged and never throws. Its result may share parts
 * with its arguments.
 */
export interface HookTranslator<
  Request = GenAIRequest,
  Response = GenAIResponse,
  ToolConfig = GenAIToolConfig,
> {
  readonly toHookLLMRequest: (request: Request) => LLMRequest;
  /** Returns the base request with the hook's changes; whatever the hook did not touch stays unchanged. */
  readonly fromHookLLMRequest: <Base extends Request = Request>(
    hookRequest: Partial<LLMRequest>,
    baseRequest?: Base,
  ) => Base;
  readonly toHookLLMResponse: (response: Response) => LLMResponse;
  /** Returns a response with the hook's text; `baseResponse` is the one that the hook saw, if any. */
  readonly fromHookLLMResponse: (
    hookResponse: Partial<LLMResponse>,
    baseResponse?: Response,
  ) => Response;
  readonly toHookToolConfig: (toolConfig: ToolConfig | undefined) => HookToolConfig;
  /** Returns the base tool config with the hook's changes. */
  readonly fromHookToolConfig: <Base extends ToolConfig = ToolConfig>(
    hookToolConfig: HookToolConfig,
    base?: Base,
  ) => Base;
}

/** Returns the request with a hook's `systemMessage` as a system message. */
export function withSystemMessage<Request extends GenAIRequest>(
  request: Request,
  message: string | undefined,
): Request {
  if (message === undefined || message === '') return request;
  const messages = [{ role: 'system' as const, content: message }];
  return defaultHookTranslator.fromHookLLMRequest({ messages }, request);
}
