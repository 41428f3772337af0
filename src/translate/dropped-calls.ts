import { isRecord } from '../protocol/output.ts';
import type { GenAIResponse } from './genai-types.ts';
import { candidatesOf } from './response.ts';

/**
 * Whether a response lost function calls to a hook, so that a caller can warn (C-86). Without `after`:
 * whether there are any to lose.
 */
export const dropsFunctionCalls = (before: GenAIResponse, after: GenAIResponse = {}): boolean =>
  countCalls(after) < countCalls(before);

const countCalls = (response: GenAIResponse): number =>
  candidatesOf(response)
    .flatMap(({ content }) => (Array.isArray(content?.parts) ? content.parts : []))
    .filter((part) => isRecord(part) && isRecord(part.functionCall)).length;
