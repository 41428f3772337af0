import type { HookToolConfig, LLMRequest, LLMResponse } from '../protocol/llm.ts';
import type { GenAIRequest, GenAIResponse, GenAIToolConfig } from './genai-types.ts';

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
