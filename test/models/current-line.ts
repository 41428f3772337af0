import { existsSync } from 'node:fs';
import { test } from 'vitest';
import type { AiSdkLanguageModel } from '../../src/models/ai-sdk/types.ts';

interface Chat {
  chatModel(id: string): AiSdkLanguageModel;
}

interface Language {
  languageModel(id: string): AiSdkLanguageModel;
}

/** What makes models in the current line of the AI SDK. */
interface CurrentLine {
  createAnthropic(settings: object): Language;
  createGoogle(settings: object): Language;
  createOpenAICompatible(settings: object): Chat;
}

/** Where the current line of the AI SDK is kept: it asks for a newer Node.js than we do, and is no part of `npm ci`. */
export const currentLineFolder = new URL('../fixtures/ai-sdk-current/', import.meta.url);

/** The current line of the AI SDK, or nothing where it is not installed. */
export const currentLine: CurrentLine | undefined = existsSync(
  new URL('node_modules/@ai-sdk/provider/package.json', currentLineFolder),
)
  ? ((await import(new URL('index.js', currentLineFolder).href)) as CurrentLine)
  : undefined;

/** `test` for what needs the current line; where that is not installed, the report says that it was skipped. */
export const testCurrentLine = test.skipIf(currentLine === undefined);

/** A title that says why its test was skipped, if it was. */
export const ofCurrentLine = (title: string): string =>
  currentLine
    ? title
    : `${title} (skipped: run npm ci --prefix test/fixtures/ai-sdk-current first)`;
