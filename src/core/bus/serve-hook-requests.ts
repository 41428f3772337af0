import { debugChannel } from '../../base/log.ts';
import { messageOf } from '../../base/message-of.ts';
import { checkEventFields } from '../protocol/fields.ts';
import { type HookEventName, isHookEventName } from '../protocol/events.ts';
import type { HookEventFields } from '../protocol/input.ts';
import { isRecord } from '../../base/json.ts';
import { normalizeHookLLMRequest, normalizeHookLLMResponse } from '../translate/genai-v1.ts';
import { requestFields } from '../translate/request.ts';
import type { HookStage, AggregatedHookResult } from '../answers/results.ts';
import {
  busError,
  type HookBusError,
  type HookExecutionResponse,
  listenTo,
  longestName,
  type MessageBus,
  MessageBusType,
  sendOn,
} from './message-bus.ts';

const debug = debugChannel('event-handler');

/** The part of a hook system that the bus needs. */
interface HookRequestServer {
  /** Runs the hooks of an event. */
  fire(request: BusRequest): Promise<AggregatedHookResult>;
  /** Called with the error of a request whose hooks were never run. */
  refused(error: HookBusError): void;
}

type Payload = HookExecutionResponse['payload'];

/**
 * Answers each request on the bus with exactly one response, until the returned function is called. No message makes it throw.
 */
export function serveHookRequests(bus: MessageBus, server: HookRequestServer): () => void {
  let open = true;
  const stopListening = listenTo(bus, MessageBusType.HOOK_EXECUTION_REQUEST, (message) => {
    if (open) void respond(bus, server, message);
  });
  return () => {
    open = false;
    try {
      stopListening();
    } catch (error) {
      debug('the message bus threw when unsubscribing: %s', messageOf(error));
    }
  };
}

async function respond(bus: MessageBus, server: HookRequestServer, message: unknown) {
  const correlationId = correlationIdOf(message) ?? newId();
  const answer = await carryOut(server, message);
  try {
    await sendOn(bus, {
      type: MessageBusType.HOOK_EXECUTION_RESPONSE,
      payload: { correlationId, ...answer },
    });
  } catch (error) {
    // The response was handed over: a receiver's failure is not ours to handle.
    debug('the message bus threw for the response %s: %s', correlationId, messageOf(error));
  }
}

/** Loads `node:crypto` on demand, because most requests have an id. */
const newId = (): string => process.getBuiltinModule('node:crypto').randomUUID();

async function carryOut(
  server: HookRequestServer,
  message: unknown,
): Promise<Omit<Payload, 'correlationId'>> {
  let event: string | null = null;
  let stage: HookStage = 'validation';
  try {
    const read = readBusRequest(message);
    if ('error' in read) {
      server.refused(read.error);
      return { success: false, error: read.error };
    }
    event = read.request.event;
    stage = 'planning';
    const result = await server.fire(read.request);
    const { failure } = result;
    stage = 'formatting';
    // A denial is an answer, even if a failure caused it.
    if (failure === undefined || result.finalOutput)
      return { success: true, output: ownResult(result) };
    return {
      success: false,
      error: busError('internal_error', failure.stage, event, failure.message),
    };
  } catch (error) {
    const refused = busError('internal_error', stage, event, messageOf(error));
    server.refused(refused);
    return { success: false, error: refused };
  }
}

/** A receiver may modify it, so it holds copies of the registry's definitions. */
const ownResult = (result: AggregatedHookResult): AggregatedHookResult => ({
  ...result,
  results: result.results.map((one) => ({ ...one, hook: structuredClone(one.hook) })),
});

/** A valid request. */
export interface BusRequest<Event extends HookEventName = HookEventName> {
  readonly event: Event;
  readonly fields: HookEventFields[Event];
}

/** The id of a request, from its payload or next to it; undefined if it has none. Never throws. */
function correlationIdOf(message: unknown): string | undefined {
  for (const path of [['payload', 'correlationId'], ['correlationId']]) {
    const id = valueAt(message, path);
    if (typeof id === 'string' && id !== '') return id;
  }
  return undefined;
}

/**
 * Reads a message as a request, or returns its error. Later changes to the sender's objects have no effect.
 */
function readBusRequest(message: unknown): { request: BusRequest } | { error: HookBusError } {
  const type = valueAt(message, ['type']);
  if (type !== undefined && type !== MessageBusType.HOOK_EXECUTION_REQUEST)
    return invalid(`the message's "type" must be ${MessageBusType.HOOK_EXECUTION_REQUEST}`);
  if (!isObject(valueAt(message, ['payload'])))
    return invalid('the message must have a "payload" with "eventName" and "input"');
  const event = valueAt(message, ['payload', 'eventName']);
  if (typeof event !== 'string') return invalid('the payload\'s "eventName" must be a string');
  if (!isHookEventName(event))
    return {
      error: busError(
        'unsupported_event',
        'validation',
        event,
        `there is no event "${event.slice(0, longestName)}"`,
      ),
    };
  return readInput(event, message);
}

function readInput(
  event: HookEventName,
  message: unknown,
): { request: BusRequest } | { error: HookBusError } {
  let input: unknown;
  try {
    input = snapshot((message as { payload: { input?: unknown } }).payload.input);
  } catch (error) {
    return unfit(event, [`it cannot be represented as JSON (${messageOf(error)})`]);
  }
  const checked = checkEventFields(event, input);
  if ('faults' in checked) return unfit(event, checked.faults);
  const stable = translated(event, checked.fields);
  if ('faults' in stable) return untranslatable(event, stable.faults);
  return { request: { event, fields: stable.fields } };
}

function translated<Event extends HookEventName>(event: Event, fields: HookEventFields[Event]) {
  try {
    return inStableFormat(event, fields);
  } catch (error) {
    return { faults: [messageOf(error)] };
  }
}

const invalid = (message: string): { error: HookBusError } => ({
  error: busError('invalid_request', 'validation', null, message),
});

const unfit = (event: string, faults: readonly string[]): { error: HookBusError } => ({
  error: busError(
    'validation_failure',
    'validation',
    event,
    `the input does not match ${event}`,
    faults,
  ),
});

const untranslatable = (event: string, faults: readonly string[]): { error: HookBusError } => ({
  error: busError(
    'translation_failure',
    'translation',
    event,
    'the input cannot be converted to the stable format',
    faults,
  ),
});

/** The value as hooks would read it, detached from the sender's. */
function snapshot(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : JSON.parse(text);
}

/** The value at a path of any value; undefined if reading it throws. */
function valueAt(value: unknown, path: readonly string[]): unknown {
  try {
    return path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);
  } catch {
    return undefined;
  }
}

/** Like `isRecord`, but a revoked proxy does not make it throw. */
function isObject(value: unknown): boolean {
  try {
    return isRecord(value);
  } catch {
    return false;
  }
}

type Given = Readonly<Record<string, unknown>>;

/**
 * An event's fields with the model's request and response in the stable format. Losing a message is a fault: hooks must see everything that the model receives.
 */
function inStableFormat<Event extends HookEventName>(
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

/** The fields of either form; other fields of a request are passed through. */
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

/** How many messages of a list hooks can receive. */
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
