import { defined } from '../protocol/defined.ts';
import type { LLMMessage, LLMRequest, LLMRole } from '../protocol/llm.ts';
import { ignored } from '../protocol/notes.ts';
import { isRecord } from '../protocol/output.ts';
import { readConfig, readText } from './fields.ts';
import { joined, textOf, textsOf, toJsonText } from './text.ts';
import { normalizeHookToolConfig } from './tool-config.ts';

/**
 * Makes a hook's `llm_request` a valid part of a request. What does not fit is left out, with a note
 * for the hook's author; null counts as absent.
 *
 * The API reference's form (`contents`, `systemInstruction`, `generationConfig`) is taken as well and
 * converted (C-71); where both forms name the same thing, the stable one wins.
 *
 * @example
 * normalizeHookLLMRequest({ contents: [{ role: 'user', parts: ['Hi'] }], model: 7 });
 * // { request: { messages: [{ role: 'user', content: 'Hi' }] },
 * //   notes: ['llm_request.model is 7 and was ignored: it must be a text'] }
 */
export function normalizeHookLLMRequest(value: unknown): {
  request: Partial<LLMRequest>;
  notes: string[];
} {
  const notes: string[] = [];
  if (value === undefined || value === null) return { request: {}, notes };
  if (!isRecord(value)) {
    notes.push(ignored('llm_request', value, 'an object'));
    return { request: {}, notes };
  }
  const config = {
    ...readConfig(value['generationConfig'], 'llm_request.generationConfig', notes),
    ...readConfig(value['config'], 'llm_request.config', notes),
  };
  const { toolConfig, notes: toolNotes } = normalizeHookToolConfig(
    value['toolConfig'],
    'llm_request.toolConfig',
  );
  return {
    request: defined<Partial<LLMRequest>>({
      model: readText(value['model'], 'llm_request.model', notes),
      messages: readConversation(value, notes),
      config: unlessEmpty(config),
      toolConfig: unlessEmpty(toolConfig),
    }),
    notes: [...notes, ...toolNotes],
  };
}

const unlessEmpty = <T extends object>(fields: T): T | undefined =>
  Object.keys(fields).length > 0 ? fields : undefined;

/** The messages of either form; undefined when there are none, which changes nothing (C-78). */
function readConversation(
  request: Readonly<Record<string, unknown>>,
  notes: string[],
): LLMMessage[] | undefined {
  const { messages, contents, systemInstruction } = request;
  const hasMessages = messages !== undefined && messages !== null;
  if (hasMessages && contents !== undefined && contents !== null)
    notes.push('llm_request.contents was ignored: llm_request.messages was given as well');
  const said = hasMessages
    ? readMessages(messages, 'llm_request.messages', notes)
    : readMessages(contents, 'llm_request.contents', notes);
  const system = joined(
    textsOf(
      isRecord(systemInstruction) && 'parts' in systemInstruction
        ? systemInstruction['parts']
        : systemInstruction,
    ),
  );
  if (system !== '') said.unshift({ role: 'system', content: system });
  return said.length > 0 ? said : undefined;
}

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
