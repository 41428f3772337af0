import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { inParallel, someFields } from '../../support/session.ts';
import { HOOK_EXECUTION_REQUEST, HOOK_EXECUTION_RESPONSE, startBusSession } from './bus.ts';

const type = HOOK_EXECUTION_REQUEST;
const throwing = (key: string, rest: object = {}): object =>
  Object.defineProperty({ ...rest }, key, {
    enumerable: true,
    get: () => {
      throw new Error('hands off');
    },
  });
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const hostile = (): object =>
  new Proxy(
    {},
    {
      get: () => {
        throw revoked();
      },
      ownKeys: () => {
        throw revoked();
      },
    },
  );
const cyclic: Record<string, unknown> = { tool_name: 'x', tool_input: {} };
cyclic['tool_input'] = cyclic;
const deep: unknown = Array.from({ length: 100_000 }).reduce((inner) => [inner], 'x');
const request = (eventName: unknown, input: unknown) => ({
  type,
  payload: { correlationId: 'id', eventName, input },
});
const beforeTool = (tool_input: unknown) => request('BeforeTool', { tool_name: 'x', tool_input });

describe('a malformed request gets one response and throws nothing (DELTA-HEVT-003, DELTA-HFAIL-002, DELTA-HFAIL-005; C-97, C-99)', () => {
  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'invalid_request'],
    ['null', null, 'invalid_request'],
    ['a number', 42, 'invalid_request'],
    ['a text', 'BeforeTool', 'invalid_request'],
    ['a list', [request('BeforeTool', someFields.BeforeTool)], 'invalid_request'],
    ['a function', () => 1, 'invalid_request'],
    ['an empty object', {}, 'invalid_request'],
    ['no payload', { type }, 'invalid_request'],
    ['a payload that is a list', { type, payload: [] }, 'invalid_request'],
    ['a payload that is a text', { type, payload: 'x' }, 'invalid_request'],
    [
      'a response',
      { ...request('BeforeTool', {}), type: HOOK_EXECUTION_RESPONSE },
      'invalid_request',
    ],
    ['a payload that throws', throwing('payload', { type }), 'invalid_request'],
    ['a revoked proxy', revoked(), 'invalid_request'],
    ['a payload that is a revoked proxy', { type, payload: revoked() }, 'invalid_request'],
    ['a proxy that throws revoked proxies', hostile(), 'invalid_request'],
    ['no event name', { type, payload: { input: {} } }, 'invalid_request'],
    ['an event name that is a number', request(5, {}), 'invalid_request'],
    ['an event name that is an object', request({ toString: 5 }, {}), 'invalid_request'],
    ['an unknown event', request('PreToolUse', someFields.BeforeTool), 'unsupported_event'],
    ['a misspelt event name', request('beforeTool', someFields.BeforeTool), 'unsupported_event'],
    ['an empty event name', request('', someFields.BeforeTool), 'unsupported_event'],
    ['the name of a built-in property', request('constructor', {}), 'unsupported_event'],
    ['the event name __proto__', request('__proto__', {}), 'unsupported_event'],
    ['an event name of a megabyte', request('x'.repeat(1e6), {}), 'unsupported_event'],
    ['no input', request('BeforeTool', undefined), 'validation_failure'],
    ['an input that is null', request('BeforeTool', null), 'validation_failure'],
    ['an input that is a list', request('BeforeTool', []), 'validation_failure'],
    ['an input that is a function', request('BeforeTool', () => 1), 'validation_failure'],
    ['a field of the wrong type', beforeTool('text'), 'validation_failure'],
    ['a field that is a list', beforeTool([]), 'validation_failure'],
    ['a circular input', request('BeforeTool', cyclic), 'validation_failure'],
    ['a bottomless input', beforeTool({ deep }), 'validation_failure'],
    ['a BigInt', beforeTool({ size: 1n }), 'validation_failure'],
    ['a getter that throws', beforeTool(throwing('x')), 'validation_failure'],
    [
      'an input that throws',
      { type, payload: throwing('input', { eventName: 'BeforeTool' }) },
      'validation_failure',
    ],
    ['an input that is a revoked proxy', request('BeforeTool', revoked()), 'validation_failure'],
    [
      'an input that throws revoked proxies',
      request('BeforeTool', hostile()),
      'validation_failure',
    ],
  ])('a malformed request (%s) gets one error response', async (_, message, code) => {
    const { send, responses, warnings } = await startBusSession({
      BeforeTool: inParallel('touch ran; exit 2'),
    });
    const payload = await send(message);
    expect(payload).toEqual({
      correlationId: expect.stringMatching(/./),
      success: false,
      error: {
        code,
        message: expect.stringMatching(/^.{10,400}$/s),
        details: expect.objectContaining({ stage: 'validation' }),
      },
    });
    expect(Object.hasOwn(payload.error!.details, 'eventName')).toBe(true);
    await pause(20);
    expect(responses).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  test('a valid request after malformed ones is answered', async () => {
    const { send, ask } = await startBusSession({ BeforeTool: inParallel('exit 2') });
    await send(null);
    await send(hostile());
    const { output } = await ask('BeforeTool', someFields.BeforeTool);
    expect(output?.finalOutput?.isBlockingDecision()).toBe(true);
  });

  test('the id of a request is echoed even if the rest throws', async () => {
    const { send } = await startBusSession({});
    const payload = throwing('input', { correlationId: 'mine', eventName: 'BeforeTool' });
    expect((await send({ type, payload })).correlationId).toBe('mine');
    const beside = throwing('payload', { type, correlationId: 'beside' });
    expect((await send(beside)).correlationId).toBe('beside');
  });
});

test('invalid fields are reported one by one, up to a limit', async () => {
  const { ask } = await startBusSession({});
  const { error } = await ask('AfterTool', { tool_name: 5, tool_input: {}, tool_response: null });
  expect(error?.details.faults).toEqual([
    '"tool_name" must be a string',
    '"tool_response" must be an object',
  ]);
  const messages = Array.from({ length: 10_000 }, () => 5);
  const many = await ask('BeforeModel', { llm_request: { messages } });
  expect(many.error?.details.faults).toHaveLength(10);
});

test('a request of a megabyte is answered', async () => {
  const { ask } = await startBusSession({
    BeforeTool: inParallel(`jq -c '{reason: (.tool_input.text | length | tostring)}'`),
  });
  const tool_input = { text: 'x'.repeat(1e6) };
  const { output } = await ask('BeforeTool', { tool_name: 'x', tool_input });
  expect(output?.finalOutput?.reason).toBe('1000000');
});

describe('a failure behind the bus is an internal error that names the stage (DELTA-HFAIL-002, C-91)', () => {
  test.each(['getSessionId', 'getWorkingDir', 'getTranscriptPath'] as const)(
    'a %s that throws is an internal error',
    async (name) => {
      const { ask, config } = await startBusSession({ BeforeTool: inParallel('exit 2') });
      config[name] = () => {
        throw new Error('the host is broken');
      };
      const { success, output, error } = await ask('BeforeTool', someFields.BeforeTool);
      expect([success, output]).toEqual([false, undefined]);
      expect(error).toEqual({
        code: 'internal_error',
        message: 'the host is broken',
        details: { stage: 'formatting', eventName: 'BeforeTool' },
      });
    },
  );
});
