import { EventEmitter } from 'node:events';
import { MessageBusType, type HookExecutionResponse } from '../../src/core/bus/message-bus.ts';
import { serveHookRequests } from '../../src/core/bus/serve-hook-requests.ts';
import { makeEmptySuccessResult } from '../../src/core/answers/results.ts';
import { hookEventNames } from '../../src/core/protocol/events.ts';
import { promise, type Target } from '../target.ts';

/** What arrives on the message bus: any value, as a message, as its payload or as its input. */
export const bus: Target = {
  name: 'bus',
  words: [
    ...hookEventNames,
    'HOOK_EXECUTION_REQUEST',
    'payload',
    'correlationId',
    'eventName',
    'input',
    'tool_name',
    'tool_input',
    'llm_request',
    'llm_response',
    'messages',
    'contents',
    'parts',
    'candidates',
    'text',
  ],
  async run(text) {
    let value: unknown = text;
    try {
      value = JSON.parse(text);
    } catch {
      // A text is a message as well.
    }
    for (const message of [
      value,
      { payload: value },
      ...hookEventNames.map((eventName) => ({ payload: { eventName, input: value } })),
    ]) {
      const responses: HookExecutionResponse[] = [];
      const emitter = new EventEmitter();
      emitter.on(MessageBusType.HOOK_EXECUTION_RESPONSE, (response: HookExecutionResponse) =>
        responses.push(response),
      );
      const stop = serveHookRequests(emitter, {
        fire: ({ fields }) => {
          JSON.stringify(fields);
          return Promise.resolve(makeEmptySuccessResult());
        },
        refused: () => undefined,
      });
      emitter.emit(MessageBusType.HOOK_EXECUTION_REQUEST, message);
      await new Promise(setImmediate);
      stop();
      promise(responses.length === 1, 'each request gets one response');
      const { correlationId, success, error } = responses[0]!.payload;
      promise(correlationId !== '', 'a response has an id');
      promise(success || (error?.message ?? '') !== '', 'a refusal says why');
      promise(
        error?.code !== 'internal_error',
        `a strange request is not our fault (${error?.message ?? ''})`,
      );
    }
  },
};
