import type { ToolInput } from '../../../machines/tool-call.ts';
import type { AnswerText, ModelCallInput, ModelCallOutcome } from '../../../machines/model-call.ts';
import {
  anyText,
  assertArguments,
  callback,
  list,
  optional,
  type Rule,
} from '../../base/arguments.ts';
import type { CallHost } from './call-host.ts';
import type { HookToolConfig, LLMConfig } from '../protocol/llm.ts';
import { defined } from '../../base/json.ts';
import { messageOf } from '../../base/message-of.ts';
import { observedSession } from '../run/telemetry.ts';
import { readConfig } from '../translate/fields.ts';
import type {
  GenAIContent,
  GenAIPart,
  GenAIRequest,
  GenAIResponse,
} from '../translate/genai-types.ts';
import { defaultHookTranslator } from '../translate/genai-v1.ts';
import {
  isPending,
  newCallId,
  type Ready,
  readyHookSystem,
  runCall,
  seesModelCalls,
} from './event-hooks.ts';
import {
  type EndedModelCall,
  endedModelCall,
  modelCall,
  modelCallInput,
  type ModelCallOptions,
} from './genai-model-call.ts';
import { refusalOf } from './tool-choice.ts';

/** A part of a message. A part without text, call or result is for the model only; hooks do not see it. */
export interface NeutralPart {
  readonly text?: string;
  /** A tool call that the model asks for. */
  readonly call?: { readonly id: string; readonly name: string; readonly input: ToolInput };
  /** The result of a call. Hooks do not see it, but it stays with its call. */
  readonly result?: { readonly id: string; readonly name: string };
  /** The caller's own form of the part; it is returned with it. */
  readonly original?: unknown;
}

/** A message of a conversation. */
export interface NeutralMessage {
  readonly role: 'user' | 'model';
  readonly parts: readonly NeutralPart[];
  /** The caller's own form of the message. */
  readonly original?: unknown;
}

/** A request to a model, independent of any provider. */
export interface NeutralRequest {
  readonly model: string;
  readonly messages: readonly NeutralMessage[];
  /** The names of the tools on offer; default: none. */
  readonly tools?: readonly string[];
  /** Which of them the model may call; by default it is free to choose. */
  readonly toolConfig?: HookToolConfig;
  readonly settings?: LLMConfig;
  /** Text that is added to the system instruction; hooks may add to it, but do not see the instruction. */
  readonly system?: string;
}

/** A model's answer. */
export interface NeutralResponse {
  readonly parts: readonly NeutralPart[];
  readonly finishReason?: string;
  readonly usage?: GenAIResponse['usageMetadata'];
}

/** Calls the model for one whole answer; `text` receives its text as it streams, if the model streams. */
export type CallNeutralModel = (
  request: NeutralRequest,
  signal: AbortSignal,
  text: AnswerText,
) => Promise<NeutralResponse>;

/** A model call that has ended, with the effects of its hooks applied. */
export interface EndedNeutralCall extends Omit<EndedModelCall, 'request' | 'response'> {
  /** The request that was sent, or would have been; messages that no hook changed are the given objects. */
  readonly request: NeutralRequest;
  /**
   * The response that the agent continues with; absent if the call failed, was cancelled, or was stopped
   * without an answer.
   */
  readonly response?: NeutralResponse;
  /** Returns why a tool may not be called in answer to this request, for the model; undefined if it may. */
  refusal(toolName: string): string | undefined;
}

const requestRules: Readonly<Record<string, Rule>> = {
  model: anyText,
  messages: list,
  tools: optional(list),
  callModel: callback,
};

/**
 * Runs one model call with its hooks, as one `modelCall` machine: the choice of tools, the request,
 * the answer. Never throws: a failing model is an outcome.
 *
 * @example
 * const call = await runModelCall(
 *   config,
 *   { model: 'some-model', messages: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
 *   async (request, signal) => ({ parts: [{ text: await ask(request, signal) }] }),
 * );
 * if (call.response) show(call.response.parts);
 */
export async function runModelCall(
  config: CallHost,
  request: NeutralRequest,
  callModel: CallNeutralModel,
  options: ModelCallOptions & { readonly id?: string } = {},
): Promise<EndedNeutralCall> {
  assertArguments('runModelCall', { ...request, callModel }, requestRules);
  const { signal, ...rest } = options;
  const ready = readyHookSystem(config);
  const system = isPending(ready) ? await ready : ready;
  const { input, read } = neutralModelCall(config, system, request, callModel, rest);
  if (signal?.aborted) {
    const reason = messageOf(signal.reason);
    return read({ status: 'cancelled', request: input.request, failures: [], reason });
  }
  const observed = { ...input, ...observedSession(config, rest.sessionId) };
  return read(await runCall(config, modelCall, observed, signal));
}

/** A model call that some machine is to run, and how its outcome is read. */
export interface NeutralModelCall {
  readonly input: ModelCallInput;
  readonly read: (outcome: ModelCallOutcome) => EndedNeutralCall;
}

