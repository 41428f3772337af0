import type { LLMMessage } from '../protocol/llm.ts';
import { isRecord } from '../protocol/output.ts';
import type { GenAIContent, GenAIPart } from './genai-types.ts';

/** One message of a conversation as the SDK keeps it, beside what a hook sees of it. */
export interface Turn {
  readonly content: GenAIContent;
  readonly role: 'user' | 'model';
  /** '' when there is none; hooks are not shown such a turn (HOOK-076). */
  readonly text: string;
}

/** A conversation's turns. `contents` may be any shape the SDK takes; parts in a row are one user message, as the SDK reads them. */
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

/** The content of a message that a hook wrote. */
export const toContent = ({ role, content }: LLMMessage): GenAIContent => ({
  role,
  parts: [{ text: content }],
});

const isContent = (item: unknown): item is GenAIContent =>
  isRecord(item) && ('parts' in item || 'role' in item);

/** Some texts as one, as the SDK joins them. */
export const joined = (texts: readonly string[]): string => texts.join('');

/**
 * The texts of a list of parts, without empty ones (HOOK-075). Parts are texts or `{text}` (C-72). A
 * thought is not among them: it is the model talking to itself.
 */
export function textsOf(parts: unknown): string[] {
  return (Array.isArray(parts) ? parts : [parts])
    .map((part) => textOf(part) ?? '')
    .filter((text) => text !== '');
}

/** The text of one part, if it has one. */
export function textOf(part: unknown): string | undefined {
  const text = isRecord(part) && part['thought'] !== true ? part['text'] : part;
  return typeof text === 'string' ? text : undefined;
}

/** A value as JSON text, or the name of its type when it has no JSON form. */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value;
  }
}
