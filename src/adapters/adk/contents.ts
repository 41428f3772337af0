import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type {
  NeutralMessage,
  NeutralPart,
  NeutralRequest,
  NeutralResponse,
} from '../../core/calls/run-model-call.ts';
import type { HookToolConfig } from '../../core/protocol/llm.ts';
import { readConfig } from '../../core/translate/fields.ts';
import type { GenAIToolConfig } from '../../core/translate/genai-types.ts';
import { defaultHookTranslator } from '../../core/translate/genai-v1.ts';
import { withSystemTexts } from '../../core/translate/request.ts';
import type {
  Content,
  Declared,
  InvocationContext,
  LlmConfig,
  LlmRequest,
  LlmResponse,
  Part,
} from './types.ts';

/** The prefix of the call ids that ADK makes. ADK drops such ids before it asks a model. */
const prefix = 'adk-';

/** The functions that a model may call, by name. */
export const declaredNames = (tools: readonly Declared[]): string[] =>
  tools.flatMap(({ functionDeclarations = [] }) =>
    functionDeclarations.flatMap(({ name }) => name ?? []),
  );

/** A request as hooks see it. */
export function toNeutralRequest(
  { contents, config = {}, model }: LlmRequest,
  defaultModel: string,
  context: InvocationContext,
): NeutralRequest {
  const { toolConfig } = config;
  const choice =
    toolConfig && defaultHookTranslator.toHookToolConfig(toolConfig as GenAIToolConfig);
  const ids = resultIds(context);
  return {
    model: model || defaultModel,
    messages: contents
      .toReversed()
      .map((content) => toMessage(content, ids))
      .toReversed(),
    tools: declaredNames(config.tools ?? []),
    settings: readConfig(config, 'config', []),
    ...(choice && Object.keys(choice).length > 0 && { toolConfig: choice }),
  };
}

/** The ids of the results so far by tool name, the latest last. A request no longer carries them. */
function resultIds({ session }: InvocationContext): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { content } of session.events)
    for (const { functionResponse } of content?.parts ?? [])
      if (functionResponse?.id !== undefined && functionResponse.name !== undefined)
        ids.set(functionResponse.name, [
          ...(ids.get(functionResponse.name) ?? []),
          functionResponse.id,
        ]);
  return ids;
}

function toMessage(content: Content, ids: Map<string, string[]>): NeutralMessage {
  const { role, parts = [] } = content;
  return {
    role: role === 'model' ? 'model' : 'user',
    parts: parts
      .toReversed()
      .map((part) => toPart(part, ids))
      .toReversed(),
    original: content,
  };
}

function toPart(part: Part, ids?: Map<string, string[]>): NeutralPart {
  const { functionCall, functionResponse } = part;
  if (functionCall) {
    const { id = '', name = '', args = {} } = functionCall;
    return { call: { id, name, input: args }, original: part };
  }
  if (functionResponse) {
    const { name = '', id = ids?.get(name)?.pop() ?? '' } = functionResponse;
    return { result: { id, name }, original: part };
  }
  const text = spokenText(part);
  return text === undefined ? { original: part } : { text, original: part };
}

/** The request as hooks left it; the given object if they changed nothing. */
export function fromNeutralRequest(
  changed: NeutralRequest,
  given: NeutralRequest,
  request: LlmRequest,
): LlmRequest {
  const { model, messages, system, toolConfig, settings = {} } = changed;
  const isSame =
    messages.length === given.messages.length &&
    messages.every((message, place) => message === given.messages[place]);
  const before: LlmConfig = request.config ?? {};
  const config = {
    ...before,
    ...(isDeepStrictEqual(settings, given.settings) ? {} : settings),
    ...(system !== undefined && {
      systemInstruction: withSystemTexts(before.systemInstruction, [system]),
    }),
    ...(!isDeepStrictEqual(toolConfig, given.toolConfig) &&
      toolConfig &&
      offered(toolConfig, before)),
  };
  const isConfigured = !isDeepStrictEqual(config, before);
  if (isSame && !isConfigured && model === given.model) return request;
  return {
    ...request,
    ...(model !== given.model && { model }),
    ...(!isSame && { contents: messages.map(toContent) }),
    ...(isConfigured && { config }),
  };
}

const toContent = ({ role, parts, original }: NeutralMessage): Content =>
  (original as Content | undefined) ?? { role, parts: parts.map(fromPart) };

/**
 * The tools that hooks leave on offer. Gemini rejects a choice among no tools, and names with any mode but
 * ANY.
 */
function offered(
  { mode = 'AUTO', allowedFunctionNames }: HookToolConfig,
  config: LlmConfig,
): LlmConfig {
  const allows = (name = ''): boolean =>
    mode !== 'NONE' && (allowedFunctionNames?.includes(name) ?? true);
  const tools = (config.tools ?? []).flatMap((tool) => {
    if (!tool.functionDeclarations) return [tool];
    const left = tool.functionDeclarations.filter(({ name }) => allows(name));
    return left.length > 0 ? [{ ...tool, functionDeclarations: left }] : [];
  });
  const hasFunctions = tools.some(({ functionDeclarations }) => functionDeclarations);
  const { functionCallingConfig: _, ...rest } = config.toolConfig ?? {};
  return {
    tools,
    toolConfig: {
      ...rest,
      ...(hasFunctions && {
        functionCallingConfig: {
          mode,
          ...(mode === 'ANY' && allowedFunctionNames && { allowedFunctionNames }),
        },
      }),
    },
  };
}

/**
 * An answer as hooks see it; it may have come in several pieces. Calls get the ids that ADK would give them.
 */
export function toNeutralResponse(answers: readonly LlmResponse[]): NeutralResponse {
  const { finishReason, usageMetadata: usage } = answers.at(-1) ?? {};
  return {
    parts: answers.flatMap(({ content }) =>
      (content?.parts ?? []).map(withId).map((part) => toPart(part)),
    ),
    finishReason: finishReason ?? 'STOP',
    ...(usage && { usage }),
  };
}

function withId(part: Part): Part {
  const { functionCall } = part;
  if (functionCall && !functionCall.id)
    Object.assign(functionCall, { id: `${prefix}${randomUUID()}` });
  return part;
}

/** The answers as hooks left them: the given ones if nothing changed, otherwise a single one. */
export function fromNeutralResponse(
  { parts }: NeutralResponse,
  given: readonly LlmResponse[],
): readonly LlmResponse[] {
  const before = given.flatMap(({ content }) => content?.parts ?? []);
  const after = parts.map(fromPart);
  const isSame =
    given.length > 0 &&
    after.length === before.length &&
    after.every((part, place) => part === before[place]);
  if (isSame) return given;
  const last = given.at(-1) ?? { finishReason: 'STOP' };
  return [{ ...last, partial: false, content: { role: 'model', parts: after } }];
}

function fromPart({ text, call, original }: NeutralPart): Part {
  const part = original as Part | undefined;
  if (part === undefined) return { text: text ?? '' };
  const { functionCall } = part;
  return call && functionCall && call.input !== (functionCall.args ?? call.input)
    ? { ...part, functionCall: { ...functionCall, args: call.input } }
    : part;
}

export const textOf = (answers: readonly LlmResponse[]): string =>
  answers
    .flatMap(({ content }) => content?.parts ?? [])
    .map((part) => spokenText(part) ?? '')
    .join('');

/** The text of a part; undefined if it has none or is a thought. */
export const spokenText = ({ text, thought }: Part): string | undefined =>
  thought ? undefined : text;
