import type { GenerateContentParameters } from '@google/genai';
import { describe, expect, test } from 'vitest';
import { BeforeToolHookOutput, DefaultHookOutput } from '../../../src/core/protocol/output.ts';
import {
  AfterModelHookOutput,
  BeforeModelHookOutput,
  BeforeToolSelectionHookOutput,
  createHookOutput,
  createSpecificHookOutput,
} from '../../../src/core/translate/model-outputs.ts';

const textOf = (
  response: { candidates?: { content?: { parts?: { text?: string }[] } }[] } | undefined,
) => response?.candidates?.[0]?.content?.parts?.map(({ text }) => text).join('');

const specific = (hookSpecificOutput: Record<string, unknown>, output = {}) =>
  new BeforeModelHookOutput({ ...output, hookSpecificOutput });

describe('BeforeModelHookOutput', () => {
  test('a BeforeModel output has a synthetic response only if a hook gave one (HOOK-036, HOOK-194)', () => {
    const output = specific({ llm_response: { text: 'from the cache' } }, { decision: 'deny' });
    expect(textOf(output.getSyntheticResponse())).toBe('from the cache');
    const candidates = [{ content: { role: 'model', parts: ['a', { text: 'b' }] } }];
    expect(textOf(specific({ llm_response: { candidates } }).getSyntheticResponse())).toBe('ab');
    expect(
      new BeforeModelHookOutput({ continue: false, stopReason: 'x' }).getSyntheticResponse(),
    ).toBeUndefined();
    for (const llm_response of [null, 'text', 5, {}, []])
      expect(specific({ llm_response }).getSyntheticResponse()).toBeUndefined();
  });

  const target: GenerateContentParameters = {
    model: 'some-model',
    contents: [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
    ],
    config: { topK: 40, tools: [{ functionDeclarations: [{ name: 'f' }] }] },
  };

  test('a BeforeModel output applies the hooks’ changes and keeps the rest (HOOK-038, HOOK-078, C-74)', () => {
    const before = structuredClone(target);
    const changed = specific({
      llm_request: { config: { temperature: 0 }, model: 'other' },
    }).applyLLMRequestModifications(target);
    expect(changed).toEqual({
      ...before,
      model: 'other',
      config: { ...before.config, temperature: 0 },
    });
    expect(target).toEqual(before);
  });

  test('a BeforeModel output adds messages to the request (HOOK-039)', () => {
    const changed = specific({
      llm_request: {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'user', content: 'and this' },
        ],
      },
    }).applyLLMRequestModifications(target);
    expect(JSON.stringify(changed.contents)).toContain('and this');
  });

  test('a BeforeModel output without changes returns the same request object', () => {
    for (const output of [
      new BeforeModelHookOutput(),
      specific({ llm_request: {} }),
      specific({ llm_request: 'text' }),
    ])
      expect(output.applyLLMRequestModifications(target)).toBe(target);
  });
});

describe('AfterModelHookOutput', () => {
  test('an AfterModel output has the hooks’ response (HOOK-046, HOOK-047)', () => {
    const output = new AfterModelHookOutput({
      hookSpecificOutput: { llm_response: { text: 'redacted' } },
    });
    expect(textOf(output.getModifiedResponse())).toBe('redacted');
    const original = { candidates: [], modelVersion: 'v', responseId: 'r' };
    expect(output.getModifiedResponse(original)).toMatchObject({
      modelVersion: 'v',
      responseId: 'r',
    });
  });

  test('a stop makes a response with its reason, unless a hook gave its own (HOOK-048, C-82)', () => {
    const stop = { continue: false, stopReason: 'budget spent', reason: 'other' };
    const stopped = new AfterModelHookOutput(stop).getModifiedResponse();
    expect(textOf(stopped)).toBe('budget spent');
    expect(stopped?.candidates).toMatchObject([
      { content: { role: 'model' }, finishReason: 'STOP' },
    ]);
    expect(
      textOf(new AfterModelHookOutput({ continue: false, reason: 'only' }).getModifiedResponse()),
    ).toBe('only');
    expect(textOf(new AfterModelHookOutput({ continue: false }).getModifiedResponse())).toBe(
      'Execution stopped by hook',
    );
    const both = new AfterModelHookOutput({
      ...stop,
      hookSpecificOutput: { llm_response: { text: 'goodbye' } },
    });
    expect(textOf(both.getModifiedResponse())).toBe('goodbye');
    expect(both.shouldStopExecution()).toBe(true);
  });

  test('an AfterModel output has no response if nothing was changed', () => {
    expect(new AfterModelHookOutput({ decision: 'deny' }).getModifiedResponse()).toBeUndefined();
  });
});

describe('BeforeToolSelectionHookOutput', () => {
  const tools = [{ functionDeclarations: [{ name: 'a' }, { name: 'b' }] }];
  const apply = (
    toolConfig: unknown,
    target: NonNullable<GenerateContentParameters['config']> = { tools },
  ) =>
    new BeforeToolSelectionHookOutput({
      hookSpecificOutput: { toolConfig },
    }).applyToolConfigModifications(target);

  test('a BeforeToolSelection output sets mode and names, and leaves the tools unchanged (HOOK-055, HOOK-167, HOOK-168)', () => {
    const changed = apply({ mode: 'ANY', allowedFunctionNames: ['a'] });
    expect(changed).toEqual({
      tools,
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['a'] } },
    });
    expect(changed.tools).toBe(tools);
  });

  test('a BeforeToolSelection output keeps what the hooks did not set (HOOK-060, C-49)', () => {
    const target = {
      tools,
      toolConfig: { functionCallingConfig: { allowedFunctionNames: ['a'] } },
      temperature: 1,
    };
    expect(apply({ mode: 'ANY' }, target)).toEqual({
      ...target,
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['a'] } },
    });
    for (const nothing of [undefined, null, {}, { mode: 'any' }, 'NONE'])
      expect(apply(nothing, target)).toBe(target);
  });
});

describe('factories (HOOK-200)', () => {
  const denied = { hookSpecificOutput: { permissionDecision: 'deny' } };

  test('the general factory ignores permissionDecision', () => {
    const output = createHookOutput('BeforeTool', denied);
    expect(output.constructor).toBe(DefaultHookOutput);
    expect(output.isBlockingDecision()).toBe(false);
    expect(createHookOutput('BeforeModel', {})).toBeInstanceOf(BeforeModelHookOutput);
    expect(createHookOutput('AfterModel', {})).toBeInstanceOf(AfterModelHookOutput);
    expect(createHookOutput('BeforeToolSelection', {})).toBeInstanceOf(
      BeforeToolSelectionHookOutput,
    );
    expect(createHookOutput('SessionStart', {}).constructor).toBe(DefaultHookOutput);
  });

  test('the aggregator’s factory honours permissionDecision', () => {
    const output = createSpecificHookOutput(denied, 'BeforeTool');
    expect(output).toBeInstanceOf(BeforeToolHookOutput);
    expect(output.isBlockingDecision()).toBe(true);
    expect(createSpecificHookOutput({}, 'AfterModel')).toBeInstanceOf(AfterModelHookOutput);
  });
});
