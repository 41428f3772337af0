import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { MessageBusType } from '../../../src/core/bus/message-bus.ts';
import { DefaultHookOutput } from '../../../src/core/protocol/output.ts';
import { hookEventNames } from '../../../src/core/protocol/events.ts';
import { inParallel, inSequence, print, someFields } from '../../support/session.ts';
import { HOOK_EXECUTION_REQUEST, startBusSession } from './bus.ts';

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const asReceived = { BeforeTool: inParallel(`jq -c '{systemMessage: tojson}'`) };

test('the channels have the names from the seeds (C-93, DELTA-HBUS-001)', () => {
  expect(MessageBusType).toEqual({
    HOOK_EXECUTION_REQUEST: 'HOOK_EXECUTION_REQUEST',
    HOOK_EXECUTION_RESPONSE: 'HOOK_EXECUTION_RESPONSE',
  });
});

test('a request runs the hooks and gets one response with its id and their result (C-94, DELTA-HEVT-001, DELTA-HEVT-002)', async () => {
  const { ask, responses } = await startBusSession({
    BeforeTool: inParallel('echo "no writing" >&2; exit 2', print({ systemMessage: 'be careful' })),
  });
  const payload = await ask('BeforeTool', someFields.BeforeTool, 'call-7');
  expect(Object.keys(payload)).toEqual(['correlationId', 'success', 'output']);
  expect(payload.correlationId).toBe('call-7');
  const { finalOutput } = payload.output!;
  expect(finalOutput).toBeInstanceOf(DefaultHookOutput);
  expect(finalOutput?.isBlockingDecision()).toBe(true);
  expect(finalOutput?.reason).toContain('no writing');
  expect(payload.output).toMatchObject({ plan: { mode: 'parallel', count: 2 }, errors: [] });
  await pause(50);
  expect(responses).toEqual([{ type: 'HOOK_EXECUTION_RESPONSE', payload }]);
});

describe('success means that all stages were passed, regardless of what hooks decided or how they ended (C-96)', () => {
  test.each([
    ['a policy block', 'exit 2'],
    ['a failing hook', 'exit 1'],
    ['a missing command', 'no-such-command-here'],
  ])('a request is successful despite %s', async (_, command) => {
    const { ask } = await startBusSession({ BeforeTool: inParallel(command) });
    const { success, output, error } = await ask('BeforeTool', someFields.BeforeTool);
    expect([success, output?.success, error]).toEqual([true, false, undefined]);
  });

  test('a request that no hook matches gets its own empty success (DELTA-HFAIL-003, DELTA-HFAIL-004)', async () => {
    const { ask } = await startBusSession({ BeforeTool: [] });
    const one = await ask('BeforeTool', someFields.BeforeTool);
    const other = await ask('AfterModel', someFields.AfterModel);
    expect(one).toMatchObject({
      success: true,
      output: { success: true, allOutputs: [], errors: [], totalDuration: 0 },
    });
    expect(one.output).not.toBe(other.output);
    expect(one.output?.allOutputs).not.toBe(other.output?.allOutputs);
  });
});

describe('the id', () => {
  test('the id of a request is also read next to the payload, but the payload’s own wins (C-94)', async () => {
    const { send } = await startBusSession({});
    const payload = { eventName: 'BeforeTool', input: someFields.BeforeTool };
    const type = HOOK_EXECUTION_REQUEST;
    expect((await send({ type, correlationId: 'out', payload })).correlationId).toBe('out');
    const both = { type, correlationId: 'out', payload: { ...payload, correlationId: 'in' } };
    expect((await send(both)).correlationId).toBe('in');
  });

  test.each([undefined, null, '', 7, {}])(
    'an id is generated for a request whose id is %o (DELTA-HBUS-003)',
    async (correlationId) => {
      const { send } = await startBusSession({});
      const payload = { correlationId, eventName: 'BeforeTool', input: someFields.BeforeTool };
      const [one, other] = [await send({ payload }), await send({ payload })];
      expect(one).toMatchObject({ success: true, correlationId: expect.stringMatching(uuid) });
      expect(one.correlationId).not.toBe(other.correlationId);
    },
  );

  test('the id tells concurrent requests apart', async () => {
    const { bus, responses, ask } = await startBusSession({
      BeforeTool: inParallel(
        `input=$(cat); sleep 0.0$((RANDOM % 9)); printf '%s' "$input" | jq -c '{reason: .tool_input.n}'`,
      ),
    });
    for (let n = 0; n < 9; n++)
      bus.emit(HOOK_EXECUTION_REQUEST, {
        type: HOOK_EXECUTION_REQUEST,
        payload: {
          correlationId: `id-${n}`,
          eventName: 'BeforeTool',
          input: { tool_name: 'x', tool_input: { n: `${n}` } },
        },
      });
    await ask('BeforeTool', { tool_name: 'x', tool_input: { n: 'last' } }, 'id-last');
    while (responses.length < 10) await pause(10);
    const said = responses.map(({ payload: { correlationId, output } }) => [
      correlationId,
      output?.finalOutput?.reason,
    ]);
    const wanted = [...Array.from({ length: 9 }, (_, n) => `${n}`), 'last'];
    expect(Object.fromEntries(said)).toEqual(Object.fromEntries(wanted.map((n) => [`id-${n}`, n])));
    expect(said).toHaveLength(10);
  });
});

