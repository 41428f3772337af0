import type {
  NeutralPart,
  NeutralRequest,
  NeutralResponse,
} from '../../core/calls/run-model-call.ts';
import { defined, isRecord, inTable } from '../../base/json.ts';
import type { AgentHooks } from '../parts/agent-hooks.ts';
import type { Content, GenerateResult } from './types.ts';

/**
 * A piece of an answer as hooks see it. The SDK itself answers a call of a tool that is not on offer, or
 * whose arguments are not an object.
 */
export function toPart(
  content: Content,
  { tools = [] }: NeutralRequest,
  hooks: AgentHooks,
): NeutralPart {
  const { type, text, toolCallId: id, toolName: name, input, providerExecuted } = content;
  if (type === 'text' && text !== undefined) return { text, original: content };
  if (type !== 'tool-call' || id === undefined || name === undefined) return { original: content };
  warnOfProviderTool(hooks, content);
  const args = !providerExecuted && tools.includes(name) ? argumentsOf(input) : undefined;
  return args ? { call: { id, name, input: args }, original: content } : { original: content };
}

/** The arguments of a call. A model that has none to give writes nothing. */
function argumentsOf(input = ''): Readonly<Record<string, unknown>> | undefined {
  if (input.trim() === '') return {};
  try {
    const args: unknown = JSON.parse(input);
    return isRecord(args) ? args : undefined;
  } catch {
    return undefined;
  }
}

/** A piece of an answer as hooks left it. */
export function fromPart({ text, call, original }: NeutralPart): Content {
  const given = original as Content | undefined;
  if (call && given) return { ...given, input: JSON.stringify(call.input) };
  return given ?? { type: 'text', text: text ?? '' };
}

const toHooks: Readonly<Record<string, string>> = {
  stop: 'STOP',
  'tool-calls': 'STOP',
  length: 'MAX_TOKENS',
  'content-filter': 'SAFETY',
};

const fromHooks: Readonly<Record<string, string>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content-filter',
  RECITATION: 'content-filter',
};

/** A finish reason in the words of v2; since v3 the provider's own reason is beside it. */
const wordOf = (reason: unknown): string =>
  String(isRecord(reason) ? reason['unified'] : (reason ?? 'unknown'));

/** Why the answer ended, as hooks see it. */
export const finishReasonOf = (reason: unknown): string =>
  inTable(toHooks, wordOf(reason)) ?? 'OTHER';

/**
 * Why an answer ended, in the form of its specification; the provider's own reason if hooks and calls leave
 * it as it is.
 */
export function finishReason(
  response: NeutralResponse,
  given: unknown,
  hasCalls: boolean,
  specification: string,
): unknown {
  const changed = given === undefined || response.finishReason !== finishReasonOf(given);
  const lostCalls = wordOf(given) === 'tool-calls' && !hasCalls;
  if (!changed && !lostCalls) return given;
  const word = fromHooks[response.finishReason ?? 'STOP'] ?? 'other';
  return specification === 'v2' ? word : { unified: word, raw: undefined };
}

/** The usage as hooks see it. */
export function usageOf(usage: unknown): NeutralResponse['usage'] {
  if (!isRecord(usage)) return undefined;
  const { inputTokens, outputTokens, totalTokens } = usage;
  return defined<NonNullable<NeutralResponse['usage']>>({
    promptTokenCount: totalOf(inputTokens),
    candidatesTokenCount: totalOf(outputTokens),
    totalTokenCount: totalOf(totalTokens),
  });
}

/** A count: a number in v2, an object with its parts since v3. */
function totalOf(count: unknown): number | undefined {
  const total = isRecord(count) ? count['total'] : count;
  return typeof total === 'number' ? total : undefined;
}

/** The usage of an answer that no model gave. */
export function usageFor(specification: string, { usage = {} }: NeutralResponse): unknown {
  const { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: total } = usage;
  if (specification === 'v2')
    return { inputTokens: input, outputTokens: output, totalTokens: total };
  return {
    inputTokens: { total: input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
  };
}

/** A whole answer as hooks see it. */
export const toResponse = (
  { content, finishReason: reason, usage }: GenerateResult,
  request: NeutralRequest,
  hooks: AgentHooks,
): NeutralResponse => {
  const counts = usageOf(usage);
  return {
    parts: content.map((part) => toPart(part, request, hooks)),
    finishReason: finishReasonOf(reason),
    ...(counts && { usage: counts }),
  };
};

/** A whole answer as hooks left it; without one from the model, the hooks' own. */
export function fromResponse(
  response: NeutralResponse,
  given: GenerateResult | undefined,
  specification: string,
): GenerateResult {
  const content = response.parts
    .filter(({ text, original }) => original !== undefined || text !== '')
    .map(fromPart);
  const isSame =
    given !== undefined &&
    content.length === given.content.length &&
    content.every((part, index) => part === given.content[index]);
  const hasCalls = content.some(({ type }) => type === 'tool-call');
  return {
    ...(given ?? { usage: usageFor(specification, response), warnings: [] }),
    content: isSame ? given.content : content,
    finishReason: finishReason(response, given?.finishReason, hasCalls, specification),
  };
}

/** Warns about a tool that the provider ran. */
export function warnOfProviderTool(
  { notices }: AgentHooks,
  { type, toolName, providerExecuted }: Content,
): void {
  if (type === 'tool-call' && providerExecuted && toolName !== undefined)
    notices.warnOfProviderTool(toolName);
}
