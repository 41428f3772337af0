import {
  FunctionCallingConfigMode,
  type Content,
  type GenerateContentConfig,
  type GenerateContentParameters,
} from '@google/genai';
import { expect, test } from 'vitest';
import type { LLMMessage } from '../../../src/core/protocol/llm.ts';
import { hasFunctionPart, unpairedParts } from '../../../src/core/translate/rebuild-contents.ts';
import { defaultHookTranslator } from '../../../src/core/translate/genai-v1.ts';
import { call, dice, frozen, image, model, response, user } from './conversation.ts';

const { fromHookLLMRequest, toHookLLMRequest } = defaultHookTranslator;

const shapes: GenerateContentParameters['contents'][] = [
  'Hi',
  '',
  { text: 'Hi' },
  image,
  user('Hi', image),
  [],
  ['Hi', ' there'],
  [{ text: 'Hi' }, image],
  [user('Hi'), model(call('view')), user(response('view')), model('A cat.')],
  [user(image)],
  [{ parts: [{ text: 'no role' }] }, { role: 'model' }, { role: 'system', parts: [] }],
  [user('same'), user('same'), model('same')],
  [model({ text: 'hmm', thought: true }, 'Well.', call('a'))],
];

const configs: (GenerateContentConfig | undefined)[] = [
  undefined,
  {},
  { temperature: 0, stopSequences: [] },
  { seed: 1, systemInstruction: user('Be brief'), tools: [{ googleSearch: {} }] },
  { toolConfig: {} },
  { toolConfig: { functionCallingConfig: { allowedFunctionNames: ['a'] } } },
  {
    toolConfig: {
      functionCallingConfig: {
        mode: FunctionCallingConfigMode.VALIDATED,
        allowedFunctionNames: ['a'],
        streamFunctionCallArguments: true,
      },
    },
  },
  {
    toolConfig: {
      functionCallingConfig: { mode: FunctionCallingConfigMode.NONE, allowedFunctionNames: ['a'] },
      retrievalConfig: {},
    },
  },
  { abortSignal: new AbortController().signal, cachedContent: 'cache/1', topK: 3 },
];

test('HOOK-078: an untouched request of any shape comes back unchanged', () => {
  for (const contents of shapes)
    for (const config of configs) {
      const base: GenerateContentParameters = { model: 'm', contents, ...(config && { config }) };
      const shown = JSON.parse(JSON.stringify(toHookLLMRequest(base))) as typeof base;
      expect(fromHookLLMRequest(shown as never, base)).toStrictEqual(base);
      expect(fromHookLLMRequest(shown as never, base).contents).toBe(contents);
    }
});

/** Makes a random conversation of exchanges with and without text, calls and images. */
function conversation(roll: (below: number) => number): Content[] {
  const text = (): string[] => (roll(3) === 0 ? [] : [['ok', 'go on', `t${roll(50)}`][roll(3)]!]);
  return Array.from({ length: roll(7) }, (_, exchange): Content[] => {
    const id = String(exchange);
    if (roll(2) === 0)
      return [user(...text(), ...(roll(3) === 0 ? [image] : [])), model(...text())];
    const split = roll(3) === 0;
    const answers = [response('view', `${id}a`), response('view', `${id}b`)];
    return [
      user(...text()),
      model(...text(), call('view', `${id}a`), call('view', `${id}b`)),
      ...(split ? answers.map((part) => user(part)) : [user(...answers, ...text())]),
      model(...text()),
    ];
  }).flat();
}

/** Makes random edits like those of hooks: leaves out, edits, repeats, inserts and swaps messages. */
function edit(messages: readonly LLMMessage[], roll: (below: number) => number): LLMMessage[] {
  const edited = messages.flatMap((message): LLMMessage[] => {
    switch (roll(9)) {
      case 0:
        return [];
      case 1:
        return [{ ...message, content: `${message.content}!` }];
      case 2:
        return [message, { role: roll(2) === 0 ? 'user' : 'model', content: 'ok' }];
      case 3:
        return [{ role: 'user', content: 'Note' }, message];
      default:
        return [message];
    }
  });
  return roll(5) === 0 ? edited.toReversed() : edited;
}

const texts = (list: readonly LLMMessage[]): string[] =>
  list.map(({ role, content }) => `${role} ${content}`);

test('C-75, C-76: after any edit the texts are the hook’s, no call loses its response, and no argument changes', () => {
  for (let seed = 0; seed < 3000; seed++) {
    const roll = dice(seed);
    const contents = frozen(conversation(roll));
    const base: GenerateContentParameters = frozen({ model: 'm', contents });
    const messages = frozen(edit(toHookLLMRequest(base).messages, roll));
    if (messages.length === 0) continue;
    const result = fromHookLLMRequest({ messages }, base).contents as Content[];

    const shown = toHookLLMRequest({ model: 'm', contents: result }).messages;
    expect(texts(shown).toSorted(), `${seed}`).toEqual(texts(messages).toSorted());
    // A message may move only because of calls.
    if (!contents.some(hasFunctionPart)) expect(shown, `${seed}`).toEqual(messages);
    const before = unpairedParts(contents);
    for (const part of unpairedParts(result)) expect(before.has(part), `${seed}`).toBe(true);
  }
});
