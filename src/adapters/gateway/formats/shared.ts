import { isDeepStrictEqual } from 'node:util';
import type {
  NeutralMessage,
  NeutralPart,
  NeutralRequest,
  NeutralResponse,
} from '../../../core/calls/run-model-call.ts';
import type { HookToolConfig, LLMConfig } from '../../../core/protocol/llm.ts';
import { defined, fieldsOf, isRecord } from '../../../base/json.ts';
import type { TokenUsage } from '../../../guards/budget/usage.ts';
import type { Fields, StreamEvent } from './format.ts';

/** The items of a list; none if the value is not a list. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The objects of a list. */
export const recordsOf = (value: unknown): readonly Fields[] => listOf(value).filter(isRecord);

/** A text; '' if the value is none. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A count; 0 if the value is none. */
export const countOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** The data of an event as an object. */
export const dataOf = ({ data }: StreamEvent): Fields => fieldsOf(data);

/** An event with other data. */
export const withData = (event: StreamEvent, data: Fields): StreamEvent => ({ ...event, data });

/** Reads JSON; undefined if it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The arguments of a call as an object. */
export const argumentsOf = (text: unknown): Record<string, unknown> => {
  const value = typeof text === 'string' ? parsed(text) : text;
  return isRecord(value) ? { ...value } : { input: text };
};

/** The provider's names of settings, by ours. */
export type SettingNames = Readonly<Partial<Record<keyof LLMConfig, string>>>;

export const settingsIn = (names: SettingNames, fields: Fields): LLMConfig =>
  defined(
    Object.fromEntries(Object.entries(names).map(([ours, theirs]) => [ours, fields[theirs]])),
  );

/** The settings that hooks changed, under the provider's names. */
export const changedSettings = (
  names: SettingNames,
  { settings: now = {} }: NeutralRequest,
  { settings: before = {} }: NeutralRequest,
): Fields =>
  Object.fromEntries(
    Object.entries(names).flatMap(([ours, theirs]) => {
      const value = now[ours as keyof LLMConfig];
      const isSame = isDeepStrictEqual(value, before[ours as keyof LLMConfig]);
      return isSame ? [] : [[theirs, value]];
    }),
  );

/** Which of the tools on offer may be called after hooks have spoken; undefined if they said nothing. */
export function allowedTools(
  { toolConfig: now }: NeutralRequest,
  { toolConfig: before }: NeutralRequest,
): ((name: string) => boolean) | undefined {
  if (now === undefined || isDeepStrictEqual(now, before)) return undefined;
  const { mode, allowedFunctionNames: names } = now;
  return (name) => mode !== 'NONE' && (names?.includes(name) ?? true);
}

/** Whether hooks changed anything in a request. */
export const isSameRequest = (now: NeutralRequest, before: NeutralRequest): boolean =>
  now.model === before.model &&
  now.system === before.system &&
  isDeepStrictEqual(now.settings ?? {}, before.settings ?? {}) &&
  isDeepStrictEqual(now.toolConfig, before.toolConfig) &&
  hasSameMessages(now, before);

export const hasSameMessages = (
  { messages: now }: NeutralRequest,
  { messages: before }: NeutralRequest,
): boolean =>
  now.length === before.length && now.every((message, place) => message === before[place]);

/**
 * The parts of a message that hooks changed, each with the provider's own form of the text that stood in its
 * place, so that marks on it stay.
 */
export function changedParts(
  message: NeutralMessage,
  place: number,
  { messages: now }: NeutralRequest,
  { messages: before }: NeutralRequest,
): readonly { readonly text?: string | undefined; readonly original?: unknown }[] {
  const given = now.length === before.length ? before[place] : undefined;
  return message.parts.map((part, at) => {
    if (part.original !== undefined) return { original: part.original };
    const replaced = given?.parts[at];
    return { text: part.text ?? '', original: replaced?.text === undefined ? undefined : replaced.original }; // prettier-ignore
  });
}

/** The mode of a choice of tools in words of "auto", "any" and "none". */
export const toolConfigOf = (choice: unknown, name?: unknown): HookToolConfig | undefined => {
  if (typeof name === 'string') return { mode: 'ANY', allowedFunctionNames: [name] };
  if (choice === 'auto') return { mode: 'AUTO' };
  if (choice === 'none') return { mode: 'NONE' };
  return choice === 'any' || choice === 'required' ? { mode: 'ANY' } : undefined;
};

/** The texts of a response, joined; for a response in the model's place. */
export const saidIn = ({ parts }: NeutralResponse): string =>
  parts.map(({ text }) => text ?? '').join('');

/** Whether hooks left a response as the model gave it. */
export const isSameResponse = (
  { parts: now }: NeutralResponse,
  { parts: before }: NeutralResponse,
): boolean => now.length === before.length && now.every((part, place) => part === before[place]);

/** Whether a response still has a call. */
export const hasCallIn = ({ parts }: NeutralResponse): boolean =>
  parts.some(({ call }) => call !== undefined);

/** A text part of a message in the provider's form. */
export const textPart = (text: string, original: unknown): NeutralPart => ({ text, original });

/** Names the tools of results: some providers say only which call a result belongs to. */
export function withNames(messages: readonly NeutralMessage[]): readonly NeutralMessage[] {
  const names = new Map<string, string>();
  for (const { parts } of messages)
    for (const { call } of parts) if (call) names.set(call.id, call.name);
  return messages.map((message) =>
    message.parts.some(({ result }) => result?.name === '')
      ? {
          ...message,
          parts: message.parts.map((part) =>
            part.result?.name === ''
              ? { ...part, result: { ...part.result, name: names.get(part.result.id) ?? '' } }
              : part,
          ),
        }
      : message,
  );
}

/** A new id in the form that a provider uses. */
export const newId = (prefix: string): string =>
  `${prefix}${Math.random().toString(36).slice(2, 14)}${Date.now().toString(36)}`;

/** What an answer used, as hooks see it. */
export const countedIn = (usage: TokenUsage | undefined): NeutralResponse['usage'] =>
  usage && {
    promptTokenCount: usage.input,
    candidatesTokenCount: usage.output,
    totalTokenCount: usage.input + usage.output,
    ...(usage.cached && { cachedContentTokenCount: usage.cached }),
    ...(usage.thinking && { thoughtsTokenCount: usage.thinking }),
  };
