import { defined } from '../../../base/json.ts';
import type { ModelRequest } from '../../../core/translate/model.ts';
import { toPrompt } from './prompt.ts';
import { toToolChoice, toTools } from './tools.ts';
import type { CallOptions, Specification } from './types.ts';

/** A request as the options of an AI SDK call. */
export function toCallOptions(
  { contents, config = {} }: ModelRequest,
  specification: Specification,
  abortSignal: AbortSignal,
): CallOptions {
  const tools = toTools(config);
  const json = config.responseMimeType === 'application/json';
  const schema = config.responseJsonSchema as object | undefined;
  return defined<CallOptions>({
    prompt: toPrompt(config.systemInstruction, contents, specification),
    abortSignal,
    temperature: config.temperature,
    maxOutputTokens: config.maxOutputTokens,
    topP: config.topP,
    topK: config.topK,
    stopSequences: config.stopSequences,
    presencePenalty: config.presencePenalty,
    frequencyPenalty: config.frequencyPenalty,
    seed: config.seed,
    responseFormat: json ? { type: 'json', ...(schema && { schema }) } : undefined,
    // Providers refuse an empty list, and a choice without one.
    tools: tools.length > 0 ? tools : undefined,
    toolChoice: tools.length > 0 ? toToolChoice(config, tools) : undefined,
    providerOptions:
      config.cachedContent === undefined
        ? undefined
        : { google: { cachedContent: config.cachedContent } },
  });
}
