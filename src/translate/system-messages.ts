import type { LLMMessage } from '../protocol/llm.ts';
import { isRecord } from '../protocol/output.ts';
import type { GenAIConfig } from './genai-types.ts';

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
