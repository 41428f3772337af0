import { messageOf } from '../message-of.ts';
import { checkEventFields } from '../protocol/event-fields.ts';
import { isHookEventName, type HookEventName } from '../protocol/events.ts';
import type { HookEventFields } from '../protocol/input.ts';
import { isRecord } from '../protocol/output.ts';
import { busError, longestName, MessageBusType, type HookBusError } from './message-bus.ts';
import { inStableFormat } from './stable-fields.ts';

/** A request that may be carried out. */
export interface BusRequest<Event extends HookEventName = HookEventName> {
  readonly event: Event;
  readonly fields: HookEventFields[Event];
}

/** The id of a request, in its payload or beside it; undefined when it has none (C-94). Never throws. */
export function correlationIdOf(message: unknown): string | undefined {
  for (const path of [['payload', 'correlationId'], ['correlationId']]) {
    const id = valueAt(message, path);
    if (typeof id === 'string' && id !== '') return id;
  }
  return undefined;
}

/** A message as a request, or what is wrong with it. Whatever the sender does with its objects later changes nothing. */
export function readBusRequest(
  message: unknown,
): { request: BusRequest } | { error: HookBusError } {
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
    return unfit(event, [`it has no JSON form (${messageOf(error)})`]);
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
    `the input does not fit ${event}`,
    faults,
  ),
});

const untranslatable = (event: string, faults: readonly string[]): { error: HookBusError } => ({
  error: busError(
    'translation_failure',
    'translation',
    event,
    'the input cannot be brought into the stable format',
    faults,
  ),
});

/** The value as hooks would read it, and no longer the sender's. */
function snapshot(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : JSON.parse(text);
}

/** What lies at a path of an object that may be anything; what throws counts as not there. */
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
