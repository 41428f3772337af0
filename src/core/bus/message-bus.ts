import type { HookStage, AggregatedHookResult } from '../answers/results.ts';
import type { HookEventName } from '../protocol/events.ts';

/** The channels of the message bus. */
export const MessageBusType = {
  HOOK_EXECUTION_REQUEST: 'HOOK_EXECUTION_REQUEST',
  HOOK_EXECUTION_RESPONSE: 'HOOK_EXECUTION_RESPONSE',
} as const;
export type MessageBusType = (typeof MessageBusType)[keyof typeof MessageBusType];

/** A request to run the hooks of one event. */
export interface HookExecutionRequest {
  readonly type: typeof MessageBusType.HOOK_EXECUTION_REQUEST;
  readonly payload: {
    /** Returned in the response; generated if it is missing. */
    readonly correlationId?: string;
    readonly eventName: HookEventName;
    /** The event's own fields; any base fields are ignored. */
    readonly input: Readonly<Record<string, unknown>>;
  };
}

/** The one answer to a request. */
export interface HookExecutionResponse {
  readonly type: typeof MessageBusType.HOOK_EXECUTION_RESPONSE;
  readonly payload: {
    readonly correlationId: string;
    /** Whether the event passed all stages, regardless of the decision and of how its hooks ended. */
    readonly success: boolean;
    readonly output?: AggregatedHookResult;
    readonly error?: HookBusError;
  };
}

export type HookBusErrorCode =
  | 'invalid_request'
  | 'unsupported_event'
  | 'validation_failure'
  | 'translation_failure'
  | 'internal_error';

/** Why a request has no output. */
export interface HookBusError {
  readonly code: HookBusErrorCode;
  readonly message: string;
  readonly details: {
    /** The stage that it reached. */
    readonly stage: HookStage;
    /** As requested; null if that is not a string. */
    readonly eventName: string | null;
    /** The faults of the input, one sentence each. */
    readonly faults?: readonly string[];
  };
}

type Listener = (message: unknown) => void;

/** A bus like Node's `EventEmitter`: the message is the only argument, and its `type` is the event's name. */
export interface EmitterBus {
  on(channel: string, listener: Listener): unknown;
  off?(channel: string, listener: Listener): unknown;
  removeListener?(channel: string, listener: Listener): unknown;
  emit(channel: string, message: unknown): unknown;
}

/** A bus like those of Gemini CLI and LLxprt; `subscribe` may return a function that unsubscribes. */
export interface PublishingBus {
  subscribe(channel: string, listener: Listener): unknown;
  unsubscribe?(channel: string, listener: Listener): unknown;
  publish(message: unknown): unknown;
}

/**
 * The part of a message bus that the hook system needs. A bus of both kinds is used through `subscribe` and
 * `publish`.
 */
export type MessageBus = EmitterBus | PublishingBus;

const isPublishing = (bus: MessageBus): bus is PublishingBus =>
  'publish' in bus && 'subscribe' in bus;

/** Calls `listener` for each message of a channel, until the returned function is called. */
export function listenTo(bus: MessageBus, channel: MessageBusType, listener: Listener): () => void {
  if (isPublishing(bus)) {
    const end = bus.subscribe(channel, listener);
    return () => (typeof end === 'function' ? end() : bus.unsubscribe?.(channel, listener));
  }
  const end = bus.on(channel, listener);
  return () => {
    if (bus.off) bus.off(channel, listener);
    else if (bus.removeListener) bus.removeListener(channel, listener);
    else if (typeof end === 'function') end();
  };
}

/** Sends a message; its delivery is up to the bus. */
export async function sendOn(bus: MessageBus, message: HookExecutionResponse): Promise<void> {
  await (isPublishing(bus) ? bus.publish(message) : bus.emit(message.type, message));
}

/** The sender chooses the event name freely; only this many characters of it are repeated. */
export const longestName = 100;

/** The most faults that are reported; a sender with more has bigger problems. */
const mostFaults = 10;

/** The error of a response. */
export function busError(
  code: HookBusErrorCode,
  stage: HookStage,
  eventName: string | null,
  message: string,
  faults?: readonly string[],
): HookBusError {
  const shown = faults?.slice(0, mostFaults);
  return {
    code,
    message: shown ? `${message}: ${shown.join('; ')}` : message,
    details: {
      stage,
      eventName: eventName?.slice(0, longestName) ?? null,
      ...(shown && { faults: shown }),
    },
  };
}
