import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../../src/hosts/plain/answer.ts';
import { mergeAnswers } from '../../../src/hosts/plain/merge-answers.ts';
import type { HookEventName } from '../../../src/core/protocol/events.ts';
import { answersOf, exited, named, printed, type Printed } from '../../support/answers.ts';

const merge = (event: HookEventName, ...outputs: Printed[]) =>
  mergeAnswers(event, answersOf(event, ...outputs));

const request = (llm_request: object) => ({ hookSpecificOutput: { llm_request } });
const response = (llm_response: object) => ({ hookSpecificOutput: { llm_response } });
const whole = (text: string) => ({
  text,
  candidates: [{ content: { role: 'model', parts: [text] }, finishReason: 'STOP' }],
});

describe('llm_request', () => {
  const messages = [{ role: 'user', content: 'other' }];

  test('an llm_request is replaced field by field, with config as one field (C-41, HOOK-098, UB2, U1)', () => {
    const { output, conflicts, setBy } = merge(
      'BeforeModel',
      request({ messages, config: { temperature: 0, topK: 3 } }),
      request({ config: { temperature: 1 } }),
    );
    expect(output?.hookSpecificOutput).toEqual({
      llm_request: { messages, config: { temperature: 1 } },
    });
    expect(conflicts).toEqual([{ field: 'llm_request.config', hooks: ['a', 'b'], winner: 'b' }]);
    expect(setBy).toEqual({ 'llm_request.messages': 'a', 'llm_request.config': 'b' });
  });

  test('messages of a later hook win (UB2)', () => {
    const later = [{ role: 'user', content: 'later' }];
    const { output } = merge('BeforeModel', request({ messages }), request({ messages: later }));
    expect(output?.hookSpecificOutput).toEqual({ llm_request: { messages: later } });
  });
});

describe('blocks and stops are kept (C-40)', () => {
  const block = { decision: 'block', reason: 'over the limit', ...response({ text: 'no more' }) };

  test.each([
    ['an allow', { decision: 'allow', reason: 'fine', continue: true }],
    ['plain text', 'all good'],
    ['an empty object', {}],
    ['a null decision', { decision: null }],
    ['another response', { decision: 'allow', ...response({ text: 'go on' }) }],
  ])('%s, before or after, does not undo a block', (_, other) => {
    for (const event of ['BeforeModel', 'AfterModel', 'SessionEnd', 'Notification'] as const)
      for (const outputs of [
        [block, other],
        [other, block],
      ]) {
        const { output } = merge(event, ...outputs);
        expect(output).toMatchObject({ decision: 'block', reason: 'over the limit' });
        if (event.endsWith('Model'))
          expect(output?.hookSpecificOutput?.['llm_response']).toEqual(whole('no more'));
      }
  });

  test('a stop is kept as well, with its reason and response', () => {
    const stop = { continue: false, stopReason: 'enough', ...response({ text: 'bye' }) };
    const other = { continue: true, stopReason: 'ignored', ...response({ text: 'hello' }) };
    for (const outputs of [
      [stop, other],
      [other, stop],
    ]) {
      const { output, setBy } = merge('AfterModel', ...outputs);
      expect(output).toMatchObject({ continue: false, stopReason: 'enough' });
      expect(output?.hookSpecificOutput?.['llm_response']).toEqual(whole('bye'));
      expect(setBy['llm_response.text']).toBe(outputs[0] === stop ? 'a' : 'b');
    }
  });

  test('the last of several blocks in plan order supplies reason and response', () => {
    const { output, setBy } = merge('BeforeModel', block, {
      decision: 'deny',
      reason: 'second',
      ...response({ text: 'second answer' }),
    });
    expect(output).toMatchObject({ decision: 'deny', reason: 'second' });
    expect(output?.hookSpecificOutput?.['llm_response']).toEqual(whole('second answer'));
    expect(setBy['decision']).toBe('b');
  });

  test('a block without a reason does not take the reason of an allow', () => {
    const { output } = merge('BeforeModel', { decision: 'deny' }, { reason: 'fine' });
    expect(output).toEqual({ decision: 'deny' });
  });

  test('the reason of a block is not replaced by that of a later stop', () => {
    const { output } = merge('BeforeModel', block, {
      continue: false,
      reason: 'other',
      stopReason: 'stop',
    });
    expect(output).toMatchObject({
      decision: 'block',
      reason: 'over the limit',
      continue: false,
      stopReason: 'stop',
    });
  });

  test('the denial of exit 2 is kept, and a failed hook changes nothing', () => {
    const answers = named(
      readAnswer('BeforeModel', exited({ exitCode: 2, stderr: 'no' })),
      readAnswer('BeforeModel', exited({ exitCode: 1, stderr: 'boom' })),
      printed('BeforeModel', { decision: 'allow' }),
    );
    expect(mergeAnswers('BeforeModel', answers).output).toEqual({ decision: 'deny', reason: 'no' });
  });
});

