import {
  FinishReason,
  GenerateContentResponse,
  HarmCategory,
  HarmProbability,
  type Candidate,
} from '@google/genai';
import { describe, expect, test } from 'vitest';
import {
  defaultHookTranslator,
  dropsFunctionCalls,
  emptyResponse,
  stopResponse,
} from '../../../src/core/translate/genai-v1.ts';
import { fromFinalResponse } from '../../../src/core/translate/response.ts';
import { call, frozen, image, model } from './conversation.ts';

const { fromHookLLMResponse, toHookLLMResponse } = defaultHookTranslator;

function sdkResponse(...candidates: Candidate[]): GenerateContentResponse {
  return frozen(
    Object.assign(new GenerateContentResponse(), {
      candidates,
      responseId: 'r1',
      modelVersion: 'gemini-2.5-pro',
      usageMetadata: {
        promptTokenCount: 1,
        candidatesTokenCount: 2,
        totalTokenCount: 3,
        thoughtsTokenCount: 4,
      },
    }),
  );
}

const answer = sdkResponse({
  content: model({ text: 'hmm', thought: true }, 'Hello ', image, 'you', { text: '' }),
  finishReason: FinishReason.STOP,
  index: 0,
  safetyRatings: [
    {
      category: HarmCategory.HARM_CATEGORY_HARASSMENT,
      probability: HarmProbability.LOW,
      blocked: true,
    },
  ],
});
const calling = sdkResponse({ content: model(call('view')), finishReason: FinishReason.STOP });

describe('the response that hooks see', () => {
  test('HOOK-073, HOOK-077, C-72: a hook sees texts as strings, ratings without blocked, and three counts', () => {
    expect(toHookLLMResponse(answer)).toStrictEqual({
      text: 'Hello you',
      candidates: [
        {
          content: { role: 'model', parts: ['Hello ', 'you'] },
          finishReason: 'STOP',
          index: 0,
          safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'LOW' }],
        },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 },
    });
  });

  test('recipe 18: a response that only calls functions has no text', () => {
    const { text, candidates } = toHookLLMResponse(calling);
    expect({ text, parts: candidates[0]?.content.parts }).toEqual({ text: '', parts: [] });
    expect(toHookLLMResponse(new GenerateContentResponse())).toEqual({ text: '', candidates: [] });
  });

  test('HOOK-073: `text` equals the SDK’s own accessor', () => {
    const thinking = sdkResponse({
      content: model({ text: 'hmm', thought: true }, 'Hello ', 'you'),
    });
    expect(toHookLLMResponse(thinking).text).toBe(thinking.text);
  });

  test.each([
    ['STOP', 'STOP'],
    ['MAX_TOKENS', 'MAX_TOKENS'],
    ['SAFETY', 'SAFETY'],
    ['RECITATION', 'RECITATION'],
    ['OTHER', 'OTHER'],
    ['MALFORMED_FUNCTION_CALL', 'OTHER'],
    [undefined, undefined],
  ])('000 §5.2: finish reason %s is shown as %s', (reason, expected) => {
    const { candidates } = toHookLLMResponse({
      candidates: [{ ...(reason && { finishReason: reason }) }],
    });
    expect(candidates[0]?.finishReason).toBe(expected);
  });

  test.each([undefined, null, 7, [], { candidates: 'x' }, { candidates: [null, { content: 7 }] }])(
    'toHookLLMResponse never throws at an odd response: %j',
    (odd) => {
      expect(toHookLLMResponse(odd as never).text).toBe('');
    },
  );
});

