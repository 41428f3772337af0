import type {
  LanguageModelV2,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider';
import type { Candidate, GenerateContentParameters, GoogleGenAI, Part, Tool } from '@google/genai';
import { expectTypeOf } from 'vitest';
import type {
  AiSdkLanguageModel,
  CallOptions,
  StreamPart,
} from '../../../src/agent/models/ai-sdk/types.ts';
import type { GoogleClient } from '../../../src/agent/models/google.ts';
import type { ModelPart, ModelTool } from '../../../src/core/translate/model.ts';

// The users' types are assignable to those that we accept.
expectTypeOf<GoogleGenAI>().toExtend<GoogleClient>();
expectTypeOf<LanguageModelV2>().toExtend<AiSdkLanguageModel>();
expectTypeOf<LanguageModelV3>().toExtend<AiSdkLanguageModel>();
expectTypeOf<Part>().toExtend<ModelPart>();
expectTypeOf<Candidate['finishReason']>().toExtend<string | undefined>();

// The types that we build are assignable to those that the SDKs accept.
expectTypeOf<ModelPart>().toExtend<Part>();
expectTypeOf<Pick<GenerateContentParameters, 'model'>>().toExtend<{ model: string }>();
expectTypeOf<Tool>().toExtend<ModelTool>();
type Settings = Omit<CallOptions, 'prompt' | 'tools' | 'providerOptions' | 'responseFormat'>;
expectTypeOf<Settings>().toExtend<Partial<LanguageModelV3CallOptions>>();

// Every kind of part that we read is one that the SDK sends.
expectTypeOf<StreamPart['type']>().toExtend<LanguageModelV3StreamPart['type']>();
