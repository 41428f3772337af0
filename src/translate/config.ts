import { defined } from '../protocol/defined.ts';
import type { LLMConfig } from '../protocol/llm.ts';
import { isRecord } from '../protocol/output.ts';
import { readNumber, readTexts } from './fields.ts';
import { ignored } from '../protocol/notes.ts';

/**
 * The eight settings of a config, whether the SDK's or a hook's, in a fixed order (C-74, C-85). A
 * value of the wrong type is left out with a note, null counts as absent, other keys are passed over.
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
