import { expect, test } from 'vitest';
import {
  defaultHookTranslator,
  normalizeHookLLMRequest,
} from '../../../src/core/translate/genai-v1.ts';
import { frozen, user } from './conversation.ts';

const messages = (value: unknown) => normalizeHookLLMRequest({ messages: value });

test('HOOK-072: a valid request is left alone, without a note', () => {
  const request = frozen({
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'Hi' },
      { role: 'model', content: '' },
    ],
    config: { temperature: 0, stopSequences: ['END'] },
    toolConfig: { mode: 'AUTO', allowedFunctionNames: ['a'] },
  });
  expect(normalizeHookLLMRequest(request)).toStrictEqual({ request, notes: [] });
});

test('C-71: the API reference’s form is converted to the stable one', () => {
  expect(
    normalizeHookLLMRequest({
      contents: [
        { role: 'user', parts: ['Hi', { text: '!' }] },
        { role: 'model', parts: [{ text: 'Hello' }] },
      ],
      systemInstruction: { role: 'system', parts: ['Be ', { text: 'brief' }] },
      generationConfig: { temperature: 0, maxOutputTokens: 9, stopSequences: ['END'] },
    }),
  ).toStrictEqual({
    request: {
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Hi!' },
        { role: 'model', content: 'Hello' },
      ],
      config: { temperature: 0, maxOutputTokens: 9, stopSequences: ['END'] },
    },
    notes: [],
  });
});

test('recipe D4: an answer in the API reference’s form changes the real request', () => {
  const base = frozen({ model: 'm', contents: 'Hi', config: { systemInstruction: 'Be brief' } });
  const answer = {
    contents: [{ role: 'user', parts: ['Hi'] }],
    systemInstruction: { role: 'system', parts: ['Save tokens'] },
    generationConfig: { maxOutputTokens: 100 },
  };
  expect(defaultHookTranslator.fromHookLLMRequest(answer as never, base)).toEqual({
    model: 'm',
    contents: 'Hi',
    config: { systemInstruction: 'Be brief\n\nSave tokens', maxOutputTokens: 100 },
  });
  expect(
    defaultHookTranslator.fromHookLLMRequest({ systemInstruction: 'Save tokens' } as never, base),
  ).toEqual({ ...base, config: { systemInstruction: 'Be brief\n\nSave tokens' } });
});

test('C-71: if both forms set the same thing, the stable one wins', () => {
  expect(
    normalizeHookLLMRequest({
      messages: [{ role: 'user', content: 'Hi' }],
      contents: [user('Ho')],
      config: { topK: 1 },
      generationConfig: { topK: 2, topP: 1 },
    }),
  ).toEqual({
    request: { messages: [{ role: 'user', content: 'Hi' }], config: { topK: 1, topP: 1 } },
    notes: ['llm_request.contents was ignored: llm_request.messages was given as well'],
  });
});

test.each<[unknown, string]>([
  [{ model: 7 }, 'llm_request.model is 7 and was ignored: it must be a string'],
  [
    { messages: 'Hi' },
    'llm_request.messages is "Hi" and was ignored: it must be a list of messages',
  ],
  [{ config: 'hot' }, 'llm_request.config is "hot" and was ignored: it must be an object'],
  [
    { config: { temperature: '0' } },
    'llm_request.config.temperature is "0" and was ignored: it must be a number',
  ],
  [
    { config: { stopSequences: 'END' } },
    'llm_request.config.stopSequences is "END" and was ignored: it must be a list of strings',
  ],
  [
    { toolConfig: { mode: 'none' } },
    'llm_request.toolConfig.mode is "none" and was ignored: it must be exactly AUTO, ANY or NONE',
  ],
  ['text', 'llm_request is "text" and was ignored: it must be an object'],
  [[], 'llm_request is a list and was ignored: it must be an object'],
])('an invalid field is left out with one note: %j', (value, note) => {
  expect(normalizeHookLLMRequest(value)).toEqual({ request: {}, notes: [note] });
});

