import { isDeepStrictEqual } from 'node:util';
import type {
  NeutralMessage,
  NeutralPart,
  NeutralRequest,
} from '../../core/calls/run-model-call.ts';
import type { HookToolConfig, LLMConfig } from '../../core/protocol/llm.ts';
import { defined } from '../../base/json.ts';
import type { Content, Item, ModelRequest, ModelSettings } from './types.ts';
import { callOf } from './items.ts';

/** Where a part of a neutral message came from: a whole item of the conversation, or a piece of a message. */
interface Origin {
  readonly item: Item;
  readonly content?: Content;
}

/** The names of everything that the model may call. */
export const toolNames = ({ tools, handoffs }: ModelRequest): string[] => [
  ...tools.map(({ name }) => name),
  ...handoffs.map(({ toolName }) => toolName),
];

/**
 * A request as hooks see it. System messages and what only the provider reads are parts that they do not see.
 */
export function toNeutralRequest(request: ModelRequest, model: string): NeutralRequest {
  const { input, modelSettings } = request;
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const toolConfig = toolConfigOf(modelSettings.toolChoice);
  return {
    model,
    messages: toMessages(items, request),
    tools: toolNames(request),
    settings: settingsOf(modelSettings),
    ...(toolConfig && { toolConfig }),
  };
}

/** The request as hooks left it; the given object if they changed nothing. */
export function fromNeutralRequest(
  changed: NeutralRequest,
  given: NeutralRequest,
  request: ModelRequest,
): ModelRequest {
  const { messages, system, toolConfig, settings } = changed;
  const isSame =
    messages.length === given.messages.length &&
    messages.every((message, place) => message === given.messages[place]);
  const isConfigured = !isDeepStrictEqual(toolConfig, given.toolConfig);
  const changes: Partial<ModelRequest> = {
    ...(!isSame && { input: messages.flatMap(toItems) }),
    ...(system !== undefined && {
      systemInstructions: [request.systemInstructions, system].filter(Boolean).join('\n\n'),
    }),
    ...(isConfigured && toolConfig && offered(toolConfig, request)),
  };
  const modelSettings = {
    ...changedSettings(settings ?? {}, given.settings ?? {}),
    ...(isConfigured && toolConfig && choiceOf(toolConfig)),
  };
  if (Object.keys({ ...changes, ...modelSettings }).length === 0) return request;
  return {
    ...request,
    ...changes,
    modelSettings: { ...request.modelSettings, ...modelSettings },
  };
}

/** The settings that hooks gave but the SDK does not have. */
export const unknownSettings = ({ settings }: NeutralRequest): string[] =>
  (['topK', 'stopSequences', 'candidateCount'] as const).filter(
    (name) => settings?.[name] !== undefined,
  );

/** One message per item; what hooks do not see is a part of the message before it. */
function toMessages(items: readonly Item[], request: ModelRequest): NeutralMessage[] {
  const messages: { role: 'user' | 'model'; parts: NeutralPart[]; original: Item[] }[] = [];
  for (const item of items) {
    const { role, parts } = toMessage(item, request);
    const last = messages.at(-1);
    if (role === undefined && last) {
      last.parts.push(...parts);
      last.original.push(item);
    } else messages.push({ role: role ?? 'user', parts: [...parts], original: [item] });
  }
  return messages;
}

function toMessage(
  item: Item,
  request: ModelRequest,
): { readonly role?: 'user' | 'model'; readonly parts: readonly NeutralPart[] } {
  const original: Origin = { item };
  if (item.role === 'system') return { parts: [{ original }] };
  if (item.role === 'user' || item.role === 'assistant')
    return { role: item.role === 'user' ? 'user' : 'model', parts: contentsOf(item) };
  const call = callOf(item, request);
  if (call) return { role: 'model', parts: [{ call, original }] };
  const { callId: id, name = '' } = item;
  if (id !== undefined && isResult(item))
    return { role: 'user', parts: [{ result: { id, name }, original }] };
  return { role: 'model', parts: [{ original }] };
}

