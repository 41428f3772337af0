import { describe, expect, test } from 'vitest';
import { fireBeforeModelHook } from '../../src/agent/hook-triggers.ts';
import { emptyVerdict } from '../../src/dialects/merge-effects.ts';
import { processHookResult, makeEmptySuccessResult } from '../../src/verdict/results.ts';
import { buildFailureEnvelope } from '../../src/hooks/event-result.ts';
import { hookEventNames, type HookEventName } from '../../src/protocol/events.ts';
import type { HookOutput } from '../../src/protocol/output.ts';
import { createSpecificHookOutput } from '../../src/translate/model-outputs.ts';
import { inParallel, print, someFields, startSession } from '../support/session.ts';

const processed = (output: HookOutput | undefined, event: HookEventName = 'BeforeTool') =>
  processHookResult({
    ...makeEmptySuccessResult(),
    ...(output && { finalOutput: createSpecificHookOutput(output, event) }),
  });

const nothing = {
  shouldStop: false,
  stopReason: undefined,
  systemMessage: undefined,
  suppressOutput: false,
};

describe('what a result asks of its caller (DELTA-HRUN-001, DELTA-HRUN-004, DELTA-HAPP-001)', () => {
  test('has exactly the documented fields, the result itself among them (003)', () => {
    const aggregated = makeEmptySuccessResult();
    const result = processHookResult(aggregated);
    expect(result).toEqual({ aggregated, ...nothing });
    expect(result.aggregated).toBe(aggregated);
  });

  test.each<[string, HookOutput | undefined, object]>([
    ['no output', undefined, {}],
    ['an empty output', {}, {}],
    ['a message', { systemMessage: 'careful' }, { systemMessage: 'careful' }],
    ['an empty message', { systemMessage: '' }, {}],
    ['nothing to be shown (C-60)', { suppressOutput: true }, { suppressOutput: true }],
    ['a block, which is no stop', { decision: 'block', reason: 'no' }, {}],
    ['a stop reason without a stop', { stopReason: 'later' }, {}],
    ['continue as a text', { continue: 'false' as never, stopReason: 'x' }, {}],
  ])('%s', (_, output, wanted) => {
    expect(processed(output)).toMatchObject({ ...nothing, ...wanted });
  });
});

describe('a stop has one reason (DELTA-HRUN-002, DELTA-HAPP-002, C-38, C-39)', () => {
  test.each<[string, HookOutput, string]>([
    ['its own', { continue: false, stopReason: 'enough', reason: 'other' }, 'enough'],
    ['else that of the decision', { continue: false, reason: 'other' }, 'other'],
    ['an empty one counts as none', { continue: false, stopReason: '', reason: 'other' }, 'other'],
    ['else a fixed text', { continue: false }, 'No reason provided'],
  ])('%s', (_, output, stopReason) => {
    expect(processed(output)).toMatchObject({ shouldStop: true, stopReason });
  });

  test('also for BeforeTool, whose permission reason belongs to the block', () => {
    const output: HookOutput = {
      continue: false,
      stopReason: 'enough',
      hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no' },
    };
    expect(processed(output).stopReason).toBe('enough');
  });

  test.each(hookEventNames)('%s', (event) => {
    expect(processed({ continue: false, stopReason: 'enough' }, event).stopReason).toBe('enough');
  });
});

describe('of several hooks the merged output counts', () => {
  test('all stop reasons, all messages, and any wish not to show (C-38, C-60, DELTA-HRUN-003)', async () => {
    const session = await startSession({
      AfterTool: inParallel(
        print({ continue: false, stopReason: 'one', systemMessage: 'first' }),
        print({ continue: false, stopReason: 'two', systemMessage: 'second' }),
        print({ suppressOutput: true }),
      ),
    });
    const aggregated = await session.fire('AfterTool', someFields.AfterTool);
    expect(processHookResult(aggregated)).toEqual({
      aggregated,
      shouldStop: true,
      stopReason: 'one\ntwo',
      systemMessage: 'first\nsecond',
      suppressOutput: true,
    });
  });

  test('a failed hook asks for nothing (C-27)', async () => {
    const session = await startSession({
      BeforeAgent: inParallel(`${print({ continue: false })}; echo oh >&2; exit 1`),
    });
    const aggregated = await session.fire('BeforeAgent', someFields.BeforeAgent);
    expect(processHookResult(aggregated)).toEqual({ aggregated, ...nothing });
  });

  test('a caller of the model reads the same (DELTA-HAPP-001)', async () => {
    const { config } = await startSession({
      BeforeModel: inParallel(print({ continue: false, reason: 'enough', systemMessage: 'hm' })),
    });
    expect(await fireBeforeModelHook(config, { model: 'm', contents: 'Hi' })).toMatchObject({
      shouldStop: true,
      stopReason: 'enough',
      systemMessage: 'hm',
      suppressOutput: false,
    });
  });
});

describe('a failure has an envelope of its own (DELTA-HFAIL-001)', () => {
  test('no success, the error, the stage and what else is known', () => {
    const error = new Error('no such folder');
    const envelope = buildFailureEnvelope(error, 'planning', { event: 'BeforeTool' });
    expect(envelope).toEqual({
      success: false,
      allOutputs: [],
      errors: [error],
      totalDuration: 0,
      plan: null,
      results: [],
      conflicts: [],
      setBy: {},
      verdict: emptyVerdict,
      failure: { event: 'BeforeTool', stage: 'planning', message: 'no such folder' },
    });
    expect(envelope.errors[0]).toBe(error);
    expect(processHookResult(envelope)).toMatchObject(nothing);
  });

  test('a new one each time (DELTA-HFAIL-004)', () => {
    const [one, other] = [1, 2].map(() => buildFailureEnvelope('x', 'execution'));
    expect(one).not.toBe(other);
    expect(one!.errors).not.toBe(other!.errors);
    expect(one!.allOutputs).not.toBe(other!.allOutputs);
  });

  test.each([undefined, null, 'text', 7, {}, Object.create(null)])(
    'whatever was thrown is its error (%#)',
    (thrown) => {
      const { errors, failure } = buildFailureEnvelope(thrown, 'execution');
      expect(errors[0]).toBeInstanceOf(Error);
      expect(failure.message).toBe(errors[0]?.message);
    },
  );

  test('even when it cannot be looked at', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(buildFailureEnvelope(proxy, 'execution').errors[0]).toBeInstanceOf(Error);
  });
});
