import { FunctionCallingConfigMode, type GenerateContentParameters } from '@google/genai';
import { expect, test } from 'vitest';
import { defaultHookTranslator } from '../../../src/core/translate/genai-v1.ts';
import { call, frozen, image, model, requestOf, response, user } from './conversation.ts';

const { toHookLLMRequest } = defaultHookTranslator;
const messagesOf = (contents: GenerateContentParameters['contents']) =>
  toHookLLMRequest({ model: 'm', contents }).messages;

test('HOOK-072: a hook sees the model, messages, eight settings and tool config, and nothing else', () => {
  const settings = {
    temperature: 0.5,
    maxOutputTokens: 100,
    topP: 0.9,
    topK: 40,
    stopSequences: ['END'],
    candidateCount: 1,
    presencePenalty: 0.1,
    frequencyPenalty: 0.2,
  };
  const request: GenerateContentParameters = frozen({
    ...requestOf(user('Hi'), model('Hello')),
    config: {
      ...settings,
      seed: 7,
      systemInstruction: 'Be brief',
      tools: [{ functionDeclarations: [{ name: 'read_file' }] }],
      toolConfig: {
        functionCallingConfig: {
          mode: FunctionCallingConfigMode.ANY,
          allowedFunctionNames: ['read_file'],
        },
        retrievalConfig: { languageCode: 'en' },
      },
    },
  });
  expect(toHookLLMRequest(request)).toStrictEqual({
    model: 'gemini-2.5-pro',
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'model', content: 'Hello' },
    ],
    config: settings,
    toolConfig: { mode: 'ANY', allowedFunctionNames: ['read_file'] },
  });
});

test.each<[string, GenerateContentParameters['contents'], string[]]>([
  ['a text', 'Hi', ['user: Hi']],
  ['a part', { text: 'Hi' }, ['user: Hi']],
  ['a content', model('Hi'), ['model: Hi']],
  ['a content without a role', { parts: [{ text: 'Hi' }] }, ['user: Hi']],
  ['contents', [user('Hi'), model('Yes?')], ['user: Hi', 'model: Yes?']],
  ['texts, which are one message', ['Look', ' here'], ['user: Look here']],
  ['parts, which are one message', [{ text: 'Look' }, image, { text: '!' }], ['user: Look!']],
  ['a text and a part', ['Look', { text: '!' }], ['user: Look!']],
  ['nothing', [], []],
])('HOOK-075: contents may be %s', (_, contents, expected) => {
  expect(messagesOf(contents).map(({ role, content }) => `${role}: ${content}`)).toEqual(expected);
});

test('HOOK-075, HOOK-076: a hook sees only texts, and a message without text is left out', () => {
  expect(
    messagesOf([
      user('What is this?', image),
      user(image),
      model('I will look. ', call('view'), 'Wait.'),
      user(response('view')),
      model({ text: 'hmm', thought: true }),
      model({ text: '' }),
      { role: 'model' },
    ]),
  ).toEqual([
    { role: 'user', content: 'What is this?' },
    { role: 'model', content: 'I will look. Wait.' },
  ]);
});

test('C-77: the system instruction is not shown, and the only roles are user and model', () => {
  const request = {
    ...requestOf({ role: 'system', parts: [{ text: 'a' }] }),
    config: { systemInstruction: 'secret' },
  };
  expect(toHookLLMRequest(request).messages).toEqual([{ role: 'user', content: 'a' }]);
});

const shownToolConfig = (mode: FunctionCallingConfigMode) =>
  toHookLLMRequest({
    ...requestOf(user('Hi')),
    config: { toolConfig: { functionCallingConfig: { mode } } },
  }).toolConfig;

test('HOOK-074: a tool mode that hooks do not know is not shown', () => {
  expect(shownToolConfig(FunctionCallingConfigMode.NONE)).toEqual({ mode: 'NONE' });
  expect(shownToolConfig(FunctionCallingConfigMode.VALIDATED)).toBeUndefined();
});

test('C-85: equal requests are shown the same to the byte, whatever the order of their keys', () => {
  const one = { model: 'm', contents: 'Hi', config: { topK: 1, temperature: 0 } };
  const other = { config: { temperature: 0, topK: 1 }, contents: 'Hi', model: 'm' };
  expect(JSON.stringify(toHookLLMRequest(one))).toBe(JSON.stringify(toHookLLMRequest(other)));
});

test.each([
  undefined,
  null,
  7,
  'text',
  [],
  {},
  { model: 7, contents: null, config: 'x' },
  { contents: [null, 7, [], { parts: 'x' }, { parts: [null, 7] }], config: { topK: 'x' } },
  { config: { toolConfig: 'x', stopSequences: 7 } },
])('toHookLLMRequest never throws at an odd request: %j', (odd) => {
  const { model: name, messages } = toHookLLMRequest(odd as never);
  expect(typeof name).toBe('string');
  expect(Array.isArray(messages)).toBe(true);
});
