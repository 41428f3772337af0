import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../../src/hosts/plain/answer.ts';
import { chainPayload } from '../../../src/hosts/plain/merge-answers.ts';
import { hookEventNames, type HookEventName } from '../../../src/core/protocol/events.ts';
import { exited, printed } from '../../support/answers.ts';
import { someFields } from '../../support/session.ts';

const chain = (event: HookEventName, payload: object, specific: object) =>
  chainPayload(
    event,
    payload as Record<string, unknown>,
    printed(event, { hookSpecificOutput: specific }),
  );

describe('tool_input', () => {
  const payload = { tool_name: 'x', tool_input: { a: 1, nested: { b: 2, c: 3 } } };

  test('a tool_input is spread over the input, cumulatively and not deeply (HOOK-024, HOOK-106, HOOK-216, C-43)', () => {
    const first = chain('BeforeTool', payload, { tool_input: { nested: { b: 9 } } });
    const second = chain('BeforeTool', first, { tool_input: { d: 4 } });
    expect(second).toEqual({ tool_name: 'x', tool_input: { a: 1, nested: { b: 9 }, d: 4 } });
  });

  test('the caller’s tool_input is never changed (G-05)', () => {
    const before = structuredClone(payload);
    chain('BeforeTool', payload, { tool_input: { a: 2, nested: null } });
    expect(payload).toEqual(before);
  });

  test('a tool_input that is not an object changes nothing', () => {
    for (const tool_input of ['text', 1, null, [1]])
      expect(chain('BeforeTool', payload, { tool_input })).toEqual(payload);
  });
});

describe('llm_request', () => {
  const payload = { llm_request: { model: 'm', messages: [], config: { topK: 1, topP: 1 } } };

  test('an llm_request is spread over the request, with config as one field (HOOK-105, C-41, U1)', () => {
    const first = chain('BeforeModel', payload, { llm_request: { config: { temperature: 0 } } });
    expect(first).toEqual({
      llm_request: { model: 'm', messages: [], config: { temperature: 0 } },
    });
  });

  test('an llm_request is passed on in the stable form, whatever form the hook used (C-71)', () => {
    const next = chain('BeforeModel', payload, {
      llm_request: {
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
        generationConfig: { maxOutputTokens: 9 },
      },
    });
    expect(next).toEqual({
      llm_request: {
        model: 'm',
        messages: [{ role: 'user', content: 'Hi' }],
        config: { maxOutputTokens: 9 },
      },
    });
  });
});

test('each context is appended to the prompt (HOOK-211, W11)', () => {
  const first = chain('BeforeAgent', { prompt: 'Do it' }, { additionalContext: 'one' });
  expect(chain('BeforeAgent', first, { additionalContext: 'two' })).toEqual({
    prompt: 'Do it\n\none\n\ntwo',
  });
  expect(chain('BeforeAgent', first, { additionalContext: '' })).toBe(first);
});

test('a response is passed on with earlier changes, so that redactions add up (seed 000 §7.4)', () => {
  const payload = { ...someFields.AfterModel };
  const redacted = chain('AfterModel', payload, { llm_response: { text: '[EMAIL]' } });
  expect(redacted).toMatchObject({
    llm_request: payload.llm_request,
    llm_response: { text: '[EMAIL]', candidates: [{ content: { parts: ['[EMAIL]'] } }] },
  });
});

describe('unchanged', () => {
  const everything = {
    tool_input: { x: 1 },
    llm_request: { config: { topK: 1 } },
    llm_response: { text: 'x' },
    toolConfig: { mode: 'NONE' },
    additionalContext: 'x',
  };

  test.each(
    hookEventNames.filter(
      (name) => !['BeforeTool', 'BeforeModel', 'AfterModel', 'BeforeAgent'].includes(name),
    ),
  )('%s passes its input on unchanged (HOOK-211)', (event) => {
    const payload = { ...someFields[event] };
    expect(chain(event, payload, everything)).toBe(payload);
  });

  test('the input stays unchanged after silence, plain text, an empty object or a failure (HOOK-104)', () => {
    const payload = { ...someFields.BeforeTool };
    const output = JSON.stringify({ hookSpecificOutput: everything });
    for (const exit of [
      { stdout: '' },
      { stdout: 'text' },
      { stdout: '{}' },
      { stdout: output, exitCode: 1 },
      { stdout: output, exitCode: 2 },
      { stdout: output, exitCode: null, signal: 'SIGKILL' },
    ])
      expect(chainPayload('BeforeTool', payload, readAnswer('BeforeTool', exited(exit)))).toBe(
        payload,
      );
  });
});
