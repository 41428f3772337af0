import { isDeepStrictEqual } from 'node:util';
import type {
  NeutralMessage,
  NeutralPart,
  NeutralRequest,
} from '../../core/calls/run-model-call.ts';
import { defined, isRecord } from '../../base/json.ts';
import type { HookToolConfig, LLMConfig } from '../../core/protocol/llm.ts';
import { asInput } from '../parts/run-tool.ts';
import type { CallOptions, Message, MessagePart, OfferedTool, ToolChoice } from './types.ts';

/** A model's request as hooks see it. */
export function toNeutral(model: string, options: CallOptions): NeutralRequest {
  const { tools = [], toolChoice } = options;
  const toolConfig = toolConfigOf(toolChoice);
  return {
    model,
    messages: apart(options.prompt).conversation.map(toMessage),
    tools: tools.map(({ name }) => name),
    settings: settingsOf(options),
    ...(toolConfig && { toolConfig }),
  };
}

/** The options as hooks left them; what they did not touch is unchanged. */
export function fromNeutral(
  asked: NeutralRequest,
  given: NeutralRequest,
  options: CallOptions,
): CallOptions {
  return {
    ...options,
    ...changedSettings(asked.settings, given.settings),
    ...(isDeepStrictEqual(asked.toolConfig, given.toolConfig)
      ? {}
      : withToolConfig(options, asked.toolConfig)),
    ...promptChange(asked, given, options.prompt),
  };
}

/** System messages are not for hooks: those at either end are kept apart, one in between keeps its place. */
function apart(prompt: readonly Message[]) {
  const start = prompt.findIndex(isSaid);
  const end = prompt.findLastIndex(isSaid) + 1;
  return start === -1
    ? { before: prompt, conversation: [], after: [] }
    : {
        before: prompt.slice(0, start),
        conversation: prompt.slice(start, end),
        after: prompt.slice(end),
      };
}

const isSaid = ({ role }: Message): boolean => role !== 'system';

function toMessage(message: Message): NeutralMessage {
  if (message.role === 'system')
    return { role: 'user', parts: [{ original: message }], original: message };
  const role = message.role === 'assistant' ? 'model' : 'user';
  return { role, parts: message.content.map(toPart), original: message };
}

function toPart(part: MessagePart): NeutralPart {
  const { type, text, toolCallId: id, toolName: name, input, providerExecuted } = part;
  if (type === 'text' && text !== undefined) return { text, original: part };
  if (id === undefined || name === undefined || providerExecuted) return { original: part };
  if (type === 'tool-call') return { call: { id, name, input: asInput(input) }, original: part };
  return type === 'tool-result' ? { result: { id, name }, original: part } : { original: part };
}

function promptChange(
  { messages, system }: NeutralRequest,
  given: NeutralRequest,
  prompt: readonly Message[],
): Pick<CallOptions, 'prompt'> | undefined {
  const isSame =
    messages.length === given.messages.length &&
    messages.every((message, index) => message === given.messages[index]);
  if (isSame && system === undefined) return undefined;
  const { before, after } = apart(prompt);
  return {
    prompt: [
      ...before,
      ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
      ...messages.flatMap(fromMessage),
      ...after,
    ],
  };
}

/** A message that hooks changed or added; tool results get messages of their own. */
function fromMessage({ role, parts, original }: NeutralMessage): readonly Message[] {
  if (original !== undefined) return [original as Message];
  if (role === 'model') return [{ role: 'assistant', content: contentOf(parts) }];
  const results = parts.filter(isOfTool);
  const said = parts.filter((part) => !isOfTool(part));
  return [
    ...(results.length > 0 ? [{ role: 'tool' as const, content: contentOf(results) }] : []),
    ...(said.length > 0 ? [{ role: 'user' as const, content: contentOf(said) }] : []),
  ];
}

const contentOf = (parts: readonly NeutralPart[]): MessagePart[] =>
  parts.map(fromPart).filter(({ type }) => !ofAnswersAlone.has(type));

/** Parts that occur in a model's answers but never in its requests. */
const ofAnswersAlone = new Set(['source', 'raw']);

/** What belongs in a tool message: results, and the user's replies to approval requests. */
const isOfTool = ({ result, original }: NeutralPart): boolean =>
  result !== undefined || (isRecord(original) && original['type'] === 'tool-approval-response');

/** A piece of an answer has another shape once hooks put it into the conversation. */
function fromPart({ text, original }: NeutralPart): MessagePart {
  if (!isRecord(original)) return { type: 'text', text: text ?? '' };
  const { providerMetadata, stream: _stream, ...part } = original;
  return providerMetadata === undefined && _stream === undefined
    ? (original as never)
    : defined<MessagePart>({ ...part, providerOptions: providerMetadata } as never);
}

const settingNames = [
  'temperature',
  'maxOutputTokens',
  'topP',
  'topK',
  'stopSequences',
  'presencePenalty',
  'frequencyPenalty',
] as const satisfies readonly (keyof LLMConfig & keyof CallOptions)[];

const settingsOf = (options: CallOptions): LLMConfig =>
  defined<LLMConfig>(Object.fromEntries(settingNames.map((name) => [name, options[name]])));

const changedSettings = (asked: LLMConfig = {}, given: LLMConfig = {}): Partial<CallOptions> =>
  Object.fromEntries(
    settingNames
      .filter((name) => !isDeepStrictEqual(asked[name], given[name]))
      .map((name) => [name, asked[name]]),
  );

function toolConfigOf(choice: ToolChoice | undefined): HookToolConfig | undefined {
  switch (choice?.type) {
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [choice.toolName] };
    case 'auto':
      return { mode: 'AUTO' };
    default:
      return undefined;
  }
}

/** The tools that hooks left on offer. */
function withToolConfig(
  { tools = [] }: CallOptions,
  { mode, allowedFunctionNames: allowed }: HookToolConfig = {},
): Pick<CallOptions, 'tools' | 'toolChoice'> {
  const offered: readonly OfferedTool[] =
    mode === 'NONE' ? [] : tools.filter(({ name }) => allowed?.includes(name) ?? true);
  if (offered.length === 0) return { tools: undefined, toolChoice: undefined };
  return { tools: offered, toolChoice: { type: mode === 'ANY' ? 'required' : 'auto' } };
}
