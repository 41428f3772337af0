import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callModel, someRequest } from '../../support/call-model.ts';
import { inParallel, inSequence, print } from '../../support/session.ts';
import { saying, wanting } from '../../support/some-model.ts';
import { frozen } from '../translate/conversation.ts';

const revising = (llm_response: unknown, more: object = {}) =>
  print({ ...more, hookSpecificOutput: { llm_response } });

const text = (response: object | undefined) =>
  (response as ReturnType<typeof saying>).candidates?.[0]?.content?.parts
    ?.map((part) => part.text)
    .join('');

describe('AfterModel hooks', () => {
  test('AfterModel hooks see the request and the whole response, once per call (HOOK-043, 044, 050, 172)', async () => {
    const { session, response } = await callModel(
      { AfterModel: inParallel('cat >>seen.jsonl; echo >>seen.jsonl') },
      {
        model: async () => ({
          ...saying('Hello ', 'world'),
          usageMetadata: { totalTokenCount: 9 },
        }),
      },
    );
    const lines = readFileSync(join(session.folder, 'seen.jsonl'), 'utf8').trim().split('\n');
    expect(lines.length).toBe(1);
    const seen = JSON.parse(lines[0]!);
    expect(seen).toMatchObject({
      hook_event_name: 'AfterModel',
      llm_request: {
        model: 'some-model',
        messages: [
          { role: 'user', content: 'Read a.txt' },
          { role: 'user', content: 'And this?' },
        ],
      },
      llm_response: {
        text: 'Hello world',
        candidates: [
          { content: { role: 'model', parts: ['Hello ', 'world'] }, finishReason: 'STOP' },
        ],
        usageMetadata: { totalTokenCount: 9 },
      },
    });
    expect(response).toMatchObject(saying('Hello ', 'world'));
  });

  test('an AfterModel hook can change the response (HOOK-046, 047)', async () => {
    const given = frozen(saying('Call 555-0100'));
    const { outcome, response, stop } = await callModel(
      {
        AfterModel: inParallel(
          `jq -c '{hookSpecificOutput: {llm_response: (.llm_response | .text = "Call [PHONE]" | .candidates[0].content.parts = ["Call [PHONE]"])}}'`,
        ),
      },
      { model: () => Promise.resolve(given) },
    );
    expect(outcome.status).toBe('done');
    expect(text(response)).toBe('Call [PHONE]');
    expect(stop).toBeUndefined();
  });

  test('an AfterModel hook can change the response by its text alone (C-73)', async () => {
    const { response } = await callModel({ AfterModel: inParallel(revising({ text: 'Other' })) });
    expect(text(response)).toBe('Other');
  });

  test('an AfterModel hook that changes the text keeps the model’s tool calls after it (C-86)', async () => {
    const call = { ...wanting('read', { path: 'a.txt' }), thoughtSignature: 'c2ln' };
    const { response, session } = await callModel(
      { AfterModel: inParallel(revising({ text: 'Other' })) },
      { model: () => Promise.resolve(saying('Hello', call, ' and ', wanting('write', {}))) },
    );
    expect(response).toMatchObject(saying('Other', call, wanting('write', {})));
    expect(response!.candidates![0]!.content!.parts![1]).toEqual(call);
    expect(session.warnings).toEqual([]);
  });

  test('an AfterModel hook that changes the text and stops or blocks removes the tool calls (C-86)', async () => {
    for (const more of [{ continue: false }, { decision: 'block', reason: 'no' }]) {
      const { response } = await callModel(
        { AfterModel: inParallel(revising({ text: 'Other' }, more)) },
        { model: () => Promise.resolve(saying('Hello', wanting('read', {}))) },
      );
      expect(response).toMatchObject(saying('Other'));
      expect(JSON.stringify(response)).not.toContain('functionCall');
    }
  });

  test('a response that no AfterModel hook mentions keeps its tool calls (18)', async () => {
    const given = saying(wanting('read', { path: 'a.txt' }));
    const { response, session } = await callModel(
      { AfterModel: inParallel(`jq -c '{systemMessage: .llm_response.text}'`, print({})) },
      { model: () => Promise.resolve(given) },
    );
    expect(response).toBe(given);
    expect(session.warnings).toEqual([]);
  });

  test.each([
    ['a response without candidates', {}],
    ['a response of no candidates', { candidates: [] }],
    ['a candidate without content', { candidates: [{ finishReason: 'SAFETY' }] }],
    ['null', null],
    ['nothing', undefined],
    ['a text', 'Hello'],
  ])('AfterModel hooks cope with %s', async (_, given) => {
    const { outcome, session } = await callModel(
      { AfterModel: inParallel('cat >seen.json') },
      { model: () => Promise.resolve(given as never) },
    );
    expect(outcome.status).toBe('done');
    const seen = JSON.parse(readFileSync(join(session.folder, 'seen.json'), 'utf8'));
    expect(seen.llm_response.text).toBe('');
    expect(session.warnings).toEqual([]);
  });

  test('an AfterModel hook can stop the agent, and the response then says why (HOOK-048, C-82)', async () => {
    const { outcome, response, stop, session } = await callModel(
      { AfterModel: inParallel(print({ continue: false, stopReason: 'Enough.' })) },
      { model: () => Promise.resolve(saying('Hello', wanting('read', {}))) },
    );
    expect(outcome.status).toBe('stopped');
    expect(response).toMatchObject({
      candidates: [
        { content: { role: 'model', parts: [{ text: 'Enough.' }] }, finishReason: 'STOP' },
      ],
    });
    expect(stop).toEqual({ reason: 'Enough.' });
    expect(session.warnings).toEqual([]);
  });

  test('an AfterModel hook can stop with a response of its own (C-82)', async () => {
    const { response, stop } = await callModel({
      AfterModel: inParallel(
        revising({ text: 'Bye.' }, { continue: false, stopReason: 'Enough.' }),
      ),
    });
    expect(text(response)).toBe('Bye.');
    expect(stop).toEqual({ reason: 'Enough.' });
  });

  test('an AfterModel hook can hide the response, but the agent continues with it (HOOK-049, C-83)', async () => {
    const { response, suppressOutput } = await callModel({
      AfterModel: inParallel(print({ suppressOutput: true }), print({ systemMessage: 'a' })),
    });
    expect(suppressOutput).toBe(true);
    expect(text(response)).toBe('Hello');
  });

  test('a later AfterModel hook can show what an earlier one hid (C-40)', async () => {
    const { suppressOutput } = await callModel({
      AfterModel: inParallel(print({ suppressOutput: true }), print({ suppressOutput: false })),
    });
    expect(suppressOutput).toBe(false);
  });

  test('only an AfterModel hook can hide what the model says; a BeforeModel hook can hide only its own answer', async () => {
    const hide = { suppressOutput: true };
    const model = await callModel({ BeforeModel: inParallel(print(hide)) });
    expect(model.suppressOutput).toBe(false);
    const answer = { decision: 'block', hookSpecificOutput: { llm_response: { text: 'Hi' } } };
    const own = await callModel({ BeforeModel: inParallel(print({ ...hide, ...answer })) });
    expect(own.suppressOutput).toBe(true);
  });

  test('a message of an AfterModel hook reaches the model with its next request (C-61)', async () => {
    const { systemMessage, response, suppressOutput } = await callModel({
      BeforeModel: inParallel(print({ systemMessage: 'Now.' })),
      AfterModel: inParallel('echo Next.'),
    });
    expect(systemMessage).toBe('Next.');
    expect(response).toEqual(saying('Hello'));
    expect(suppressOutput).toBe(false);
  });

  test.each([
    ['a denial', print({ decision: 'block', reason: 'no' })],
    ['exit 2', 'echo no >&2; exit 2'],
  ])('AfterModel cannot block: %s only emits a warning (HOOK-180, C-63)', async (_, command) => {
    const { outcome, response, session } = await callModel({ AfterModel: inParallel(command) });
    expect(outcome.status).toBe('done');
    expect(text(response)).toBe('Hello');
    expect(session.warnings).toEqual([expect.stringContaining('AfterModel cannot be blocked')]);
  });

  test.each([
    ['exits 1', `${revising({ text: 'Other' })}; exit 1`],
    ['dies', 'kill -9 $$'],
    ['takes too long', { command: 'sleep 5', timeout: 50 }],
    ['gives a wrong response', revising({ candidates: 'none' })],
    ['gives no response', revising(7)],
  ])('an AfterModel hook that %s changes nothing (HOOK-052)', async (_, hook) => {
    const { outcome, response } = await callModel({ AfterModel: inParallel(hook) });
    expect(outcome.status).toBe('done');
    expect(response).toEqual(saying('Hello'));
  });

  test('parallel AfterModel hooks each set their fields, and the last one wins a common field', async () => {
    const { response } = await callModel({
      AfterModel: inParallel(
        `sleep 0.1; ${revising({ text: 'One', usageMetadata: { totalTokenCount: 1 } })}`,
        revising({ text: 'Two' }),
      ),
    });
    expect(text(response)).toBe('Two');
    expect(response?.usageMetadata).toMatchObject({ totalTokenCount: 1 });
  });

  test('AfterModel hooks are reported after BeforeModel hooks and after the model', async () => {
    const { reported } = await callModel({
      BeforeModel: inParallel('true'),
      AfterModel: inSequence('true', 'true'),
    });
    expect(reported.map((entry) => (typeof entry === 'string' ? entry : entry[0]))).toEqual([
      'BeforeModel',
      'model',
      'AfterModel',
    ]);
  });
});

