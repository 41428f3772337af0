import { describe, expect, test } from 'vitest';
import { fireBeforeModelHook } from '../../../src/core/calls/hook-triggers.ts';
import { emptyVerdict } from '../../../src/core/answers/merge-effects.ts';
import { processHookResult, makeEmptySuccessResult } from '../../../src/core/answers/results.ts';
import { buildFailureEnvelope } from '../../../src/core/run/event-result.ts';
import { hookEventNames, type HookEventName } from '../../../src/core/protocol/events.ts';
import type { HookOutput } from '../../../src/core/protocol/output.ts';
import { createSpecificHookOutput } from '../../../src/core/translate/model-outputs.ts';
import { inParallel, print, someFields, startSession } from '../../support/session.ts';

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
  test('a processed result has exactly the documented fields, including the aggregated result (003)', () => {
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
    ['a wish to hide the output (C-60)', { suppressOutput: true }, { suppressOutput: true }],
    ['a block, which is not a stop', { decision: 'block', reason: 'no' }, {}],
    ['a stop reason without a stop', { stopReason: 'later' }, {}],
    ['continue as a string', { continue: 'false' as never, stopReason: 'x' }, {}],
  ])('a result with %s is processed as documented', (_, output, wanted) => {
    expect(processed(output)).toMatchObject({ ...nothing, ...wanted });
  });
});

describe('a stop has one reason (DELTA-HRUN-002, DELTA-HAPP-002, C-38, C-39)', () => {
  test.each<[string, HookOutput, string]>([
    ['its own reason', { continue: false, stopReason: 'enough', reason: 'other' }, 'enough'],
    ["otherwise the decision's reason", { continue: false, reason: 'other' }, 'other'],
    [
      "the decision's reason if its own is empty",
      { continue: false, stopReason: '', reason: 'other' },
      'other',
    ],
    ['otherwise a fixed text', { continue: false }, 'No reason provided'],
  ])('a stop has one reason: %s', (_, output, stopReason) => {
    expect(processed(output)).toMatchObject({ shouldStop: true, stopReason });
  });

  test('a stop at BeforeTool has its own reason; the permission reason belongs to the block', () => {
    const output: HookOutput = {
      continue: false,
      stopReason: 'enough',
      hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no' },
    };
    expect(processed(output).stopReason).toBe('enough');
  });

  test.each(hookEventNames)('a stop at %s has its own reason', (event) => {
    expect(processed({ continue: false, stopReason: 'enough' }, event).stopReason).toBe('enough');
  });
});

describe('several hooks give one merged output', () => {
  test('the merged output of several hooks has all stop reasons, all messages, and any wish to hide output (C-38, C-60, DELTA-HRUN-003)', async () => {
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

  test('the output of a failed hook asks for nothing (C-27)', async () => {
    const session = await startSession({
      BeforeAgent: inParallel(`${print({ continue: false })}; echo oh >&2; exit 1`),
    });
    const aggregated = await session.fire('BeforeAgent', someFields.BeforeAgent);
    expect(processHookResult(aggregated)).toEqual({ aggregated, ...nothing });
  });

  test('a caller of the model gets the same processed result (DELTA-HAPP-001)', async () => {
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

describe('a failure has its own envelope (DELTA-HFAIL-001)', () => {
  test('a failure envelope has no success, the error, the stage and what else is known', () => {
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

  test('each failure envelope is a new one (DELTA-HFAIL-004)', () => {
    const [one, other] = [1, 2].map(() => buildFailureEnvelope('x', 'execution'));
    expect(one).not.toBe(other);
    expect(one!.errors).not.toBe(other!.errors);
    expect(one!.allOutputs).not.toBe(other!.allOutputs);
  });

  test.each([undefined, null, 'text', 7, {}, Object.create(null)])(
    'a failure envelope holds whatever was thrown as an Error (%#)',
    (thrown) => {
      const { errors, failure } = buildFailureEnvelope(thrown, 'execution');
      expect(errors[0]).toBeInstanceOf(Error);
      expect(failure.message).toBe(errors[0]?.message);
    },
  );

  test('a failure envelope holds an Error even if what was thrown cannot be inspected', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(buildFailureEnvelope(proxy, 'execution').errors[0]).toBeInstanceOf(Error);
  });
});
