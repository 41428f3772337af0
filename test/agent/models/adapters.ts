import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createOpenAICompatible as createPreviousOpenAI } from '@ai-sdk/openai-compatible-previous';
import { GoogleGenAI } from '@google/genai';
import { describe } from 'vitest';
import { aiSdkModel } from '../../../src/agent/models/ai-sdk.ts';
import { googleModel } from '../../../src/agent/models/google.ts';
import type { Model } from '../../../src/core/translate/model.ts';
import { currentLine, ofCurrentLine } from './current-line.ts';
import { anthropic, gemini, openAI, type Wire } from './wires.ts';

/** A way to reach a provider: its wire format and a model that uses it, for each supported version line. */
export interface Adapter {
  readonly title: string;
  /** Set if the package is not installed. */
  readonly isMissing?: boolean;
  readonly wire: Wire;
  readonly model: (url: string) => Model;
}

const isMissing = currentLine === undefined;

/** Defines a suite for each adapter; suites of adapters that are not installed are reported as skipped. */
export function describeEach(
  all: readonly Adapter[],
  title: string,
  tests: (adapter: Adapter) => void,
): void {
  for (const adapter of all)
    describe.skipIf(adapter.isMissing)(title.replace('$title', adapter.title), () =>
      tests(adapter),
    );
}

const local = (url: string) => ({ name: 'local', baseURL: url, includeUsage: true });
const keyed = (url: string) => ({ apiKey: 'key', baseURL: url });

export const openAIAdapters: Adapter[] = [
  {
    title: 'AI SDK v2, OpenAI',
    wire: openAI,
    model: (url) => aiSdkModel(createPreviousOpenAI(local(url)).chatModel('wire-model')),
  },
  {
    title: 'AI SDK v3, OpenAI',
    wire: openAI,
    model: (url) => aiSdkModel(createOpenAICompatible(local(url)).chatModel('wire-model')),
  },
  {
    title: ofCurrentLine('AI SDK v4, OpenAI'),
    isMissing,
    wire: openAI,
    model: (url) =>
      aiSdkModel(currentLine!.createOpenAICompatible(local(url)).chatModel('wire-model')),
  },
];

export const googleAdapter: Adapter = {
  title: '@google/genai',
  wire: gemini,
  model: (url) =>
    googleModel(new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: url } }), 'wire-model'),
};

export const geminiAdapters: Adapter[] = [
  {
    title: 'AI SDK v3, Gemini',
    wire: gemini,
    model: (url) => aiSdkModel(createGoogleGenerativeAI(keyed(url)).languageModel('wire-model')),
  },
  {
    title: ofCurrentLine('AI SDK v4, Gemini'),
    isMissing,
    wire: gemini,
    model: (url) => aiSdkModel(currentLine!.createGoogle(keyed(url)).languageModel('wire-model')),
  },
];

export const anthropicAdapters: Adapter[] = [
  {
    title: 'AI SDK v3, Anthropic',
    wire: anthropic,
    model: (url) => aiSdkModel(createAnthropic(keyed(url)).languageModel('wire-model')),
  },
  {
    title: ofCurrentLine('AI SDK v4, Anthropic'),
    isMissing,
    wire: anthropic,
    model: (url) =>
      aiSdkModel(currentLine!.createAnthropic(keyed(url)).languageModel('wire-model')),
  },
];

export const adapters: Adapter[] = [
  googleAdapter,
  ...openAIAdapters,
  ...geminiAdapters,
  ...anthropicAdapters,
];