describe('llm_response', () => {
  test('an llm_response before a model call counts only with a block or a stop (C-79, C-80)', () => {
    const answer = response({ text: 'cached' });
    for (const allowing of [answer, { decision: 'allow', ...answer }]) {
      const merged = merge('BeforeModel', allowing, { decision: 'deny', reason: 'no' });
      expect(merged.output?.hookSpecificOutput).toBeUndefined();
      expect(merged.conflicts).toEqual([]);
      expect(merged.setBy).toEqual({ decision: 'b' });
    }
    expect(merge('BeforeModel', { continue: false, ...answer }).output?.hookSpecificOutput).toEqual(
      { llm_response: whole('cached') },
    );
  });

  test('after a model call the last llm_response wins, field by field (HOOK-046, HOOK-098)', () => {
    const { output } = merge(
      'AfterModel',
      response({ text: 'one', usageMetadata: { totalTokenCount: 3 } }),
      response({ text: 'two' }),
    );
    expect(output?.hookSpecificOutput).toEqual({
      llm_response: { ...whole('two'), usageMetadata: { totalTokenCount: 3 } },
    });
  });

  test('a text alone replaces another hook’s candidates as well (C-73)', () => {
    const { output } = merge(
      'AfterModel',
      response({ candidates: [{ content: { role: 'model', parts: ['old'] } }] }),
      response({ text: 'new' }),
    );
    expect(output?.hookSpecificOutput).toEqual({ llm_response: whole('new') });
  });
});

describe('the other fields', () => {
  test('the other fields are replaced by the later hook (HOOK-098, 000 §7.3)', () => {
    const { output, conflicts, setBy } = merge(
      'AfterModel',
      { systemMessage: 'one', suppressOutput: true, reason: 'first', decision: 'ask' },
      { systemMessage: 'two', suppressOutput: false, reason: 'second', decision: 'allow' },
    );
    expect(output).toEqual({
      systemMessage: 'two',
      suppressOutput: false,
      reason: 'second',
      decision: 'allow',
    });
    expect(conflicts.map(({ field }) => field)).toEqual(['systemMessage', 'suppressOutput']);
    expect(setBy).toEqual({ systemMessage: 'b', suppressOutput: 'b' });
  });

  test('plain text replaces only the message (C-40)', () => {
    const answer = {
      decision: 'ask',
      reason: 'r',
      suppressOutput: true,
      systemMessage: 'm',
      ...request({ config: { topK: 1 } }),
    };
    expect(merge('BeforeModel', answer, 'plain').output).toEqual({
      ...answer,
      systemMessage: 'plain',
    });
  });

  test('plain text alone allows (HOOK-064)', () => {
    expect(merge('BeforeModel', 'plain').output).toEqual({
      decision: 'allow',
      systemMessage: 'plain',
    });
  });

  test('a stop reason without a stop is ignored', () => {
    expect(merge('BeforeModel', { stopReason: 'x' }).output).toEqual({});
  });
});

test('in SessionEnd, PreCompress and Notification the last answer wins (C-53)', () => {
  for (const event of ['SessionEnd', 'PreCompress', 'Notification'] as const)
    expect(merge(event, { systemMessage: 'one' }, { systemMessage: 'two' }).output).toEqual({
      systemMessage: 'two',
    });
});
