import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callModel, someRequest } from '../support/call-model.ts';
import { inParallel, inSequence, print } from '../support/session.ts';
import { saying, wanting } from '../support/some-model.ts';
import { frozen } from '../translate/conversation.ts';

const revising = (llm_response: unknown, more: object = {}) =>
  print({ ...more, hookSpecificOutput: { llm_response } });

const text = (response: object | undefined) =>
  (response as ReturnType<typeof saying>).candidates?.[0]?.content?.parts
    ?.map((part) => part.text)
    .join('');

describe('AfterModel hooks', () => {
  test('see the request and the whole response, once a call (HOOK-043, 044, 050, 172)', async () => {
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

  test('may change the response (HOOK-046, 047)', async () => {
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

  test('may change it by its text alone (C-73)', async () => {
    const { response } = await callModel({ AfterModel: inParallel(revising({ text: 'Other' })) });
    expect(text(response)).toBe('Other');
  });

  test('that change the text of a response keep the tool calls of the model behind it (C-86)', async () => {
    const call = { ...wanting('read', { path: 'a.txt' }), thoughtSignature: 'c2ln' };
    const { response, session } = await callModel(
      { AfterModel: inParallel(revising({ text: 'Other' })) },
      { model: () => Promise.resolve(saying('Hello', call, ' and ', wanting('write', {}))) },
    );
    expect(response).toMatchObject(saying('Other', call, wanting('write', {})));
    expect(response!.candidates![0]!.content!.parts![1]).toEqual(call);
    expect(session.warnings).toEqual([]);
  });

  test('that change the text and stop or block take the tool calls with it (C-86)', async () => {
    for (const more of [{ continue: false }, { decision: 'block', reason: 'no' }]) {
      const { response } = await callModel(
        { AfterModel: inParallel(revising({ text: 'Other' }, more)) },
        { model: () => Promise.resolve(saying('Hello', wanting('read', {}))) },
      );
      expect(response).toMatchObject(saying('Other'));
      expect(JSON.stringify(response)).not.toContain('functionCall');
    }
  });

  test('leave a response alone by saying nothing of it: its tool calls stay (18)', async () => {
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
  ])('get on with %s', async (_, given) => {
    const { outcome, session } = await callModel(
      { AfterModel: inParallel('cat >seen.json') },
      { model: () => Promise.resolve(given as never) },
    );
    expect(outcome.status).toBe('done');
    const seen = JSON.parse(readFileSync(join(session.folder, 'seen.json'), 'utf8'));
    expect(seen.llm_response.text).toBe('');
    expect(session.warnings).toEqual([]);
  });

  test('may stop the agent; the response then says why (HOOK-048, C-82)', async () => {
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

  test('may stop with a response of their own (C-82)', async () => {
    const { response, stop } = await callModel({
      AfterModel: inParallel(
        revising({ text: 'Bye.' }, { continue: false, stopReason: 'Enough.' }),
      ),
    });
    expect(text(response)).toBe('Bye.');
    expect(stop).toEqual({ reason: 'Enough.' });
  });

  test('may hide the response; it is gone on with all the same (HOOK-049, C-83)', async () => {
    const { response, suppressOutput } = await callModel({
      AfterModel: inParallel(print({ suppressOutput: true }), print({ systemMessage: 'a' })),
    });
    expect(suppressOutput).toBe(true);
    expect(text(response)).toBe('Hello');
  });

  test('that come later may show what an earlier one hid (C-40)', async () => {
    const { suppressOutput } = await callModel({
      AfterModel: inParallel(print({ suppressOutput: true }), print({ suppressOutput: false })),
    });
    expect(suppressOutput).toBe(false);
  });

  test('alone can hide what the model says; BeforeModel hides but an answer of its own', async () => {
    const hide = { suppressOutput: true };
    const model = await callModel({ BeforeModel: inParallel(print(hide)) });
    expect(model.suppressOutput).toBe(false);
    const answer = { decision: 'block', hookSpecificOutput: { llm_response: { text: 'Hi' } } };
    const own = await callModel({ BeforeModel: inParallel(print({ ...hide, ...answer })) });
    expect(own.suppressOutput).toBe(true);
  });

  test('tell the model something with its next request (C-61)', async () => {
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
  ])('cannot block: %s has no effect and is warned of (HOOK-180, C-63)', async (_, command) => {
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
  ])('change nothing when one %s (HOOK-052)', async (_, hook) => {
    const { outcome, response } = await callModel({ AfterModel: inParallel(hook) });
    expect(outcome.status).toBe('done');
    expect(response).toEqual(saying('Hello'));
  });

  test('side by side each give their fields, the last one a field of both', async () => {
    const { response } = await callModel({
      AfterModel: inParallel(
        `sleep 0.1; ${revising({ text: 'One', usageMetadata: { totalTokenCount: 1 } })}`,
        revising({ text: 'Two' }),
      ),
    });
    expect(text(response)).toBe('Two');
    expect(response?.usageMetadata).toMatchObject({ totalTokenCount: 1 });
  });

  test('are reported after those before the call, and after the model', async () => {
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
  ])('because the model %s is an outcome, without AfterModel (HOOK-207)', async (_, model) => {
    for (const hooks of [{}, { AfterModel: inParallel('touch after-ran') }]) {
      const { outcome, error, response, session } = await callModel(hooks, { model });
      expect(outcome.status).toBe('failed');
      expect(error).toEqual(new Error('429'));
      expect(response).toBeUndefined();
      expect(existsSync(join(session.folder, 'after-ran'))).toBe(false);
    }
  });

  test('with anything as the error is an outcome', async () => {
    for (const hooks of [{}, { BeforeModel: inParallel('true') }]) {
      const { outcome } = await callModel(hooks, {
        model: () => Promise.reject(undefined),
      });
      expect(outcome.status).toBe('failed');
    }
  });
});

test('a provider that is asked again within a call fires no hook again (C-90)', async () => {
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

test('a request is left as it is, whatever hooks do (HOOK-217)', async () => {
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
