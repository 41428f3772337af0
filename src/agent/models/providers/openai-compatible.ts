import type * as OpenAICompatible from '@ai-sdk/openai-compatible';
import { aiSdkModel } from '../ai-sdk.ts';
import { ModelError } from '../model-error.ts';
import { required, type Provider } from './provider.ts';

/** Any server that speaks OpenAI's chat completions. Local ones need no key. */
export const openAICompatible: Provider = async (wanted) => {
  const { name, spec, env, baseUrl: baseURL } = wanted;
  if (baseURL === undefined)
    throw new ModelError(
      `${spec} needs the server's address; give it with --base-url, such as http://localhost:11434/v1`,
    );
  const { createOpenAICompatible } = await required<typeof OpenAICompatible>(
    wanted,
    '@ai-sdk/openai-compatible',
  );
  const apiKey = env['OPENAI_API_KEY']?.trim();
  const provider = createOpenAICompatible({
    name: 'openai-compatible',
    baseURL,
    includeUsage: true,
    ...(apiKey && { apiKey }),
  });
  const modelFor = (modelId: string) => provider.chatModel(modelId);
  return aiSdkModel(modelFor(name), { modelFor });
};
