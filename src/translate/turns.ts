import type { LLMMessage } from '../protocol/llm.ts';
import { isRecord } from '../protocol/output.ts';
import type { GenAIContent, GenAIPart } from './genai-types.ts';
import { joined, textsOf } from './text.ts';

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