describe('a call that fails', () => {
  test.each([
    ['rejects', () => Promise.reject(new Error('429'))],
    [
      'throws at once',
      () => {
        throw new Error('429');
      },
    ],
  ])('a model that %s is a failed outcome, without AfterModel (HOOK-207)', async (_, model) => {
    for (const hooks of [{}, { AfterModel: inParallel('touch after-ran') }]) {
      const { outcome, error, response, session } = await callModel(hooks, { model });
      expect(outcome.status).toBe('failed');
      expect(error).toEqual(new Error('429'));
      expect(response).toBeUndefined();
      expect(existsSync(join(session.folder, 'after-ran'))).toBe(false);
    }
  });

  test('a model call that rejects with any value is a failed outcome', async () => {
    for (const hooks of [{}, { BeforeModel: inParallel('true') }]) {
      const { outcome } = await callModel(hooks, {
        model: () => Promise.reject(undefined),
      });
      expect(outcome.status).toBe('failed');
    }
  });
});

test('retrying the provider within a call does not fire hooks again (C-90)', async () => {
  let tries = 0;
  const { session, response } = await callModel(
    {
      BeforeModel: inParallel('echo ran >>before.txt'),
      AfterModel: inParallel('echo ran >>after.txt'),
    },
    {
      model: async () => {
        while (++tries < 3) await Promise.resolve();
        return saying(`after ${tries} tries`);
      },
    },
  );
  expect(text(response)).toBe('after 3 tries');
  for (const file of ['before.txt', 'after.txt'])
    expect(readFileSync(join(session.folder, file), 'utf8')).toBe('ran\n');
});

test('hooks never change the caller’s request object (HOOK-217)', async () => {
  const request = frozen(structuredClone(someRequest));
  await callModel(
    {
      BeforeToolSelection: inParallel(
        print({ systemMessage: 'a', hookSpecificOutput: { toolConfig: { mode: 'NONE' } } }),
      ),
      BeforeModel: inParallel(
        print({
          systemMessage: 'b',
          hookSpecificOutput: { llm_request: { messages: [{ role: 'user', content: 'x' }] } },
        }),
      ),
    },
    { request },
  );
  expect(request).toEqual(someRequest);
});
