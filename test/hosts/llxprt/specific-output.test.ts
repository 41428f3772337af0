import { describe, expect, test } from 'vitest';
import { readSpecific } from '../../../src/hosts/plain/vocabulary.ts';
import { hookEventNames } from '../../../src/core/protocol/events.ts';

describe('before a model call', () => {
  test('an llm_request in the stable form is accepted unchanged', () => {
    const llm_request = {
      model: 'm',
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Hi' },
      ],
      config: { temperature: 0, stopSequences: ['.'] },
      toolConfig: { mode: 'ANY', allowedFunctionNames: ['a'] },
    };
    expect(readSpecific('BeforeModel', { llm_request })).toEqual({
      specific: { llm_request },
      notes: [],
    });
  });

  test('an llm_request in the API reference’s form is converted (003, C-71)', () => {
    const { specific, notes } = readSpecific('BeforeModel', {
      llm_request: {
        contents: [{ role: 'model', parts: ['a', { text: 'b' }] }],
        systemInstruction: { role: 'system', parts: ['s'] },
        generationConfig: { topK: 2 },
      },
    });
    expect(notes).toEqual([]);
    expect(specific).toEqual({
      llm_request: {
        messages: [
          { role: 'system', content: 's' },
          { role: 'model', content: 'ab' },
        ],
        config: { topK: 2 },
      },
    });
  });

  test('invalid values are left out with a note, and an llm_request without a valid one is dropped', () => {
    const { specific, notes } = readSpecific('BeforeModel', {
      llm_request: { messages: 'Hi', config: { temperature: 'hot' }, model: 5 },
      other: 1,
    });
    expect(specific).toEqual({ other: 1 });
    expect(notes).toHaveLength(3);
  });

  test('an empty list of messages changes nothing (C-78)', () => {
    const { specific, notes } = readSpecific('BeforeModel', { llm_request: { messages: [] } });
    expect(specific).toEqual({});
    expect(notes).toHaveLength(1);
  });

  test('unknown fields of a hook’s output are passed through (G-15)', () => {
    const specific = { hookEventName: 'BeforeModel', llm_request_boundary: { from: 1 } };
    expect(readSpecific('BeforeModel', specific)).toEqual({ specific, notes: [] });
  });
});

describe('llm_response', () => {
  test.each(['BeforeModel', 'AfterModel'] as const)(
    'in %s a text alone becomes one whole candidate (C-73)',
    (event) => {
      expect(readSpecific(event, { llm_response: { text: 'Hi' } }).specific).toEqual({
        llm_response: {
          text: 'Hi',
          candidates: [{ content: { role: 'model', parts: ['Hi'] }, finishReason: 'STOP' }],
        },
      });
    },
  );

  test('candidates without a text get one from their parts of either form (C-72, recipes 11 and 12)', () => {
    const { specific } = readSpecific('BeforeModel', {
      llm_response: {
        candidates: [{ content: { role: 'model', parts: ['a', { text: 'b' }] }, index: 0 }],
      },
    });
    expect(specific).toEqual({
      llm_response: {
        text: 'ab',
        candidates: [{ content: { role: 'model', parts: ['a', 'b'] }, index: 0 }],
      },
    });
  });

  test('an invalid llm_response is left out', () => {
    for (const llm_response of ['Hi', 5, [], {}, null])
      expect(readSpecific('AfterModel', { llm_response }).specific).toEqual({});
  });
});

test('additionalContext must be a text, in every event', () => {
  for (const event of hookEventNames) {
    expect(readSpecific(event, { additionalContext: ['x'], a: 1 })).toEqual({
      specific: { a: 1 },
      notes: ['"additionalContext" is a list and was ignored: it must be a string'],
    });
    expect(readSpecific(event, { additionalContext: null }).notes).toEqual([]);
    const fine = { additionalContext: 'x' };
    expect(readSpecific(event, fine)).toEqual({ specific: fine, notes: [] });
  }
});

test('another event’s fields are passed through', () => {
  const specific = { tool_input: 5, llm_request: 6, llm_response: 7, toolConfig: 8 };
  expect(readSpecific('SessionStart', specific)).toEqual({ specific, notes: [] });
});
