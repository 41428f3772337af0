import type { LLMMessage } from '../protocol/llm.ts';
import { isRecord } from '../../base/json.ts';
import type { GenAIContent, GenAIPart } from './genai-types.ts';

/** One message of a conversation as the SDK keeps it, together with what a hook sees of it. */
export interface Turn {
  readonly content: GenAIContent;
  readonly role: 'user' | 'model';
  /** '' if there is none; such a turn is not shown to hooks. */
  readonly text: string;
}

/**
 * Returns a conversation's turns. `contents` may have any shape that the SDK accepts; consecutive parts
 * are one user message, as the SDK reads them.
 */
export function toTurns(contents: unknown): Turn[] {
  const found: GenAIContent[] = [];
  let loose: GenAIPart[] | undefined;
  for (const item of Array.isArray(contents) ? contents : [contents]) {
    if (isContent(item)) {
      found.push(item);
      loose = undefined;
    } else if (typeof item === 'string' || isRecord(item)) {
      if (loose === undefined) found.push({ role: 'user', parts: (loose = []) });
      loose.push(typeof item === 'string' ? { text: item } : item);
    }
  }
  return found.map((content) => ({
    content,
    role: content.role === 'model' ? 'model' : 'user',
    text: joined(textsOf(content.parts)),
  }));
}

/** Returns the content of a message that a hook wrote. */
export const toContent = ({ role, content }: LLMMessage): GenAIContent => ({
  role,
  parts: [{ text: content }],
});

const isContent = (item: unknown): item is GenAIContent =>
  isRecord(item) && ('parts' in item || 'role' in item);

/** Joins texts as the SDK does. */
export const joined = (texts: readonly string[]): string => texts.join('');

/**
 * Returns the texts of a list of parts, without empty ones. Parts are texts or `{text}`. A thought does not count: it is the model talking to itself.
 */
export function textsOf(parts: unknown): string[] {
  return (Array.isArray(parts) ? parts : [parts])
    .map((part) => textOf(part) ?? '')
    .filter((text) => text !== '');
}

/** Returns the text of one part, if it has one. */
export function textOf(part: unknown): string | undefined {
  const text = isRecord(part) && part['thought'] !== true ? part['text'] : part;
  return typeof text === 'string' ? text : undefined;
}

/** Returns a value as JSON text, or the name of its type if it has no JSON form. */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value;
  }
}
