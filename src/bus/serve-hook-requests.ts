import type { HookStage } from '../verdict/hook-failure.ts';
import type { AggregatedHookResult } from '../verdict/results.ts';
import { messageOf } from '../message-of.ts';
import { debugChannel } from '../log.ts';
import {
  busError,
  listenTo,
  MessageBusType,
  sendOn,
  type HookBusError,
  type HookExecutionResponse,
  type MessageBus,
} from './message-bus.ts';
import { correlationIdOf, readBusRequest, type BusRequest } from './read-request.ts';

const debug = debugChannel('event-handler');

/** What the bus needs of a hook system. */
export interface HookRequestServer {
  /** Runs the hooks of an event. */
  fire(request: BusRequest): Promise<AggregatedHookResult>;
  /** Told of a request that never came to its hooks. */
  refused(error: HookBusError): void;
}

type Payload = HookExecutionResponse['payload'];

/**
 * Answers each request on the bus with exactly one response, until the returned function is called
 * (DELTA-HEVT-001, DELTA-HEVT-002, DELTA-HEVT-004). Nothing that arrives makes it throw.
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
      debug('the message bus threw on leaving: %s', messageOf(error));
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
    // The response was handed over: what a receiver makes of it is not ours to fix.
    debug('the message bus threw for the response %s: %s', correlationId, messageOf(error));
  }
}

/** `node:crypto` is loaded for it, and most requests have an id. */
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
    // A denial is an answer, even one by failure.
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

/** A receiver may do with it what it likes: the definitions in it are not the registry's (DELTA-HFAIL-004). */
const ownResult = (result: AggregatedHookResult): AggregatedHookResult => ({
  ...result,
  results: result.results.map((one) => ({ ...one, hook: structuredClone(one.hook) })),
});
