import { isDeepStrictEqual } from 'node:util';
import type { LLMConfig } from '../../core/protocol/llm.ts';
import type { Options } from './types.ts';

/** The names of a setting in LangChain's models and their options, by our name for it. */
const names = {
  temperature: ['temperature'],
  maxOutputTokens: ['maxTokens', 'max_tokens', 'maxOutputTokens', 'maxCompletionTokens'],
  topP: ['topP', 'top_p'],
  topK: ['topK', 'top_k'],
  stopSequences: ['stop', 'stopSequences'],
  candidateCount: ['n'],
  presencePenalty: ['presencePenalty', 'presence_penalty'],
  frequencyPenalty: ['frequencyPenalty', 'frequency_penalty'],
} as const satisfies Record<keyof LLMConfig, readonly string[]>;

const settings = Object.entries(names) as [keyof LLMConfig, readonly string[]][];

/** The settings of a call: from its options, otherwise from the model. */
export function settingsOf(model: unknown, options: Options = {}): LLMConfig {
  const own = typeof model === 'object' && model !== null ? (model as Options) : {};
  const found = settings.flatMap(([setting, keys]) => {
    const value = keys.map((key) => options[key] ?? own[key]).find(isSet);
    return value === undefined ? [] : [[setting, value]];
  });
  return Object.fromEntries(found) as LLMConfig;
}

const isSet = (value: unknown): boolean =>
  typeof value === 'number' || (Array.isArray(value) && value.length > 0);

/** The settings that hooks changed, under LangChain's names. */
export function changedSettings(before: LLMConfig, after: LLMConfig = {}): Options {
  return Object.fromEntries(
    settings.flatMap(([setting, [name]]) =>
      after[setting] === undefined || isDeepStrictEqual(after[setting], before[setting])
        ? []
        : [[name!, after[setting]]],
    ),
  );
}

/**
 * The model with other settings. Most providers read settings from the model and not from the options of a
 * call, so the model is constructed anew; if that is impossible it stays, and only the options carry them.
 */
export function withSettings(model: unknown, changes: Options): unknown {
  if (typeof model !== 'object' || model === null || Object.keys(changes).length === 0)
    return model;
  const { lc_kwargs: fields, lc_serializable: isMadeOfFields } = model as {
    readonly lc_kwargs?: unknown;
    readonly lc_serializable?: unknown;
  };
  if (isMadeOfFields !== true || !Object.keys(changes).some((key) => key in model)) return model;
  try {
    const Class = model.constructor as new (fields: object) => object;
    return new Class({ ...(fields as object), ...changes });
  } catch {
    return model;
  }
}
