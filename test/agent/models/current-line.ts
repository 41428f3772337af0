import { existsSync } from 'node:fs';
import { test } from 'vitest';
import type { AiSdkLanguageModel } from '../../../src/agent/models/ai-sdk/types.ts';

interface Chat {
  chatModel(id: string): AiSdkLanguageModel;
}

interface Language {
  languageModel(id: string): AiSdkLanguageModel;
}

/** The functions that create models in the current line of the AI SDK. */
interface CurrentLine {
  createAnthropic(settings: object): Language;
  createGoogle(settings: object): Language;
  createOpenAICompatible(settings: object): Chat;
}

/**
 * The folder of the current line of the AI SDK, which needs a newer Node.js than we do and is not part of
 * `npm ci`.
 */
export const currentLineFolder = new URL('../../fixtures/ai-sdk-current/', import.meta.url);

/** The current line of the AI SDK; undefined if it is not installed. */
export const currentLine: CurrentLine | undefined = existsSync(
  new URL('node_modules/@ai-sdk/provider/package.json', currentLineFolder),
)
  ? ((await import(new URL('index.js', currentLineFolder).href)) as CurrentLine)
  : undefined;

/** `test` for tests that need the current line; if it is not installed, they are reported as skipped. */
export const testCurrentLine = test.skipIf(currentLine === undefined);

/** A title that says why its test was skipped, if it was. */
export const ofCurrentLine = (title: string): string =>
  currentLine
    ? title
    : `${title} (skipped: run npm ci --prefix test/fixtures/ai-sdk-current first)`;
