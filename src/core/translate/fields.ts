import { ignored } from '../protocol/output.ts';
import type { LLMCandidate, LLMConfig, LLMFinishReason, LLMResponse } from '../protocol/llm.ts';
import { defined, isRecord } from '../../base/json.ts';

/** Returns a number; undefined, with a note, for anything else. */
export function readNumber(value: unknown, path: string, notes: string[]): number | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (value !== undefined && value !== null) notes.push(ignored(path, value, 'a number'));
  return undefined;
}

/** Returns a text; undefined, with a note, for anything else. */
export function readText(value: unknown, path: string, notes: string[]): string | undefined {
  if (typeof value === 'string') return value;
  if (value !== undefined && value !== null) notes.push(ignored(path, value, 'a string'));
  return undefined;
}

/** Returns the texts in a list, without other items; undefined if it is not a list. */
export function readTexts(value: unknown, path: string, notes: string[]): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) {
    notes.push(ignored(path, value, 'a list of strings'));
    return undefined;
  }
  return value.filter((entry, index): entry is string => {
    if (typeof entry === 'string') return true;
    notes.push(ignored(`${path}[${index}]`, entry, 'a string'));
    return false;
  });
}

/**
 * Reads the eight settings of a config, whether the SDK's or a hook's, in a fixed order. A
 * value of the wrong type is left out with a note, null counts as absent, other keys are ignored.
 */
export function readConfig(config: unknown, path: string, notes: string[]): LLMConfig {
  if (config === undefined || config === null) return {};
  if (!isRecord(config)) {
    notes.push(ignored(path, config, 'an object'));
    return {};
  }
  const number = (key: keyof LLMConfig): number | undefined =>
    readNumber(config[key], `${path}.${key}`, notes);
  return defined<LLMConfig>({
    temperature: number('temperature'),
    maxOutputTokens: number('maxOutputTokens'),
    topP: number('topP'),
    topK: number('topK'),
    stopSequences: readTexts(config['stopSequences'], `${path}.stopSequences`, notes),
    candidateCount: number('candidateCount'),
    presencePenalty: number('presencePenalty'),
    frequencyPenalty: number('frequencyPenalty'),
  });
}

const finishReasons: readonly unknown[] = [
  'STOP',
  'MAX_TOKENS',
  'SAFETY',
  'RECITATION',
  'OTHER',
] satisfies LLMFinishReason[];

/** Whether a value is one of the five reasons that hooks know. */
export const isFinishReason = (value: unknown): value is LLMFinishReason =>
  finishReasons.includes(value);

/** Reads the three token counts of a response; undefined if it has none. */
export function readUsage(
  value: unknown,
  path: string,
  notes: string[],
): LLMResponse['usageMetadata'] {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) {
    notes.push(ignored(path, value, 'an object'));
    return undefined;
  }
  const read = (key: keyof NonNullable<LLMResponse['usageMetadata']>): number | undefined =>
    readNumber(value[key], `${path}.${key}`, notes);
  const usage = defined<NonNullable<LLMResponse['usageMetadata']>>({
    promptTokenCount: read('promptTokenCount'),
    candidatesTokenCount: read('candidatesTokenCount'),
    totalTokenCount: read('totalTokenCount'),
  });
  return Object.keys(usage).length > 0 ? usage : undefined;
}

/** Reads safety ratings with the two fields that hooks know: `blocked` is not one of them. */
export function readRatings(
  value: unknown,
  path: string,
  notes: string[],
): LLMCandidate['safetyRatings'] {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) {
    notes.push(ignored(path, value, 'a list of { category, probability }'));
    return undefined;
  }
  return value.flatMap((rating: unknown, index) => {
    const { category, probability } = isRecord(rating) ? rating : {};
    if (typeof category === 'string' && typeof probability === 'string')
      return [{ category, probability }];
    notes.push(ignored(`${path}[${index}]`, rating, '{ category, probability }, both strings'));
    return [];
  });
}
