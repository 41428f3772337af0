import { describe, expect, test } from 'vitest';
import { aiSdkModel } from '../../../src/agent/models/ai-sdk.ts';
import { toHookLLMResponse } from '../../../src/core/translate/response.ts';
import {
  anthropicAdapters,
  describeEach,
  geminiAdapters,
  googleAdapter,
  openAIAdapters,
} from './adapters.ts';
import { ask, failureOf } from './ask.ts';
import { providerServer, streaming } from './provider-server.ts';
import { anthropicThinking, geminiChunk, openAIChunk, openAIEnd } from './wires.ts';

const partsOf = ({ response }: Awaited<ReturnType<typeof ask>>) =>
  response.candidates?.[0]?.content?.parts;

/** An answer that calls `glob` with this text as its arguments. */
const call = (text: string) => [
  openAIChunk({
    tool_calls: [
      { index: 0, id: 'id-0', type: 'function', function: { name: 'glob', arguments: text } },
    ],
  }),
  ...openAIEnd('tool_calls'),
];

/** Google's own client with a server that sends these chunks. */
const googleAnswering = async (events: object[]) => {
  const lines = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  return googleAdapter.model((await providerServer(streaming(lines))).url);
};

/** A chunk with text for one candidate. */
const piece = (index: number, text: string, more: object = {}) => ({
  candidates: [{ index, content: { role: 'model', parts: [{ text }] }, ...more }],
});

describeEach(openAIAdapters, 'an answer through $title', ({ title, model }) => {
  const answering = async (events: string[]) =>
    model((await providerServer(streaming(events))).url);

  test.each(['{"pattern": "*', '"text"', '[1]', '42'])(
    'a call with the arguments %s is an error that names the tool',
    async (text) => {
      const error = await failureOf(await answering(call(text)));
      expect(error.message).toBe(
        'wire-model: the model called glob with arguments that are not a JSON object; try again',
      );
      expect(error).toMatchObject({ retryable: true, cause: text });
    },
  );

  test.each(['', '{}', 'null'])('a call with the arguments "%s" has no arguments', async (text) => {
    const answer = await ask(await answering(call(text)));
    expect(partsOf(answer)).toMatchObject([{ functionCall: { name: 'glob', args: {} } }]);
  });

  test.each([
    ['length', 'MAX_TOKENS'],
    ['content_filter', 'SAFETY'],
    ['something_new', 'OTHER'],
  ])('the finish reason %s becomes %s', async (finish, reason) => {
    const answer = ask(await answering([openAIChunk({ content: 'Hm' }), ...openAIEnd(finish)]));
    // v2 reports an unknown reason like a missing one, which may mean that the answer broke off.
    if (reason === 'OTHER' && title.includes('v2'))
      return expect(answer).rejects.toThrow('broke off before it was complete');
    expect((await answer).response.candidates?.[0]?.finishReason).toBe(reason);
  });

  test('text and a call in one answer keep their order', async () => {
    const answer = await ask(
      await answering([openAIChunk({ content: 'Looking.' }), ...call('{}')]),
    );
    expect(partsOf(answer)).toMatchObject([
      { text: 'Looking.' },
      { functionCall: { id: 'id-0', name: 'glob' } },
    ]);
  });

  test('thoughts are parts that are neither streamed nor passed to hooks', async () => {
    const answer = await ask(
      await answering([
        openAIChunk({ reasoning_content: 'Hm, ' }),
        openAIChunk({ reasoning_content: 'yes.' }),
        openAIChunk({ content: 'Yes.' }),
        ...openAIEnd('stop'),
      ]),
    );
    expect(partsOf(answer)).toMatchObject([{ text: 'Hm, yes.', thought: true }, { text: 'Yes.' }]);
    expect(answer.streamed).toEqual(['Yes.']);
    expect(toHookLLMResponse(answer.response).text).toBe('Yes.');
  });

  test('an empty answer is still complete', async () => {
    const { response } = await ask(await answering(openAIEnd('stop')));
    expect(response).toMatchObject({
      text: '',
      candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP' }],
    });
  });
});

describeEach(anthropicAdapters, 'an answer through $title', ({ wire, model }) => {
  test('a signed thought is returned to the provider unchanged', async () => {
    const server = await providerServer((response, arrived) =>
      streaming(arrived.body.messages.length > 1 ? wire.text('Bye.') : anthropicThinking)(
        response,
        arrived,
      ),
    );
    const asked = model(server.url);
    const answer = await ask(asked);
    expect(answer.streamed).toEqual(['Seen.']);
    expect(answer.response.text).toBe('Seen.');
    await ask(asked, {
      contents: [
        { role: 'user', parts: [{ text: 'Hello' }] },
        answer.response.candidates![0]!.content!,
        { role: 'user', parts: [{ text: 'Go on' }] },
      ],
    });
    expect(server.arrived[1]!.body.messages[1].content).toMatchObject([
      { type: 'thinking', thinking: 'Let me see.', signature: 'signed' },
      { type: 'text', text: 'Seen.' },
    ]);
  });
});

