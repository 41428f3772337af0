import type * as AiSdkGoogle from '@ai-sdk/google';
import type * as GenAI from '@google/genai';
import { aiSdkModel } from '../ai-sdk.ts';
import { googleModel } from '../google.ts';
import type { Model } from '../../../core/translate/model.ts';
import {
  installed,
  keyFrom,
  required,
  versioned,
  type Provider,
  type WantedModel,
} from './provider.ts';

/** Gemini, through Google's own client if it is installed, otherwise through the AI SDK. */
export const google: Provider = async (wanted) => {
  const apiKey = keyFrom(wanted, ['GEMINI_API_KEY', 'GOOGLE_API_KEY']);
  const genai = await installed<typeof GenAI>('@google/genai');
  if (genai === undefined) return throughAiSdk(wanted, apiKey);
  const { name, baseUrl = '' } = wanted;
  const [, base = '', apiVersion] = /^(.*?)(?:\/(v\d\w*))?$/.exec(baseUrl) ?? [];
  const httpOptions = { ...(base && { baseUrl: base }), ...(apiVersion && { apiVersion }) };
  return googleModel(new genai.GoogleGenAI({ apiKey, vertexai: false, httpOptions }), name);
};

async function throughAiSdk(wanted: WantedModel, apiKey: string): Promise<Model> {
  const { name, baseUrl } = wanted;
  const { createGoogleGenerativeAI } = await required<typeof AiSdkGoogle>(wanted, '@ai-sdk/google');
  const provider = createGoogleGenerativeAI({
    apiKey,
    ...(baseUrl !== undefined && { baseURL: versioned(baseUrl, 'v1beta') }),
  });
  const modelFor = (modelId: string) => provider.languageModel(modelId);
  return aiSdkModel(modelFor(name), { modelFor });
}