describe('the response made from a hook’s', () => {
  test('C-73: a text alone becomes one candidate that ended with STOP', () => {
    expect(fromHookLLMResponse({ text: 'Hi' })).toStrictEqual({
      text: 'Hi',
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
    });
  });

  test('C-73, recipes 11 and 12: the text is computed from candidates if it is absent', () => {
    const parts = ['Limit', ' reached'];
    expect(
      fromHookLLMResponse({
        candidates: [{ content: { role: 'model', parts }, finishReason: 'MAX_TOKENS' }],
      }),
    ).toStrictEqual({
      text: 'Limit reached',
      candidates: [{ content: model('Limit', ' reached'), finishReason: 'MAX_TOKENS' }],
    });
  });

  test('C-73: candidates win over a text that differs', () => {
    const candidates = [{ content: { role: 'model', parts: ['A'] } }] as const;
    expect(fromHookLLMResponse({ text: 'B', candidates }).text).toBe('A');
    expect(fromHookLLMResponse({ text: 'B', candidates: [] }).text).toBe('B');
  });

  test('recipe 4, HOOK-079: a redacted response is text only, and facts about the response stay', () => {
    const shown = toHookLLMResponse(answer);
    const redacted = {
      ...shown,
      text: '[NAME]',
      candidates: [{ ...shown.candidates[0]!, content: { role: 'model', parts: ['[NAME]'] } }],
    } as const;
    expect(fromHookLLMResponse(frozen(redacted), answer)).toStrictEqual({
      text: '[NAME]',
      candidates: [
        {
          content: model('[NAME]'),
          finishReason: 'STOP',
          index: 0,
          safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'LOW' }],
        },
      ],
      usageMetadata: answer.usageMetadata,
      responseId: 'r1',
      modelVersion: 'gemini-2.5-pro',
    });
  });

  test('C-75: a candidate whose text did not change keeps its content, including calls', () => {
    for (const base of [answer, calling]) {
      const echoed = fromHookLLMResponse(toHookLLMResponse(base), base);
      expect(echoed.candidates?.[0]?.content).toBe(base.candidates?.[0]?.content);
      expect(dropsFunctionCalls(base, echoed)).toBe(false);
    }
  });

  test('the candidates stay if a hook gives only counts', () => {
    const changed = fromHookLLMResponse({ usageMetadata: { totalTokenCount: 9 } }, calling);
    expect(changed.candidates).toEqual(calling.candidates);
    expect(changed.usageMetadata).toEqual({
      promptTokenCount: 1,
      candidatesTokenCount: 2,
      totalTokenCount: 9,
      thoughtsTokenCount: 4,
    });
  });

  test('a finish reason that hooks do not know is kept unless a hook changed it', () => {
    const base = sdkResponse({
      content: model('Hi'),
      finishReason: FinishReason.LANGUAGE,
    });
    const [candidate] = toHookLLMResponse(base).candidates;
    const back = (finishReason: 'OTHER' | 'STOP') =>
      fromHookLLMResponse({ candidates: [{ ...candidate!, finishReason }] }, base).candidates?.[0]
        ?.finishReason;
    expect(back('OTHER')).toBe('LANGUAGE');
    expect(back('STOP')).toBe('STOP');
  });

  test('candidates are matched with their originals by index', () => {
    const base = sdkResponse(
      { content: model('A', image), index: 0 },
      { content: model('B', image), index: 1 },
    );
    const [, second] = toHookLLMResponse(base).candidates;
    expect(fromHookLLMResponse({ candidates: [second!] }, base).candidates?.[0]?.content).toBe(
      base.candidates?.[1]?.content,
    );
  });

  test('C-86: function calls stay whole after a new text, and are dropped if a hook ends the turn', () => {
    const kept = fromHookLLMResponse({ text: 'No tools today' }, calling);
    expect(dropsFunctionCalls(calling, kept)).toBe(false);
    const calls = calling.candidates![0]!.content!.parts!.filter((part) => part.functionCall);
    expect(kept.candidates).toMatchObject([{ content: model('No tools today', ...calls) }]);
    expect(kept.candidates![0]!.content!.parts!.slice(1)).toEqual(calls);
    expect(dropsFunctionCalls(calling)).toBe(true);
    const replaced = fromFinalResponse({ text: 'No tools today' }, calling);
    expect(dropsFunctionCalls(calling, replaced)).toBe(true);
    for (const said of [{ text: '' }, { candidates: [] }])
      expect(fromHookLLMResponse(said, calling)).toMatchObject({
        text: '',
        candidates: [{ content: { role: 'model', parts: calls } }],
      });
    expect(dropsFunctionCalls(answer, replaced)).toBe(false);
    expect(dropsFunctionCalls(undefined as never, null as never)).toBe(false);
  });

  test.each([undefined, null, 7, [], {}])(
    'an odd answer %j leaves the base’s candidates unchanged',
    (odd) => {
      expect(fromHookLLMResponse(odd as never, answer).candidates).toEqual(answer.candidates);
      expect(fromHookLLMResponse(odd as never)).toEqual({ text: '', candidates: [] });
    },
  );
});

test('HOOK-048, C-82: a stop response has the reason as its text', () => {
  expect(stopResponse('Too dear')).toStrictEqual({
    text: 'Too dear',
    candidates: [{ content: model('Too dear'), finishReason: 'STOP' }],
  });
});

test('HOOK-202, C-81: an empty response is one candidate without text', () => {
  expect(emptyResponse()).toStrictEqual({
    text: '',
    candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP' }],
  });
});
