import type {
  Candidate,
  Content,
  GenerateContentConfig,
  GenerateContentParameters,
  GenerateContentResponse,
  Part,
  ToolConfig,
} from '@google/genai';
import { expectTypeOf } from 'vitest';
import { defaultHookTranslator as translator } from '../../../src/core/translate/genai-v1.ts';
import type {
  GenAICandidate,
  GenAIConfig,
  GenAIContent,
  GenAIPart,
  GenAIRequest,
  GenAIResponse,
  GenAIToolConfig,
} from '../../../src/core/translate/genai-types.ts';

// The SDK's types are accepted by ours.
expectTypeOf<GenerateContentParameters>().toExtend<GenAIRequest>();
expectTypeOf<GenerateContentConfig>().toExtend<GenAIConfig>();
expectTypeOf<GenerateContentResponse>().toExtend<GenAIResponse>();
expectTypeOf<Candidate>().toExtend<GenAICandidate>();
expectTypeOf<Content>().toExtend<GenAIContent>();
expectTypeOf<Part>().toExtend<GenAIPart>();
expectTypeOf<ToolConfig>().toExtend<GenAIToolConfig>();

// The types that we build are accepted by the SDK, except enums, which no string type extends.
expectTypeOf<GenAIContent>().toExtend<Content>();
expectTypeOf<GenAIPart>().toExtend<Part>();
expectTypeOf<GenAIRequest['contents']>().toExtend<GenerateContentParameters['contents']>();
expectTypeOf<Omit<GenAIConfig, 'toolConfig'>>().toExtend<GenerateContentConfig>();
expectTypeOf<Omit<GenAICandidate, 'finishReason' | 'safetyRatings'>>().toExtend<Candidate>();
expectTypeOf<Omit<GenAIResponse, 'candidates'>>().toExtend<
  Partial<Omit<GenerateContentResponse, 'candidates'>>
>();

// The base's own type is returned.
declare const request: GenerateContentParameters;
declare const toolConfig: ToolConfig;
expectTypeOf(
  translator.fromHookLLMRequest({ messages: [] }, request),
).toEqualTypeOf<GenerateContentParameters>();
expectTypeOf(
  translator.fromHookToolConfig({ mode: 'NONE' }, toolConfig),
).toEqualTypeOf<ToolConfig>();
expectTypeOf(translator.fromHookLLMRequest({ messages: [] })).toEqualTypeOf<GenAIRequest>();
