import type { HookStage, AggregatedHookResult } from '../verdict/results.ts';
import type { HookEventName } from '../protocol/events.ts';

/** The channels of the message bus (seed 003 "Channel Names", C-93). */
export const MessageBusType = {
  HOOK_EXECUTION_REQUEST: 'HOOK_EXECUTION_REQUEST',
  HOOK_EXECUTION_RESPONSE: 'HOOK_EXECUTION_RESPONSE',
} as const;
export type MessageBusType = (typeof MessageBusType)[keyof typeof MessageBusType];

/** Asks for the hooks of one event (C-94). */
export interface HookExecutionRequest {
  readonly type: typeof MessageBusType.HOOK_EXECUTION_REQUEST;
  readonly payload: {
    /** Comes back in the response; one is made up when it is missing (DELTA-HBUS-003). */
    readonly correlationId?: string;
    readonly eventName: HookEventName;
    /** The event's own fields; base fields in it are ignored (C-95). */
    readonly input: Readonly<Record<string, unknown>>;
  };
}

/** The one answer to a request (C-94). */
export interface HookExecutionResponse {
  readonly type: typeof MessageBusType.HOOK_EXECUTION_RESPONSE;
  readonly payload: {
    readonly correlationId: string;
    /** Whether the event went through all stages, not what was decided and not how its hooks ended (C-96). */
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

/** Why a request has no output (C-97, C-99). */
export interface HookBusError {
  readonly code: HookBusErrorCode;
  readonly message: string;
  readonly details: {
    /** How far it came. */
    readonly stage: HookStage;
    /** As it was asked for; null when that is no text. */
    readonly eventName: string | null;
    /** What does not fit, one sentence each. */
    readonly faults?: readonly string[];
  };
}

type Listener = (message: unknown) => void;

/** A bus like Node's `EventEmitter`: the message is the only argument, its `type` the name of the event. */
export interface EmitterBus {
  on(channel: string, listener: Listener): unknown;
  off?(channel: string, listener: Listener): unknown;
  removeListener?(channel: string, listener: Listener): unknown;
  emit(channel: string, message: unknown): unknown;
}

/** A bus like those of Gemini CLI and LLxprt; `subscribe` may return a function that ends it. */
export interface PublishingBus {
  subscribe(channel: string, listener: Listener): unknown;
  unsubscribe?(channel: string, listener: Listener): unknown;
  publish(message: unknown): unknown;
}

/** What the hook system needs of a message bus. A bus of both kinds is used by `subscribe` and `publish`. */
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

/** Sends a message; what comes of it is the bus's own. */
export async function sendOn(bus: MessageBus, message: HookExecutionResponse): Promise<void> {
  await (isPublishing(bus) ? bus.publish(message) : bus.emit(message.type, message));
}

/** An event name may be whatever was sent; so much of it is repeated. */
export const longestName = 100;

/** So many faults are reported; a sender with more has other worries. */
const mostFaults = 10;

/** The error of a response (C-97, C-99). */
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
