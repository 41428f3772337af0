import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inParallel } from '../../support/session.ts';
import { startBusSession } from './bus.ts';

const hooks = {
  BeforeModel: inParallel('cat > input.json'),
  AfterModel: inParallel('cat > input.json'),
  BeforeToolSelection: inParallel('cat > input.json'),
};
const messages = [{ role: 'user', content: 'Hi' }];
const request = { model: 'm', messages };
const response = { candidates: [{ content: { role: 'model', parts: ['Yes'] } }] };

/** The input of an event's hooks when the event is requested over the bus. */
async function inputFor(event: string, input: unknown): Promise<Record<string, unknown>> {
  const { ask, folder } = await startBusSession(hooks);
  const { error } = await ask(event, input);
  expect(error).toBeUndefined();
  return JSON.parse(readFileSync(join(folder, 'input.json'), 'utf8')) as Record<string, unknown>;
}

describe('model events are sent in the stable format (DELTA-HPAY-003)', () => {
  test.each(['BeforeModel', 'BeforeToolSelection'])(
    '%s hooks receive the stable format unchanged',
    async (event) => {
      const llm_request = {
        ...request,
        config: { temperature: 0 },
        toolConfig: { mode: 'ANY' },
        llm_request_boundary: { kept: true },
      };
      expect(await inputFor(event, { llm_request })).toMatchObject({ llm_request });
    },
  );

  test('a request in the form of the API reference is converted (C-71)', async () => {
    const llm_request = {
      model: 'm',
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        { role: 'model', parts: ['Yes'] },
      ],
      systemInstruction: { role: 'system', parts: ['Be brief'] },
      generationConfig: { temperature: 0 },
    };
    const input = await inputFor('BeforeModel', { llm_request });
    expect(input['llm_request']).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Hi' },
        { role: 'model', content: 'Yes' },
      ],
      config: { temperature: 0 },
    });
  });

  test('a request without a model and with an empty list of messages is accepted (003)', async () => {
    expect(
      (await inputFor('BeforeModel', { llm_request: { messages: [] } }))['llm_request'],
    ).toEqual({
      messages: [],
    });
  });

  test('a response given as text becomes one candidate, and parts become texts (C-72, C-73)', async () => {
    const byText = await inputFor('AfterModel', {
      llm_request: request,
      llm_response: { text: 'Yes', usageMetadata: { totalTokenCount: 3 } },
    });
    expect(byText['llm_response']).toEqual({
      text: 'Yes',
      usageMetadata: { totalTokenCount: 3 },
      candidates: [{ content: { role: 'model', parts: ['Yes'] }, finishReason: 'STOP' }],
    });
    const parts = [{ text: 'Yes' }];
    const byParts = await inputFor('AfterModel', {
      llm_request: request,
      llm_response: { candidates: [{ content: { role: 'model', parts } }] },
    });
    expect(byParts['llm_response']).toEqual({ text: 'Yes', ...response });
  });
});

describe('a request that would hide part of a call from its hooks fails with its id (DELTA-HPAY-004)', () => {
  test.each<[string, string, object]>([
    ['no messages at all', 'BeforeModel', { llm_request: { model: 'm' } }],
    ['messages that are not a list', 'BeforeModel', { llm_request: { messages: 'Hi' } }],
    [
      'a message of another role',
      'BeforeToolSelection',
      { llm_request: { messages: [...messages, { role: 'tool', content: 'x' }] } },
    ],
    ['a message without content', 'BeforeModel', { llm_request: { messages: [{ role: 'user' }] } }],
    ['a model that is a number', 'BeforeModel', { llm_request: { ...request, model: 7 } }],
    ['contents that are not a list', 'BeforeModel', { llm_request: { contents: 5 } }],
    ['a response without anything', 'AfterModel', { llm_request: request, llm_response: {} }],
    [
      'a malformed candidate',
      'AfterModel',
      { llm_request: request, llm_response: { candidates: [...response.candidates, 5] } },
    ],
    [
      'a broken request with a good response',
      'AfterModel',
      { llm_request: {}, llm_response: response },
    ],
  ])('an event with %s is a translation failure', async (_, event, input) => {
    const { ask, folder } = await startBusSession(hooks);
    const { correlationId, success, output, error } = await ask(event, input, 'model-call');
    expect([correlationId, success, output]).toEqual(['model-call', false, undefined]);
    expect(error).toMatchObject({
      code: 'translation_failure',
      message: expect.stringMatching(/stable format: .*llm_re(?:quest|sponse)/),
      details: { stage: 'translation', eventName: event, faults: [expect.any(String)] },
    });
    expect(existsSync(join(folder, 'input.json'))).toBe(false);
  });

  test.each(['BeforeModel', 'AfterModel', 'BeforeToolSelection'])(
    '%s with a request that is not an object is a validation failure',
    async (event) => {
      const { ask } = await startBusSession(hooks);
      for (const llm_request of [undefined, null, [], 'text'])
        expect((await ask(event, { llm_request, llm_response: response })).error?.code).toBe(
          'validation_failure',
        );
    },
  );
});
