import { EventEmitter } from 'node:events';
import { MessageBusType, type HookExecutionResponse } from '../../../src/core/bus/message-bus.ts';
import type { CreateConfigOptions } from '../../../src/hosts/system/create-config.ts';
import { startSession, type Session } from '../../support/session.ts';
import { waitUntil } from '../../support/until.ts';

export const { HOOK_EXECUTION_REQUEST, HOOK_EXECUTION_RESPONSE } = MessageBusType;

export type Payload = HookExecutionResponse['payload'];

export interface BusSession extends Session {
  readonly bus: EventEmitter;
  /** Every response, in order of arrival. */
  readonly responses: readonly HookExecutionResponse[];
  /** Sends any value as a request, and returns the payload of the next response. */
  readonly send: (message: unknown) => Promise<Payload>;
  /** Sends a documented request. */
  readonly ask: (eventName: string, input: unknown, correlationId?: string) => Promise<Payload>;
}

/** A session whose hook system listens to a bus. */
export async function startBusSession(
  hooks: Parameters<typeof startSession>[0],
  options: Partial<CreateConfigOptions> = {},
): Promise<BusSession> {
  const bus = new EventEmitter();
  const responses: HookExecutionResponse[] = [];
  bus.on(HOOK_EXECUTION_RESPONSE, (response: HookExecutionResponse) => responses.push(response));
  const session = await startSession(hooks, { ...options, messageBus: bus });
  const send = async (message: unknown): Promise<Payload> => {
    const before = responses.length;
    bus.emit(HOOK_EXECUTION_REQUEST, message);
    await waitUntil(() => responses.length > before);
    return responses[before]!.payload;
  };
  return {
    ...session,
    bus,
    responses,
    send,
    ask: (eventName, input, correlationId = 'some-id') =>
      send({ type: HOOK_EXECUTION_REQUEST, payload: { correlationId, eventName, input } }),
  };
}
