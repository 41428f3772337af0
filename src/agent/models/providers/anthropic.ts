import type * as Anthropic from '@ai-sdk/anthropic';
import { aiSdkModel } from '../ai-sdk.ts';
import { keyFrom, required, versioned, type Provider } from './provider.ts';

export const anthropic: Provider = async (wanted) => {
  const { name, env } = wanted;
  const apiKey = keyFrom(wanted, ['ANTHROPIC_API_KEY']);
  const { createAnthropic } = await required<typeof Anthropic>(wanted, '@ai-sdk/anthropic');
  const baseUrl = wanted.baseUrl ?? env['ANTHROPIC_BASE_URL']?.trim().replace(/\/+$/, '');
  const provider = createAnthropic({
    apiKey,
    baseURL: versioned(baseUrl || 'https://api.anthropic.com', 'v1'),
  });
  const modelFor = (modelId: string) => provider.languageModel(modelId);
  return aiSdkModel(modelFor(name), { modelFor });
};
