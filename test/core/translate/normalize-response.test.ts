import { expect, test } from 'vitest';
import { normalizeHookLLMResponse } from '../../../src/core/translate/genai-v1.ts';
import { call, frozen } from './conversation.ts';

const candidate = (parts: unknown, more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, ...more }],
});

test('HOOK-073: a valid response is left alone, without a note', () => {
  const response = frozen({
    text: 'Hello you',
    ...candidate(['Hello ', 'you'], {
      finishReason: 'STOP',
      index: 0,
      safetyRatings: [{ category: 'c', probability: 'LOW' }],
    }),
    usageMetadata: { promptTokenCount: 1 },
  });
  expect(normalizeHookLLMResponse(response)).toStrictEqual({ response, notes: [] });
});

test('C-72: parts may be a list of texts or {text}, or one text', () => {
  const { response } = normalizeHookLLMResponse(candidate(['a', { text: 'b' }]));
  expect(response).toEqual({ text: 'ab', ...candidate(['a', 'b']) });
  expect(normalizeHookLLMResponse({ candidates: [{ content: 'a' }] }).response?.text).toBe('a');
});

test('C-73: a text alone stays a text alone', () => {
  expect(normalizeHookLLMResponse({ text: 'a' })).toEqual({ response: { text: 'a' }, notes: [] });
  expect(normalizeHookLLMResponse({ text: 'a', candidates: [] })).toEqual({
    response: { text: 'a' },
    notes: [],
  });
});

test('C-73: a text that differs from the candidates is reported', () => {
  expect(normalizeHookLLMResponse({ text: 'b', ...candidate(['a']) })).toEqual({
    response: { text: 'a', ...candidate(['a']) },
    notes: ['llm_response.text was ignored: it differs from the candidates, which win'],
  });
});

test('C-86: function calls in an answer are left out and reported', () => {
  expect(normalizeHookLLMResponse(candidate(['a', call('view')])).notes).toEqual([
    'llm_response.candidates[0].content has parts without text, which were dropped: hooks can only change text',
  ]);
});

test('HOOK-077: `blocked` is left out of safety ratings', () => {
  const rating = { category: 'c', probability: 'LOW' };
  const { response } = normalizeHookLLMResponse(
    candidate(['a'], { safetyRatings: [{ ...rating, blocked: true }] }),
  );
  expect(response?.candidates?.[0]?.safetyRatings).toStrictEqual([rating]);
});

test.each<[unknown, string]>([
  ['text', 'llm_response is "text" and was ignored: it must be an object'],
  [{ text: 7 }, 'llm_response.text is 7 and was ignored: it must be a string'],
  [
    { candidates: {} },
    'llm_response.candidates is an object and was ignored: it must be a list of candidates',
  ],
  [
    { candidates: [7] },
    'llm_response.candidates[0] is 7 and was ignored: it must be { content: { role: "model", parts: [text] } }',
  ],
  [
    { candidates: [{ content: {} }] },
    'llm_response.candidates[0] is an object and was ignored: it must be { content: { role: "model", parts: [text] } }',
  ],
  [{ usageMetadata: 7 }, 'llm_response.usageMetadata is 7 and was ignored: it must be an object'],
  [
    { usageMetadata: { totalTokenCount: '7' } },
    'llm_response.usageMetadata.totalTokenCount is "7" and was ignored: it must be a number',
  ],
])('without a usable field there is no response: %j', (value, note) => {
  expect(normalizeHookLLMResponse(value)).toEqual({ notes: [note] });
});

test('each invalid field of a candidate is left out with a note', () => {
  const { response, notes } = normalizeHookLLMResponse(
    candidate(['a'], { finishReason: 'stop', index: '0', safetyRatings: [{ category: 'c' }] }),
  );
  expect(response).toEqual({ text: 'a', ...candidate(['a'], { safetyRatings: [] }) });
  expect(notes).toEqual([
    'llm_response.candidates[0].finishReason is "stop" and was ignored: it must be exactly STOP, MAX_TOKENS, SAFETY, RECITATION or OTHER',
    'llm_response.candidates[0].index is "0" and was ignored: it must be a number',
    'llm_response.candidates[0].safetyRatings[0] is an object and was ignored: it must be { category, probability }, both strings',
  ]);
  expect(normalizeHookLLMResponse(candidate(['a'], { safetyRatings: 7 })).notes).toHaveLength(1);
});

test('null in an llm_response counts as absent', () => {
  expect(normalizeHookLLMResponse(null)).toEqual({ notes: [] });
  expect(normalizeHookLLMResponse({ text: null, candidates: null, usageMetadata: null })).toEqual({
    notes: [],
  });
});

test('a normalized response stays the same when it is normalized again', () => {
  for (const value of [
    { text: 'a', candidates: [] },
    { text: 'b', ...candidate(['a', 7]) },
  ]) {
    const { response } = normalizeHookLLMResponse(value);
    expect(normalizeHookLLMResponse(response)).toStrictEqual({ response, notes: [] });
  }
});
