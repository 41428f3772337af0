import { defined } from '../protocol/defined.ts';
import type { LLMCandidate, LLMFinishReason, LLMResponse } from '../protocol/llm.ts';
import { isRecord } from '../protocol/output.ts';
import { readNumber } from './fields.ts';
import { ignored } from '../protocol/notes.ts';

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

/** The three token counts of a response; undefined when there is none of them. */
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

/** Safety ratings with the two fields that hooks know: `blocked` is not one of them (HOOK-077). */
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
    notes.push(ignored(`${path}[${index}]`, rating, '{ category, probability }, both texts'));
    return [];
  });
}
