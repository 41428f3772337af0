import { FunctionCallingConfigMode, type GenerateContentParameters } from '@google/genai';
import { expect, test } from 'vitest';
import type { LLMMessage, LLMRequest } from '../../../src/core/protocol/llm.ts';
import { defaultHookTranslator } from '../../../src/core/translate/genai-v1.ts';
import { call, frozen, image, model, response, user } from './conversation.ts';

const { fromHookLLMRequest, toHookLLMRequest } = defaultHookTranslator;

const base: GenerateContentParameters = frozen({
  model: 'gemini-2.5-pro',
  contents: [user('Look', image), model(call('view')), user(response('view')), model('A cat.')],
  config: {
    temperature: 1,
    topP: 0.9,
    seed: 7,
    systemInstruction: 'Be brief',
    tools: [{ functionDeclarations: [{ name: 'view' }] }],
    toolConfig: {
      functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO },
      retrievalConfig: { languageCode: 'en' },
    },
  },
});
const shown = toHookLLMRequest(base);
const git: LLMMessage = { role: 'system', content: 'On branch main' };

test('HOOK-078: an empty answer gives back the base request', () => {
  expect(fromHookLLMRequest({}, base)).toStrictEqual(base);
  expect(fromHookLLMRequest(undefined as never, base)).toStrictEqual(base);
});

test('C-74: a hook that sets one setting leaves all other config alone', () => {
  const changed = fromHookLLMRequest({ config: { temperature: 0 } }, base);
  expect(changed).toStrictEqual({ ...base, config: { ...base.config, temperature: 0 } });
});

test('C-74: all eight settings of a hook reach the request', () => {
  const config = {
    temperature: 0.1,
    maxOutputTokens: 2,
    topP: 0.3,
    topK: 4,
    stopSequences: ['x'],
    candidateCount: 5,
    presencePenalty: 0.6,
    frequencyPenalty: 0.7,
  };
  const request: GenerateContentParameters = { model: 'm', contents: 'Hi' };
  expect(fromHookLLMRequest({ config }, request).config).toEqual(config);
});

test('HOOK-038: a hook can set another model, but not an empty one', () => {
  expect(fromHookLLMRequest({ model: 'gemini-2.5-flash' }, base).model).toBe('gemini-2.5-flash');
  expect(fromHookLLMRequest({ model: '' }, base).model).toBe('gemini-2.5-pro');
});

test('HOOK-055, HOOK-167: a tool config is set, and its other keys and the tools stay', () => {
  const toolConfig = { mode: 'ANY', allowedFunctionNames: ['view'] } as const;
  expect(fromHookLLMRequest({ toolConfig }, base).config).toStrictEqual({
    ...base.config,
    toolConfig: { functionCallingConfig: toolConfig, retrievalConfig: { languageCode: 'en' } },
  });
});

test('recipe 9, C-77: a system message in front is appended to the system instruction', () => {
  const changed = fromHookLLMRequest({ ...shown, messages: [git, ...shown.messages] }, base);
  expect(changed).toStrictEqual({
    ...base,
    config: { ...base.config, systemInstruction: 'Be brief\n\nOn branch main' },
  });
});

test.each<[string, NonNullable<GenerateContentParameters['config']>['systemInstruction'], unknown]>(
  [
    ['absent', undefined, 'On branch main'],
    ['a text', 'Be brief', 'Be brief\n\nOn branch main'],
    [
      'a content',
      { role: 'system', parts: [{ text: 'Be brief' }] },
      { role: 'system', parts: [{ text: 'Be brief' }, { text: 'On branch main' }] },
    ],
    ['a part', { text: 'Be brief' }, [{ text: 'Be brief' }, { text: 'On branch main' }]],
    ['parts', ['Be', { text: 'brief' }], ['Be', { text: 'brief' }, { text: 'On branch main' }]],
  ],
)(
  'C-77: a system message is appended to a system instruction that is %s',
  (_, instruction, expected) => {
    const request = frozen({
      ...base,
      config: instruction === undefined ? {} : { systemInstruction: instruction },
    });
    const changed = fromHookLLMRequest({ messages: [...shown.messages, git] }, request);
    expect(changed.config?.systemInstruction).toEqual(expected);
    expect(changed.contents).toBe(base.contents);
  },
);

test('C-77: with cached content, which has its own instruction, a system message becomes a note at its place', () => {
  const cached = frozen({ model: 'm', contents: 'Hi', config: { cachedContent: 'cache/1' } });
  expect(fromHookLLMRequest({ messages: [git, { role: 'user', content: 'Hi' }] }, cached)).toEqual({
    ...cached,
    contents: [user('[System] On branch main'), user('Hi')],
  });
  expect(fromHookLLMRequest({ messages: [git] }, cached).contents).toEqual([
    user('Hi'),
    user('[System] On branch main'),
  ]);
  expect(fromHookLLMRequest({ config: { topK: 1 } }, cached).contents).toBe('Hi');
});

test('C-78: no messages, or only system messages, leave the conversation unchanged', () => {
  expect(fromHookLLMRequest({ messages: [] }, base)).toStrictEqual(base);
  const changed = fromHookLLMRequest({ messages: [git] }, base);
  expect(changed.contents).toBe(base.contents);
  expect(changed.config?.systemInstruction).toBe('Be brief\n\nOn branch main');
});

test('recipe UB: messages from one hook and the temperature from another both reach the request', () => {
  const merged: Partial<LLMRequest> = {
    ...shown,
    messages: [...shown.messages, git],
    config: { temperature: 0.1 },
  };
  const changed = fromHookLLMRequest(merged, base);
  expect(changed.contents).toBe(base.contents);
  expect(changed.config).toMatchObject({
    temperature: 0.1,
    topP: 0.9,
    seed: 7,
    systemInstruction: 'Be brief\n\nOn branch main',
  });
});

test('recipe A4: all messages are replaced, and other fields of the answer are ignored', () => {
  const answer = { messages: [{ role: 'user', content: 'New' }], llm_request_boundary: 3 };
  const changed = fromHookLLMRequest(answer as Partial<LLMRequest>, base);
  expect(changed).toStrictEqual({ ...base, contents: [user('New')] });
});

test('without a base the hook’s request is used alone', () => {
  expect(
    fromHookLLMRequest({ model: 'm', messages: [git, { role: 'user', content: 'Hi' }] }),
  ).toEqual({ model: 'm', contents: [user('Hi')], config: { systemInstruction: git.content } });
});

test('keys such as __proto__ in an answer have no effect', () => {
  const answer = JSON.parse(
    '{"__proto__":{"model":"evil"},"config":{"__proto__":{"topK":1}},"toolConfig":{"__proto__":{"mode":"NONE"}}}',
  ) as Partial<LLMRequest>;
  expect(fromHookLLMRequest(answer, base)).toStrictEqual(base);
  expect(({} as { model?: unknown }).model).toBeUndefined();
});
