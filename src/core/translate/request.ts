import { ignored } from '../protocol/output.ts';
import type {
  HookToolConfig,
  HookToolMode,
  LLMMessage,
  LLMRequest,
  LLMRole,
} from '../protocol/llm.ts';
import { readConfig, readText, readTexts } from './fields.ts';
import type { GenAIConfig, GenAIRequest, GenAIToolConfig } from './genai-types.ts';
import { rebuildContents } from './rebuild-contents.ts';
import { joined, textOf, textsOf, toJsonText, toTurns } from './turns.ts';
import { defined, isRecord } from '../../base/json.ts';

/** The fields that a request may have, in the form that hooks see or in that of Gemini's API. */
export const requestFields: readonly string[] = [
  'model',
  'messages',
  'config',
  'toolConfig',
  'contents',
  'systemInstruction',
  'generationConfig',
];

/**
 * Returns the request that hooks see: its texts, its settings and its tool config.
 * Equal requests give equal results, key for key. The system instruction is not shown, nor
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
 * Returns the base request with a hook's changes. Whatever the hook did not touch
 * stays: the contents it left alone with all their parts, every config key it did not set, the
 * `tools` and all else. Invalid values of the hook are ignored; `normalizeHookLLMRequest` lists them.
 *
 * A system message is appended to the system instruction. With `cachedContent`, where Gemini
 * rejects a system instruction, it becomes the user message "[System] ..." at its place. If there are
 * only system messages, or no messages at all, the conversation stays unchanged: a request must
 * have one.
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

/**
 * Separates the conversation's messages from the texts for the system instruction: SDK contents have no
 * role "system".
 */
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

/** Turns system messages into user messages at their place; if there are no others, they come last. */
export function systemAsNotes(
  messages: readonly LLMMessage[],
  conversation: readonly LLMMessage[],
): LLMMessage[] {
  const all = messages.every(isSystem) ? [...conversation, ...messages] : messages;
  return all.map((message) =>
    isSystem(message) ? { role: 'user', content: `[System] ${message.content}` } : message,
  );
}

/** Appends texts to a system instruction; a string stays a string. */
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

/**
 * Turns a hook's `llm_request` into a valid part of a request. Invalid values are left out, with a note
 * for the hook's author; null counts as absent.
 *
 * The API reference's form (`contents`, `systemInstruction`, `generationConfig`) is accepted as well and
 * converted; if both forms set the same thing, the stable one wins.
 *
 * @example
 * normalizeHookLLMRequest({ contents: [{ role: 'user', parts: ['Hi'] }], model: 7 });
 * // { request: { messages: [{ role: 'user', content: 'Hi' }] },
 * //   notes: ['llm_request.model is 7 and was ignored: it must be a string'] }
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

/** Reads the messages of either form; undefined if there are none, which changes nothing. */
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

/** Returns the valid messages in a hook's list, with a note for each invalid one. */
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
      `${path} holds no messages and changed nothing: a request needs at least one message`,
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
  notes.push(`${ignored(`${path}.role`, role, 'user, model or system')}; the message was dropped`);
  return undefined;
}

/** Returns a text unchanged, parts as their text, and anything else as JSON text. */
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
    notes.push(`${path}.content is not text and was converted to JSON text`);
    return toJsonText(content);
  }
  if (silent > 0) notes.push(`${path}.content has parts without text, which were dropped`);
  return joined(textsOf(parts));
}

const modes: readonly unknown[] = ['AUTO', 'ANY', 'NONE'] satisfies HookToolMode[];
const isMode = (value: unknown): value is HookToolMode => modes.includes(value);

/** Returns the tool config that hooks see; a mode that only the SDK knows is left out. */
export const toHookToolConfig = (toolConfig: GenAIToolConfig | undefined): HookToolConfig =>
  read(isRecord(toolConfig) ? toolConfig.functionCallingConfig : undefined, 'toolConfig', []);

/**
 * Returns the SDK's tool config with a hook's changes; all else in it stays, and so do the `tools`. Mode NONE without a list empties the list, because providers reject names with it.
 */
export function fromHookToolConfig<Base extends GenAIToolConfig = GenAIToolConfig>(
  hookToolConfig: HookToolConfig,
  base?: Base,
): Base {
  const whole: Readonly<Record<string, unknown>> = isRecord(base) ? base : {};
  const changes = read(hookToolConfig, 'toolConfig', []);
  if (Object.keys(changes).length === 0) return { ...whole } as unknown as Base;
  const calling = whole['functionCallingConfig'];
  const before = isRecord(calling) ? calling : {};
  const emptied = changes.mode === 'NONE' && 'allowedFunctionNames' in before;
  return {
    ...whole,
    functionCallingConfig: {
      ...before,
      ...(emptied && { allowedFunctionNames: [] }),
      ...changes,
    },
  } as unknown as Base;
}

/** Makes a hook's tool config valid, with a note for everything that had to be left out. */
export function normalizeHookToolConfig(
  value: unknown,
  path = 'toolConfig',
): { toolConfig: HookToolConfig; notes: string[] } {
  const notes: string[] = [];
  return { toolConfig: read(value, path, notes), notes };
}

function read(value: unknown, path: string, notes: string[]): HookToolConfig {
  if (value === undefined || value === null) return {};
  if (!isRecord(value)) {
    notes.push(ignored(path, value, 'an object'));
    return {};
  }
  const { mode } = value;
  if (mode !== undefined && mode !== null && !isMode(mode))
    notes.push(ignored(`${path}.mode`, mode, 'exactly AUTO, ANY or NONE'));
  const names = readTexts(value['allowedFunctionNames'], `${path}.allowedFunctionNames`, notes);
  return { ...(isMode(mode) && { mode }), ...(names && { allowedFunctionNames: names }) };
}
