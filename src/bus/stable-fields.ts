import type { HookEventName } from '../protocol/events.ts';
import type { HookEventFields } from '../protocol/input.ts';
import { normalizeHookLLMRequest, normalizeHookLLMResponse } from '../translate/genai-v1.ts';

type Given = Readonly<Record<string, unknown>>;

/**
 * An event's fields with the model's request and response in the stable format (DELTA-HPAY-003, C-71
 * to C-73). What would leave out a message is a fault: hooks must see all that the model gets.
 */
export function inStableFormat<Event extends HookEventName>(
  event: Event,
  fields: HookEventFields[Event],
): { fields: HookEventFields[Event] } | { faults: readonly string[] } {
  const { llm_request, llm_response } = fields as unknown as Readonly<Record<string, Given>>;
  const faults: string[] = [];
  const stable = {
    ...fields,
    ...(isModelEvent(event) && { llm_request: stableRequest(llm_request!, faults) }),
    ...(event === 'AfterModel' && { llm_response: stableResponse(llm_response!, faults) }),
  };
  return faults.length > 0 ? { faults } : { fields: stable as unknown as HookEventFields[Event] };
}

const isModelEvent = (event: HookEventName): boolean =>
  event === 'BeforeModel' || event === 'AfterModel' || event === 'BeforeToolSelection';

/** What a request has in either of its forms. */
const requestFields: readonly string[] = [
  'model',
  'messages',
  'config',
  'toolConfig',
  'contents',
  'systemInstruction',
  'generationConfig',
];

/** The fields of either form; what else a request has is passed through (G-15). */
function stableRequest(given: Given, faults: string[]): unknown {
  const { request, notes } = normalizeHookLLMRequest(given);
  const { model, messages, contents } = given;
  const said = messages ?? contents;
  if (model !== undefined && model !== null && typeof model !== 'string')
    faults.push('llm_request.model must be a string');
  if (!Array.isArray(said)) faults.push('llm_request.messages must be a list of { role, content }');
  else if (understood(said) < said.length)
    faults.push(...notes.filter((note) => /^llm_request\.(?:messages|contents)\[/.test(note)));
  const others = Object.entries(given).filter(([name]) => !requestFields.includes(name));
  return { ...Object.fromEntries(others), ...request, messages: request.messages ?? [] };
}

/** How many messages of a list can be told to hooks. */
const understood = (messages: readonly unknown[]): number =>
  normalizeHookLLMRequest({ messages }).request.messages?.length ?? 0;

function stableResponse(given: Given, faults: string[]): unknown {
  const { text: _, candidates: said, usageMetadata: __, ...others } = given;
  const { response, notes } = normalizeHookLLMResponse(given);
  const { text, candidates } = response ?? {};
  if (text === undefined && candidates === undefined)
    faults.push(...notes, 'llm_response must have "candidates" or "text"');
  else if (Array.isArray(said) && candidates !== undefined && candidates.length < said.length)
    faults.push(...notes);
  const content = { role: 'model', parts: text ? [text] : [] };
  return {
    ...others,
    ...response,
    candidates: candidates ?? [{ content, finishReason: 'STOP' }],
  };
}
