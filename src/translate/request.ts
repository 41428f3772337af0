import type { LLMMessage, LLMRequest } from '../protocol/llm.ts';
import { isRecord } from '../protocol/output.ts';
import { readConfig } from './fields.ts';
import type { GenAIConfig, GenAIRequest } from './genai-types.ts';
import { normalizeHookLLMRequest } from './normalize-request.ts';
import { rebuildContents } from './rebuild-contents.ts';
import { fromHookToolConfig, toHookToolConfig } from './tool-config.ts';
import { toTurns } from './turns.ts';

/**
 * The request that hooks see: its texts, its settings and its tool config (HOOK-072, 075, 076). Equal
 * requests give equal results, key for key (C-85). The system instruction is not shown (C-77), nor
 * are the model's thoughts.
 */
export function toHookLLMRequest(request: GenAIRequest): LLMRequest {
  const { model, contents, config } = fieldsOf(request);
  const settings = fieldsOf(config);
  const toolConfig = toHookToolConfig(fieldsOf(settings['toolConfig']));
  return {
    model: typeof model === 'string' ? model : '',
    messages: shownMessages(contents),
    config: readConfig(settings, 'config', []),
    ...(Object.keys(toolConfig).length > 0 && { toolConfig }),
  };
}

/**
 * The base request with a hook's changes (HOOK-038, HOOK-078). What the hook did not touch stays: the
 * contents it left alone with all their parts, every config key it did not set (C-74), the `tools`
 * and all else. Wrong values of the hook are passed over; `normalizeHookLLMRequest` tells which.
 *
 * A system message is added to the system instruction, behind what is there already (C-77). With
 * `cachedContent`, where Gemini refuses a system instruction, it becomes the user message
 * "[System] ..." at its place. System messages alone, like no messages at all, leave the conversation
 * as it was (C-78): a request must have one.
 *
 * @example
 * const request = { model: 'gemini-2.5-pro', contents: 'Hi', config: { topK: 40 } };
 * fromHookLLMRequest({ config: { temperature: 0 } }, request);
 * // { model: 'gemini-2.5-pro', contents: 'Hi', config: { topK: 40, temperature: 0 } }
 */
export function fromHookLLMRequest<Base extends GenAIRequest = GenAIRequest>(
  hookRequest: Partial<LLMRequest>,
  baseRequest?: Base,
): Base {
  const { model, messages = [], config, toolConfig } = normalizeHookLLMRequest(hookRequest).request;
  const base = fieldsOf(baseRequest);
  const baseConfig = fieldsOf(base['config']);
  const { said, system } = separateSystem(
    typeof baseConfig['cachedContent'] === 'string'
      ? systemAsNotes(messages, shownMessages(base['contents']))
      : messages,
  );
  const contents = said.length > 0 ? rebuildContents(base['contents'], said) : undefined;
  const changes: Readonly<Record<string, unknown>> = {
    ...config,
    ...(system.length > 0 && {
      systemInstruction: withSystemTexts(baseConfig['systemInstruction'], system),
    }),
    ...(toolConfig && {
      toolConfig: fromHookToolConfig(toolConfig, fieldsOf(baseConfig['toolConfig'])),
    }),
  };
  return {
    ...base,
    ...(model && { model }),
    ...(contents && { contents }),
    ...(Object.keys(changes).length > 0 && { config: { ...baseConfig, ...changes } }),
  } as unknown as Base;
}

const shownMessages = (contents: unknown): LLMMessage[] =>
  toTurns(contents)
    .filter(({ text }) => text !== '')
    .map(({ role, text }) => ({ role, content: text }));

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isRecord(value) ? value : {};

const isSystem = ({ role }: LLMMessage): boolean => role === 'system';

/** What is said in the conversation, and the texts for the system instruction; SDK contents have no role "system" (C-77). */
export function separateSystem(messages: readonly LLMMessage[]): {
  said: LLMMessage[];
  system: string[];
} {
  return {
    said: messages.filter((message) => !isSystem(message)),
    system: messages
      .filter(isSystem)
      .map(({ content }) => content)
      .filter((text) => text !== ''),
  };
}

/** System messages as user messages at their place; alone, they follow the conversation. */
export function systemAsNotes(
  messages: readonly LLMMessage[],
  conversation: readonly LLMMessage[],
): LLMMessage[] {
  const all = messages.every(isSystem) ? [...conversation, ...messages] : messages;
  return all.map((message) =>
    isSystem(message) ? { role: 'user', content: `[System] ${message.content}` } : message,
  );
}

/** A system instruction with texts added behind it; a text stays a text. */
export function withSystemTexts(
  base: unknown,
  texts: readonly string[],
): NonNullable<GenAIConfig['systemInstruction']> {
  if (base === undefined || base === null || typeof base === 'string')
    return [base ?? '', ...texts].filter((text) => text !== '').join('\n\n');
  const added = texts.map((text) => ({ text }));
  if (isRecord(base) && 'parts' in base)
    return { ...base, parts: [...(Array.isArray(base['parts']) ? base['parts'] : []), ...added] };
  return [...(Array.isArray(base) ? base : [base]), ...added];
}
