import type { LLMMessage, LLMRole } from '../protocol/llm.ts';
import { isRecord } from '../protocol/output.ts';
import { ignored } from '../protocol/notes.ts';
import { toJsonText } from './json-text.ts';
import { joined, textOf, textsOf } from './text.ts';

/** The valid messages of a hook's list, with a note for each that is none. */
export function readMessages(value: unknown, path: string, notes: string[]): LLMMessage[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    notes.push(ignored(path, value, 'a list of messages'));
    return [];
  }
  const messages = value
    .map((message, index) => readMessage(message, `${path}[${index}]`, notes))
    .filter((message) => message !== undefined);
  if (messages.length === 0)
    notes.push(
      `${path} holds no message and changed nothing: a request cannot be without messages`,
    );
  else if (messages.every(({ role }) => role === 'system'))
    notes.push(
      `${path} holds only system messages: they were added, and the conversation was left as it was`,
    );
  return messages;
}

function readMessage(message: unknown, path: string, notes: string[]): LLMMessage | undefined {
  if (!isRecord(message)) {
    notes.push(ignored(path, message, '{ role, content }'));
    return undefined;
  }
  const role = readRole(message['role'], path, notes);
  const content = readContent(message, path, notes);
  return role === undefined || content === undefined ? undefined : { role, content };
}

function readRole(role: unknown, path: string, notes: string[]): LLMRole | undefined {
  if (role === 'user' || role === 'model' || role === 'system') return role;
  if (role === 'assistant') {
    notes.push(`${path}.role is "assistant" and was read as "model"`);
    return 'model';
  }
  notes.push(`${ignored(`${path}.role`, role, 'user, model or system')}; the message was left out`);
  return undefined;
}

/** A text as it is, parts as their text, anything else as JSON text (seed 000 §5.1). */
function readContent(
  message: Readonly<Record<string, unknown>>,
  path: string,
  notes: string[],
): string | undefined {
  const content = message['content'] ?? message['parts'] ?? undefined;
  if (content === undefined) {
    notes.push(`${path} was ignored: it has no content`);
    return undefined;
  }
  const parts = Array.isArray(content) ? content : [content];
  const silent = parts.filter((part) => textOf(part) === undefined).length;
  if (silent > 0 && silent === parts.length) {
    notes.push(`${path}.content is no text and was turned into JSON text`);
    return toJsonText(content);
  }
  if (silent > 0) notes.push(`${path}.content has parts without text, which were left out`);
  return joined(textsOf(parts));
}