/** Makes the input of a `modelCall` machine from a neutral request. */
export function neutralModelCall(
  config: CallHost,
  ready: Ready | Promise<Ready>,
  request: NeutralRequest,
  callModel: CallNeutralModel,
  options: Omit<ModelCallOptions, 'signal'> & { readonly id?: string } = {},
): NeutralModelCall {
  const { id = newCallId(), onHooks, onText, onWait, showsUnjudged, ...context } = options;
  const isSeen = isPending(ready) || seesModelCalls(config, ready);
  const carrier = isSeen ? new Carrier() : asGiven;
  const input = modelCallInput(
    config,
    ready,
    { id, request: carrier.toRequest(request) },
    async (changed, signal, text) =>
      carrier.toResponse(await callModel(carrier.fromRequest(changed, request), signal, text)),
    { onHooks, onText, onWait, showsUnjudged },
    context,
  );
  return {
    input,
    read(outcome) {
      const { response, request: sent, ...ended } = endedModelCall(outcome);
      return {
        ...ended,
        request: carrier.fromRequest(sent, request),
        ...(response && { response: carrier.fromResponse(response) }),
        refusal: (toolName) => carrier.refusal(toolName, sent),
      };
    },
  };
}

/** Takes a neutral conversation to the form that hooks see, and back. */
type Carries = Pick<
  Carrier,
  'toRequest' | 'fromRequest' | 'toResponse' | 'fromResponse' | 'refusal'
>;

/** Leaves a conversation that nobody sees as it is. */
const asGiven: Carries = {
  toRequest: (request) => request as never,
  fromRequest: (request) => request as never,
  toResponse: (response) => response as never,
  fromResponse: (response) => response as never,
  refusal(toolName, request) {
    const { toolConfig, ...rest } = request as unknown as NeutralRequest;
    if (toolConfig === undefined) return undefined;
    return refusalOf(toolName, new Carrier().toRequest({ ...rest, toolConfig, messages: [] }));
  },
};

/**
 * Converts a neutral conversation to the shapes that hooks change, and restores the caller's own objects for
 * whatever they left alone.
 */
class Carrier {
  readonly #messages = new Map<GenAIContent, NeutralMessage>();
  readonly #parts = new Map<GenAIPart, NeutralPart>();

  toRequest({
    model,
    messages,
    tools = [],
    toolConfig,
    settings,
    system,
  }: NeutralRequest): GenAIRequest {
    const config = {
      ...settings,
      ...(system !== undefined && { systemInstruction: system }),
      ...(toolConfig && { toolConfig: defaultHookTranslator.fromHookToolConfig(toolConfig) }),
      ...(tools.length > 0 && {
        tools: [{ functionDeclarations: tools.map((name) => ({ name })) }],
      }),
    };
    return {
      model,
      contents: messages.map((message) => this.#toContent(message)),
      config,
    } as GenAIRequest;
  }

  /** The request as hooks left it, with the caller's own objects for what they left alone. */
  fromRequest(
    { model, contents, config = {} }: GenAIRequest,
    given: NeutralRequest,
  ): NeutralRequest {
    const { systemInstruction, toolConfig } = config;
    return defined<NeutralRequest>({
      ...given,
      model,
      messages: (contents as readonly GenAIContent[]).map((content) => this.#fromContent(content)),
      settings: readConfig(config, 'config', []),
      toolConfig: toolConfig && defaultHookTranslator.toHookToolConfig(toolConfig),
      system: systemInstruction as string | undefined,
    });
  }

  toResponse({ parts, finishReason, usage }: NeutralResponse): GenAIResponse {
    const content = { role: 'model', parts: parts.map((part) => this.#toPart(part)) };
    return {
      candidates: [{ content, index: 0, ...(finishReason !== undefined && { finishReason }) }],
      ...(usage && { usageMetadata: usage }),
    };
  }

  fromResponse({ candidates, usageMetadata }: GenAIResponse): NeutralResponse {
    const { content, finishReason } = candidates?.[0] ?? {};
    return {
      parts: this.#fromParts(content?.parts),
      ...(finishReason !== undefined && { finishReason }),
      ...(usageMetadata && { usage: usageMetadata }),
    };
  }

  refusal(toolName: string, request: GenAIRequest): string | undefined {
    return refusalOf(toolName, request);
  }

  #toContent(message: NeutralMessage): GenAIContent {
    const content = {
      role: message.role,
      parts: message.parts.map((part) => this.#toPart(part)),
    };
    this.#messages.set(content, message);
    return content;
  }

  #fromContent(content: GenAIContent): NeutralMessage {
    const kept = this.#messages.get(content);
    if (kept) return kept;
    return {
      role: content.role === 'model' ? 'model' : 'user',
      parts: this.#fromParts(content.parts),
    };
  }

  #toPart(part: NeutralPart): GenAIPart {
    const { text, call, result } = part;
    const carried: GenAIPart = {
      ...(text !== undefined && { text }),
      ...(call && { functionCall: { id: call.id, name: call.name, args: { ...call.input } } }),
      ...(result && { functionResponse: result }),
    };
    this.#parts.set(carried, part);
    return carried;
  }

  #fromParts(parts: readonly GenAIPart[] = []): NeutralPart[] {
    return parts.map((part) => this.#parts.get(part) ?? { text: part.text ?? '' });
  }
}