describeEach([googleAdapter, ...geminiAdapters], 'an answer through $title', ({ model }) => {
  const answering = async (events: string[]) =>
    model((await providerServer(streaming(events))).url);

  test('thoughts and signatures are returned to the provider unchanged', async () => {
    const server = await providerServer(
      streaming([
        geminiChunk([{ text: 'Hm, ', thought: true }]),
        geminiChunk([{ text: 'yes.', thought: true }]),
        geminiChunk([{ text: 'I look.' }]),
        geminiChunk(
          [{ functionCall: { name: 'glob', args: {} }, thoughtSignature: 'signed' }],
          'STOP',
        ),
      ]),
    );
    const asked = model(server.url);
    const answer = await ask(asked);
    expect(answer.streamed).toEqual(['I look.']);
    expect(partsOf(answer)).toMatchObject([
      { text: 'Hm, yes.', thought: true },
      { text: 'I look.' },
      { functionCall: { name: 'glob', args: {} } },
    ]);
    await ask(asked, {
      contents: [
        { role: 'user', parts: [{ text: 'Hello' }] },
        answer.response.candidates![0]!.content!,
        {
          role: 'user',
          parts: [{ functionResponse: { name: 'glob', response: { output: 'a' } } }],
        },
      ],
    });
    expect(server.arrived[1]!.body.contents[1].parts).toMatchObject([
      { text: 'Hm, yes.', thought: true },
      { text: 'I look.' },
      { functionCall: { name: 'glob' }, thoughtSignature: 'signed' },
    ]);
  });

  test('a malformed call is an error', async () => {
    const asked = await answering([geminiChunk([], 'MALFORMED_FUNCTION_CALL')]);
    expect(await failureOf(asked)).toMatchObject({ retryable: true });
  });

  test('an image in the answer is kept', async () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'aW1hZ2U=' } };
    const answer = await ask(await answering([geminiChunk([{ text: 'Here:' }, image], 'STOP')]));
    expect(partsOf(answer)).toMatchObject([{ text: 'Here:' }, image]);
  });
});

describe('an answer through @google/genai', () => {
  test('a refused prompt is an error that says why', async () => {
    const error = await failureOf(
      await googleAnswering([{ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }]),
    );
    expect(error.message).toBe('wire-model: the provider refused the prompt (PROHIBITED_CONTENT)');
    expect(error.retryable).toBe(false);
  });

  test('a text with a signature stays separate from its neighbours', async () => {
    const answer = await ask(
      await googleAnswering([
        { candidates: [{ content: { parts: [{ text: 'a' }] } }] },
        { candidates: [{ content: { parts: [{ text: 'b' }] } }] },
        { candidates: [{ content: { parts: [{ text: 'c', thoughtSignature: 's' }] } }] },
        { candidates: [{ content: { parts: [{ text: '' }] }, finishReason: 'STOP' }] },
      ]),
    );
    expect(partsOf(answer)).toEqual([{ text: 'ab' }, { text: 'c', thoughtSignature: 's' }]);
    expect(answer.response.text).toBe('abc');
  });

  test('candidates of one stream are joined separately, and the first one is streamed', async () => {
    const { response, streamed } = await ask(
      await googleAnswering([
        piece(0, 'one '),
        piece(1, 'uno '),
        piece(1, 'due', { finishReason: 'STOP' }),
        piece(0, 'two', { finishReason: 'MAX_TOKENS' }),
      ]),
    );
    expect(streamed).toEqual(['one ', 'two']);
    expect(response.candidates).toMatchObject([
      { index: 0, finishReason: 'MAX_TOKENS', content: { parts: [{ text: 'one two' }] } },
      { index: 1, finishReason: 'STOP', content: { parts: [{ text: 'uno due' }] } },
    ]);
  });

  test('an answer that was cut off for safety is complete', async () => {
    const { response } = await ask(
      await googleAnswering([{ candidates: [{ finishReason: 'SAFETY' }] }]),
    );
    expect(response.candidates).toEqual([
      { index: 0, finishReason: 'SAFETY', content: { role: 'model', parts: [] } },
    ]);
  });
});

describe('aiSdkModel', () => {
  test.each([
    ['openai/gpt-5', /this is not an AI SDK language model object/],
    [undefined, /this is not an AI SDK language model object/],
    [{ specificationVersion: 'v1', modelId: 'old' }, /specification 'v1' are not supported/],
    [{ specificationVersion: 'v9', modelId: 'new' }, /specification 'v9' are not supported/],
  ])('aiSdkModel refuses %j', (model, message) => {
    expect(() => aiSdkModel(model as never)).toThrow(message);
  });
});
