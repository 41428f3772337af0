import type { MockLanguageModelV2 } from 'ai/test';

/** A model object as a provider of this version makes it. */
export type RealModel = MockLanguageModelV2;