const isResult = ({ type = '' }: Item): boolean => /_(?:result|output)$/.test(type);

function contentsOf(item: Item): NeutralPart[] {
  const { content = [] } = item;
  if (typeof content === 'string') return [{ text: content, original: { item } }];
  return content.map((piece) => {
    const original: Origin = { item, content: piece };
    return isText(piece) ? { text: piece.text, original } : { original };
  });
}

const isText = (content: Content): content is Content & { readonly text: string } =>
  /^(?:input|output)_text$/.test(content.type) && content.text !== undefined;

/**
 * The items of a message. One that hooks changed or added is rebuilt, with the content in it that is not
 * text.
 */
function toItems({ role, parts, original }: NeutralMessage): readonly Item[] {
  if (original !== undefined) return original as readonly Item[];
  const items: Item[] = [];
  let said: Content[] = [];
  const endMessage = (): void => {
    if (said.length > 0) items.push(message(role, said));
    said = [];
  };
  for (const part of parts) {
    const origin = part.original as Origin | undefined;
    if (origin?.content) said.push(origin.content);
    else if (part.text !== undefined) said.push(textIn(role, part.text));
    else if (origin) {
      endMessage();
      items.push(origin.item);
    }
  }
  endMessage();
  return items;
}

const textIn = (role: 'user' | 'model', text: string): Content => ({
  type: role === 'user' ? 'input_text' : 'output_text',
  text,
});

const message = (role: 'user' | 'model', content: readonly Content[]): Item =>
  role === 'user'
    ? { type: 'message', role: 'user', content }
    : { type: 'message', role: 'assistant', status: 'completed', content };

function settingsOf(settings: ModelSettings): LLMConfig {
  const { temperature, topP, maxTokens, frequencyPenalty, presencePenalty } = settings;
  return defined<LLMConfig>({
    temperature,
    maxOutputTokens: maxTokens,
    topP,
    presencePenalty,
    frequencyPenalty,
  });
}

/** The SDK's names of settings, by our names. */
const settingNames = {
  temperature: 'temperature',
  topP: 'topP',
  maxOutputTokens: 'maxTokens',
  presencePenalty: 'presencePenalty',
  frequencyPenalty: 'frequencyPenalty',
} as const;

const changedSettings = (settings: LLMConfig, given: LLMConfig): ModelSettings =>
  Object.fromEntries(
    Object.entries(settingNames)
      .map(([ours, theirs]) => [theirs, ours as keyof typeof settingNames] as const)
      .filter(([, ours]) => settings[ours] !== given[ours])
      .map(([theirs, ours]) => [theirs, settings[ours]]),
  );

function toolConfigOf(choice: string | undefined): HookToolConfig | undefined {
  if (choice === undefined) return undefined;
  if (choice === 'auto') return { mode: 'AUTO' };
  if (choice === 'none') return { mode: 'NONE' };
  if (choice === 'required') return { mode: 'ANY' };
  return { mode: 'ANY', allowedFunctionNames: [choice] };
}

const choices = { AUTO: 'auto', ANY: 'required', NONE: 'none' } as const;

const choiceOf = ({ mode = 'AUTO' }: HookToolConfig): ModelSettings => ({
  toolChoice: choices[mode],
});

/** The tools that hooks leave on offer, and the handoffs, which are tools to the model. */
function offered(
  { mode, allowedFunctionNames }: HookToolConfig,
  { tools, handoffs }: ModelRequest,
): Partial<ModelRequest> {
  const allows = (name: string): boolean =>
    mode !== 'NONE' && (allowedFunctionNames?.includes(name) ?? true);
  return {
    tools: tools.filter(({ name }) => allows(name)),
    handoffs: handoffs.filter(({ toolName }) => allows(toolName)),
    // Otherwise the tools of a stored prompt are offered if none is left.
    toolsExplicitlyProvided: true,
  };
}
