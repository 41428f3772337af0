import type { GenAIRequest } from './genai-types.ts';
import { defaultHookTranslator } from './genai-v1.ts';

/** The request with a hook's `systemMessage` for the model, as the system's words (HOOK-159, C-61, C-77). */
export function withSystemMessage<Request extends GenAIRequest>(
  request: Request,
  message: string | undefined,
): Request {
  if (message === undefined || message === '') return request;
  const messages = [{ role: 'system' as const, content: message }];
  return defaultHookTranslator.fromHookLLMRequest({ messages }, request);
}
