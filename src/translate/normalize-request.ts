import { defined } from '../protocol/defined.ts';
import type { LLMMessage, LLMRequest } from '../protocol/llm.ts';
import { isRecord } from '../protocol/output.ts';
import { readConfig } from './config.ts';
import { readText } from './fields.ts';
import { readMessages } from './normalize-messages.ts';
import { ignored } from '../protocol/notes.ts';
import { joined, textsOf } from './text.ts';
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