test('null in an llm_request counts as absent', () => {
  expect(
    normalizeHookLLMRequest({
      model: null,
      messages: null,
      contents: null,
      systemInstruction: null,
      config: { temperature: null, stopSequences: null },
      generationConfig: null,
      toolConfig: { mode: null, allowedFunctionNames: null },
    }),
  ).toEqual({ request: {}, notes: [] });
  expect(normalizeHookLLMRequest(null)).toEqual({ request: {}, notes: [] });
});

test('the role assistant is read as model, and a message with an unknown role is left out', () => {
  expect(
    messages([
      { role: 'assistant', content: 'a' },
      { role: 'tool', content: 'b' },
      { content: 'c' },
    ]),
  ).toEqual({
    request: { messages: [{ role: 'model', content: 'a' }] },
    notes: [
      'llm_request.messages[0].role is "assistant" and was read as "model"',
      'llm_request.messages[1].role is "tool" and was ignored: it must be user, model or system; the message was dropped',
      'llm_request.messages[2].role is undefined and was ignored: it must be user, model or system; the message was dropped',
    ],
  });
});

test.each<[unknown, string, string[]]>([
  [{ text: 'a' }, 'a', []],
  [['a', { type: 'text', text: 'b' }], 'ab', []],
  [[], '', []],
  [
    ['a', { inlineData: {} }],
    'a',
    ['llm_request.messages[0].content has parts without text, which were dropped'],
  ],
  [
    { answer: 42 },
    '{"answer":42}',
    ['llm_request.messages[0].content is not text and was converted to JSON text'],
  ],
  [7, '7', ['llm_request.messages[0].content is not text and was converted to JSON text']],
])('000 §5.1: content %j is read as %j', (content, text, notes) => {
  expect(messages([{ role: 'user', content }])).toEqual({
    request: { messages: [{ role: 'user', content: text }] },
    notes,
  });
});

test('invalid messages are left out with a note', () => {
  const { request, notes } = messages([
    'Hi',
    null,
    { role: 'user' },
    { role: 'user', content: 'x' },
  ]);
  expect(request).toEqual({ messages: [{ role: 'user', content: 'x' }] });
  expect(notes).toEqual([
    'llm_request.messages[0] is "Hi" and was ignored: it must be { role, content }',
    'llm_request.messages[1] is null and was ignored: it must be { role, content }',
    'llm_request.messages[2] was ignored: it has no content',
  ]);
});

test('C-78: an empty list and a list of only system messages are reported', () => {
  expect(messages([])).toEqual({
    request: {},
    notes: [
      'llm_request.messages holds no messages and changed nothing: a request needs at least one message',
    ],
  });
  expect(messages([{ role: 'system', content: 'a' }]).notes).toEqual([
    'llm_request.messages holds only system messages: they were added, and the conversation was left as it was',
  ]);
});

test('a normalized request stays the same when it is normalized again', () => {
  for (const value of [
    { contents: [user('a')], systemInstruction: 'b', generationConfig: { topK: 1 }, model: [] },
    { messages: [{ role: 'assistant', content: [7] }], config: { topK: NaN, stopSequences: [1] } },
  ]) {
    const { request } = normalizeHookLLMRequest(value);
    expect(normalizeHookLLMRequest(request)).toStrictEqual({ request, notes: [] });
  }
});

test('normalizing a request never throws at cycles, big numbers, symbols and functions', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  const odd = [cycle, 7n, Symbol('s'), () => 1, new Date(NaN), Object.create(null)];
  for (const value of odd) {
    normalizeHookLLMRequest(value);
    normalizeHookLLMRequest({ model: value, messages: value, config: value, toolConfig: value });
    expect(messages([{ role: 'user', content: value }]).request.messages).toHaveLength(1);
  }
});