describe('the engine sets the base fields (C-95, HOOK-215)', () => {
  test('base fields from the sender are replaced', async () => {
    const { ask, folder, config } = await startBusSession(asReceived);
    const { output } = await ask('BeforeTool', {
      ...someFields.BeforeTool,
      session_id: 'stolen',
      cwd: '/',
      transcript_path: '/etc/passwd',
      hook_event_name: 'AfterTool',
      timestamp: 'never',
      mcp_context: { server_name: 'files' },
    });
    const received = JSON.parse(output?.finalOutput?.systemMessage ?? '{}') as Record<
      string,
      unknown
    >;
    expect(received).toEqual({
      ...someFields.BeforeTool,
      session_id: config.getSessionId(),
      cwd: folder,
      transcript_path: '',
      hook_event_name: 'BeforeTool',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      mcp_context: { server_name: 'files' },
    });
  });

  test('base fields are replaced even if the input has a toJSON method', async () => {
    const { ask, folder } = await startBusSession({ BeforeTool: inParallel('pwd; jq -c .cwd') });
    const { output } = await ask('BeforeTool', {
      toJSON: () => ({ ...someFields.BeforeTool, cwd: '/', toJSON: null }),
    });
    const [ran, received] = output!.finalOutput!.systemMessage!.split('\n');
    expect([ran, JSON.parse(received!)]).toEqual([realpathSync(folder), folder]);
  });

  test('a matcher is compared with the event’s own field, not with an extra one (C-20)', async () => {
    const { ask } = await startBusSession({
      SessionEnd: [{ matcher: 'exit', hooks: [{ type: 'command', command: 'echo bye' }] }],
    });
    const { output } = await ask('SessionEnd', { reason: 'exit', tool_name: 'x', source: 'x' });
    expect(output?.results).toHaveLength(1);
  });
});

test('later changes to the sender’s objects do not reach hooks (G-05)', async () => {
  const { bus, responses, ask } = await startBusSession({
    BeforeTool: inSequence('sleep 0.1', `jq -c '{reason: .tool_input.file_path}'`),
  });
  const input = { tool_name: 'x', tool_input: { file_path: 'good' } };
  const message = { payload: { correlationId: 'one', eventName: 'BeforeTool', input } };
  bus.emit(HOOK_EXECUTION_REQUEST, message);
  input.tool_input.file_path = 'evil';
  message.payload.correlationId = 'other';
  while (responses.length === 0) await pause(10);
  expect(responses[0]?.payload).toMatchObject({
    correlationId: 'one',
    output: { finalOutput: { reason: 'good' } },
  });
  expect((await ask('BeforeTool', input)).output?.finalOutput?.reason).toBe('evil');
});

test('a receiver’s changes to a response do not affect later events (DELTA-HFAIL-004)', async () => {
  const { ask } = await startBusSession({ BeforeTool: inParallel('exit 2') });
  const { output } = await ask('BeforeTool', someFields.BeforeTool);
  Object.assign(output!.results[0]!.hook, { command: 'exit 0', enabled: false });
  Object.assign(output!, { finalOutput: undefined });
  const again = await ask('BeforeTool', someFields.BeforeTool);
  expect(again.output?.finalOutput?.isBlockingDecision()).toBe(true);
});

test('the response is never sent synchronously with the request', async () => {
  const { bus, responses } = await startBusSession({});
  bus.emit(HOOK_EXECUTION_REQUEST, null);
  expect(responses).toEqual([]);
});

describe.each(hookEventNames)('%s over the bus (C-98, DELTA-HPAY-001)', (event) => {
  test('hooks of an event over the bus get its fields, as on the direct path (DELTA-HBUS-002)', async () => {
    const session = await startBusSession({ [event]: inParallel('cat > input.json; exit 2') });
    const { output, success } = await session.ask(event, someFields[event]);
    const direct = await session.fire(event, someFields[event]);
    expect(success).toBe(true);
    const { durationMs: _, hook: __, ...byBus } = output!.results[0]!;
    expect(direct.results[0]).toMatchObject(byBus);
    expect(output?.finalOutput).toEqual(direct.finalOutput);
    expect(existsSync(join(session.folder, 'input.json'))).toBe(true);
  });

  test('invalid fields of an event never reach its hooks (DELTA-HPAY-002)', async () => {
    const { ask, folder } = await startBusSession({ [event]: inParallel('touch ran') });
    const { success, error, output } = await ask(event, {});
    expect([success, output]).toEqual([false, undefined]);
    expect(error).toMatchObject({
      code: 'validation_failure',
      message: expect.stringMatching(
        new RegExp(`^the input does not match ${event}: "\\w+" must be`),
      ),
      details: { stage: 'validation', eventName: event },
    });
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });
});
