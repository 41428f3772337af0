import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callModel, someRequest } from '../../support/call-model.ts';
import { saying } from '../../support/some-model.ts';
import { inParallel, inSequence, print } from '../../support/session.ts';
import { frozen } from '../translate/conversation.ts';

/** A BeforeModel hook that prints this as its `llm_request`. */
const requesting = (llm_request: object, more: object = {}) =>
  print({ ...more, hookSpecificOutput: { llm_request } });

const answering = (llm_response: unknown, more: object = {}) =>
  print({ decision: 'block', reason: 'no', ...more, hookSpecificOutput: { llm_response } });

/** A hook that stops the agent. */
const halt = (more: object = {}) => print({ continue: false, stopReason: 'Enough.', ...more });

/** A BeforeToolSelection hook that returns this config. */
const selecting = (toolConfig: object) => print({ hookSpecificOutput: { toolConfig } });

/** The function calling config of a request. */
const calling = (request: object | undefined) =>
  (
    request as typeof someRequest & {
      config: { toolConfig?: { functionCallingConfig?: object } };
    }
  )?.config.toolConfig?.functionCallingConfig;

const cached = {
  candidates: [{ content: { role: 'model', parts: ['From the cache'] }, finishReason: 'STOP' }],
};

const emptyResponse = { candidates: [{ content: { role: 'model', parts: [] } }] };

const afterRan = { AfterModel: inParallel('touch after-ran') };
const hasAfterRun = (folder: string): boolean => existsSync(join(folder, 'after-ran'));

describe('an answer in the model’s place', () => {
  test.each(['block', 'deny'])(
    'an answer with %s becomes the response, and the model is not called (HOOK-036, 138, 174)',
    async (decision) => {
      const { outcome, response, sent, session, stop } = await callModel({
        BeforeModel: inParallel(answering(cached, { decision })),
        ...afterRan,
      });
      expect(outcome.status).toBe('answered');
      expect(sent).toEqual([]);
      expect(response).toMatchObject({
        text: 'From the cache',
        candidates: [{ content: { role: 'model', parts: [{ text: 'From the cache' }] } }],
      });
      expect(stop).toBeUndefined();
      // No model call happened, so there is no response for AfterModel (C-84).
      expect(hasAfterRun(session.folder)).toBe(false);
    },
  );

  test('an answer in the model’s place can be text alone (C-73)', async () => {
    const { response } = await callModel({ BeforeModel: inParallel(answering({ text: 'Hi' })) });
    expect(response).toMatchObject({
      candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
    });
  });

  test('an answer without a block is ignored (C-79)', async () => {
    const { outcome, sent } = await callModel({
      BeforeModel: inParallel(answering(cached, { decision: 'allow' })),
    });
    expect(outcome.status).toBe('done');
    expect(sent.length).toBe(1);
  });

  test.each([['text'], [42], [null], [[]]])(
    'an answer that is %j does not count, and the call is blocked',
    async (wrong) => {
      const { outcome, response, sent } = await callModel({
        BeforeModel: inParallel(answering(wrong)),
      });
      expect(outcome.status).toBe('blocked');
      expect(response).toMatchObject(emptyResponse);
      expect(sent).toEqual([]);
    },
  );

  test('an answer by one hook does not go with a block by another (C-40)', async () => {
    const { outcome } = await callModel({
      BeforeModel: inParallel(answering(cached, { decision: undefined }), 'exit 2'),
    });
    expect(outcome.status).toBe('blocked');
  });
});

describe('a block without an answer', () => {
  test.each([
    ['JSON', print({ decision: 'block', reason: 'Over budget.' })],
    ['exit 2', 'echo "Over budget." >&2; exit 2'],
  ])(
    'a block by %s gives an empty response and its reason (HOOK-037, 202, C-81)',
    async (_, command) => {
      const { outcome, response, blockedReason, sent, session } = await callModel({
        BeforeModel: inParallel(command),
        ...afterRan,
      });
      expect(outcome).toMatchObject({ status: 'blocked', stop: false });
      expect(response).toMatchObject(emptyResponse);
      expect(JSON.stringify(response)).not.toContain('budget');
      expect(blockedReason).toBe('Over budget.');
      expect(sent).toEqual([]);
      expect(hasAfterRun(session.folder)).toBe(false);
    },
  );

  test('a block is not undone by a later allow, by text or by a failure (C-40)', async () => {
    const { outcome, blockedReason } = await callModel({
      BeforeModel: inParallel(
        'echo "Not this." >&2; exit 2',
        print({ decision: 'allow', reason: 'fine' }),
        'echo all good',
        'exit 1',
      ),
    });
    expect(outcome.status).toBe('blocked');
    expect(blockedReason).toContain('Not this.');
  });

  test('a block ends a sequence (HOOK-107, C-45)', async () => {
    const { session } = await callModel({ BeforeModel: inSequence('exit 2', 'touch second-ran') });
    expect(existsSync(join(session.folder, 'second-ran'))).toBe(false);
  });
});

describe('a stop', () => {
  test('a stop before the call ends the agent, without a response (HOOK-040, 194)', async () => {
    const { outcome, response, stop, sent, session } = await callModel({
      BeforeModel: inParallel(halt()),
      ...afterRan,
    });
    expect(outcome.status).toBe('stopped');
    expect(response).toBeUndefined();
    expect(stop).toEqual({ reason: 'Enough.' });
    expect(sent).toEqual([]);
    expect(hasAfterRun(session.folder)).toBe(false);
  });

  test('a stop with an answer delivers the answer first (C-80)', async () => {
    const { outcome, response, stop } = await callModel({
      BeforeModel: inParallel(halt({ hookSpecificOutput: { llm_response: cached } })),
    });
    expect(outcome.status).toBe('stopped');
    expect(response).toMatchObject({ text: 'From the cache' });
    expect(stop).toEqual({ reason: 'Enough.' });
  });

  test('a stop with a block and an answer delivers the answer, then stops (G-20)', async () => {
    const { outcome, response, stop } = await callModel({
      BeforeModel: inParallel(answering(cached, { continue: false, stopReason: 'Enough.' })),
    });
    expect(outcome).toMatchObject({ status: 'answered', stop: true });
    expect(response).toMatchObject({ text: 'From the cache' });
    expect(stop).toEqual({ reason: 'Enough.' });
  });

  test('a stop with a block but no answer reports both reasons (HOOK-184, C-39)', async () => {
    const { outcome, blockedReason, stop, response } = await callModel({
      BeforeModel: inParallel(halt({ decision: 'deny', reason: 'Not this.' })),
    });
    expect(outcome).toMatchObject({ status: 'blocked', stop: true });
    expect(blockedReason).toBe('Not this.');
    expect(stop).toEqual({ reason: 'Enough.' });
    expect(response).toMatchObject(emptyResponse);
  });

  test('a stop in tool selection ends the agent before BeforeModel (HOOK-058, C-50, C-89)', async () => {
    const { outcome, stop, sent, session } = await callModel({
      BeforeToolSelection: inParallel(halt()),
      BeforeModel: inParallel('touch before-ran'),
    });
    expect(outcome.status).toBe('stopped');
    expect(stop).toEqual({ reason: 'Enough.' });
    expect(sent).toEqual([]);
    expect(existsSync(join(session.folder, 'before-ran'))).toBe(false);
  });
});

describe('a changed request', () => {
  test('a changed request keeps everything that the hook did not touch (HOOK-038, 078, 139, C-74)', async () => {
    const { sent, request } = await callModel(
      { BeforeModel: inParallel(requesting({ config: { temperature: 0, maxOutputTokens: 7 } })) },
      { request: frozen(structuredClone(someRequest)) },
    );
    expect(sent).toEqual([
      {
        ...someRequest,
        config: { ...someRequest.config, temperature: 0, maxOutputTokens: 7 },
      },
    ]);
    expect(request).toBe(sent[0]);
  });

  test('added messages are in their place, and tool calls and images stay (HOOK-039, C-75, C-76)', async () => {
    const { sent } = await callModel({
      BeforeModel: inParallel(
        `jq -c '{hookSpecificOutput: {llm_request: {messages: (.llm_request.messages + [{role: "user", content: "Be kind."}])}}}'`,
      ),
    });
    expect(sent[0]?.contents).toEqual([
      ...someRequest.contents,
      { role: 'user', parts: [{ text: 'Be kind.' }] },
    ]);
  });

  test('an edited message becomes text, and the others stay as they were (C-75)', async () => {
    const { sent } = await callModel({
      BeforeModel: inParallel(
        `jq -c '{hookSpecificOutput: {llm_request: {messages: (.llm_request.messages | .[0].content = "Read b.txt")}}}'`,
      ),
    });
    expect(sent[0]?.contents).toEqual([
      { role: 'user', parts: [{ text: 'Read b.txt' }] },
      ...someRequest.contents.slice(1),
    ]);
  });

  test('a removed message is gone, along with its image', async () => {
    const { sent } = await callModel({
      BeforeModel: inParallel(
        `jq -c '{hookSpecificOutput: {llm_request: {messages: (.llm_request.messages[0:1])}}}'`,
      ),
    });
    expect(JSON.stringify(sent[0]?.contents)).not.toContain('image/png');
    expect(JSON.stringify(sent[0]?.contents)).toContain('Read a.txt');
  });

  test('a changed request can use contents and generationConfig (C-71)', async () => {
    const { sent } = await callModel({
      BeforeModel: inParallel(
        requesting({
          contents: [{ role: 'user', parts: [{ text: 'Other' }] }],
          generationConfig: { temperature: 1 },
        }),
      ),
    });
    expect(sent[0]?.contents).toContainEqual({ role: 'user', parts: [{ text: 'Other' }] });
    expect(sent[0]?.config).toMatchObject({ temperature: 1, topK: 40 });
  });

  test.each([
    ['a text', 'Hi'],
    ['a number', 7],
    ['null', null],
    ['a list', []],
    ['no messages', { messages: [] }],
    ['malformed messages', { messages: 'Hi' }],
    ['unknown keys only', { colour: 'red' }],
  ])('a changed request that is %s changes nothing (C-78)', async (_, llm_request) => {
    const { sent } = await callModel({
      BeforeModel: inParallel(print({ hookSpecificOutput: { llm_request } })),
    });
    expect(sent).toEqual([someRequest]);
  });

  test('AfterModel sees the changed request as it was sent (HOOK-044, 050, C-85)', async () => {
    const { session } = await callModel({
      BeforeToolSelection: inParallel(
        print({
          hookSpecificOutput: { toolConfig: { mode: 'ANY', allowedFunctionNames: ['read'] } },
        }),
      ),
      BeforeModel: inParallel(
        requesting({ messages: [{ role: 'user', content: 'Other' }], config: { temperature: 1 } }),
      ),
      AfterModel: inParallel('cat >seen.json'),
    });
    const { llm_request, llm_response } = JSON.parse(
      readFileSync(join(session.folder, 'seen.json'), 'utf8'),
    );
    expect(llm_request).toMatchObject({
      model: 'some-model',
      messages: [{ role: 'user', content: 'Other' }],
      config: { temperature: 1, topK: 40 },
      toolConfig: { mode: 'ANY', allowedFunctionNames: ['read'] },
    });
    expect(llm_response).toMatchObject({ text: 'Hello' });
  });

  test('in a sequence, a hook sees the request as changed by the one before, and both changes apply (UB1, HOOK-105, C-42)', async () => {
    const { sent, session } = await callModel({
      BeforeModel: inSequence(
        `jq -c '{hookSpecificOutput: {llm_request: {messages: (.llm_request.messages + [{role: "user", content: "Added"}])}}}'`,
        `cat >seen.json; ${requesting({ config: { temperature: 0.1 } })}`,
      ),
    });
    const seen = JSON.parse(readFileSync(join(session.folder, 'seen.json'), 'utf8'));
    expect(seen.llm_request.messages.at(-1)).toEqual({ role: 'user', content: 'Added' });
    expect(sent[0]?.contents).toContainEqual({ role: 'user', parts: [{ text: 'Added' }] });
    expect(sent[0]?.config).toMatchObject({ temperature: 0.1, topK: 40 });
  });

  test('a request changed by parallel hooks has the fields of all (UB2, HOOK-098, C-41)', async () => {
    const { sent } = await callModel({
      BeforeModel: inParallel(
        requesting({ messages: [{ role: 'user', content: 'Only this' }] }),
        requesting({ config: { temperature: 0.1 } }),
      ),
    });
    expect(sent[0]?.contents).toContainEqual({ role: 'user', parts: [{ text: 'Only this' }] });
    expect(sent[0]?.config).toMatchObject({ temperature: 0.1 });
  });

  test('a request changed by parallel hooks has the last value of a field (U1)', async () => {
    const hooks = [{ config: { temperature: 0 } }, { config: { temperature: 1 } }].map((change) =>
      requesting(change),
    );
    const { sent } = await callModel({ BeforeModel: inParallel(...hooks) });
    expect(sent[0]?.config?.temperature).toBe(1);
  });

  test('in a sequence, a change is seen before it is overridden (U1)', async () => {
    const { sent, session } = await callModel({
      BeforeModel: inSequence(
        requesting({ config: { temperature: 0 } }),
        `jq .llm_request.config.temperature >seen.txt; ${requesting({ config: { temperature: 1 } })}`,
      ),
    });
    expect(readFileSync(join(session.folder, 'seen.txt'), 'utf8').trim()).toBe('0');
    expect(sent[0]?.config?.temperature).toBe(1);
  });
});

describe('the tools', () => {
  test('the tools can be restricted, but their definitions stay (HOOK-055, 056, 140, 167, 168)', async () => {
    const { sent } = await callModel({
      BeforeToolSelection: inParallel(selecting({ mode: 'ANY', allowedFunctionNames: ['read'] })),
    });
    expect(calling(sent[0])).toEqual({ mode: 'ANY', allowedFunctionNames: ['read'] });
    expect(sent[0]?.config).toMatchObject(someRequest.config);
  });

  test('NONE turns all tools off, even if another hook allows some (UA, HOOK-101, 210)', async () => {
    const { sent } = await callModel({
      BeforeToolSelection: inParallel(
        selecting({ mode: 'NONE' }),
        selecting({ mode: 'AUTO', allowedFunctionNames: ['write', 'read'] }),
      ),
    });
    expect(calling(sent[0])).toEqual({ mode: 'NONE', allowedFunctionNames: [] });
  });

  test('the allowed tools are the sorted union of what several hooks allow (HOOK-099, 100, 102, C-47, C-51)', async () => {
    const { sent } = await callModel({
      BeforeToolSelection: inParallel(
        selecting({ mode: 'AUTO', allowedFunctionNames: ['write', 'read'] }),
        selecting({ mode: 'ANY', allowedFunctionNames: ['read', 'Apply'] }),
      ),
    });
    expect(calling(sent[0])).toEqual({
      mode: 'ANY',
      allowedFunctionNames: ['Apply', 'read', 'write'],
    });
  });

  test.each([
    ['prints nothing', 'true'],
    ['prints {}', print({})],
    ['prints text', 'echo fine'],
    ['fails', 'exit 1'],
    ['denies, which it cannot', 'exit 2'],
    ['gives a wrong mode', selecting({ mode: 'any' })],
  ])(
    'the tools stay as they are if the hook %s (HOOK-060, C-48, C-49, C-63)',
    async (_, command) => {
      const toolConfig = { functionCallingConfig: { mode: 'ANY' } };
      const { sent } = await callModel(
        { BeforeToolSelection: inParallel(command) },
        { request: { ...someRequest, config: { ...someRequest.config, toolConfig } } },
      );
      expect(calling(sent[0])).toEqual({ mode: 'ANY' });
    },
  );

  test('the tools are chosen before BeforeModel, which sees the choice (C-89)', async () => {
    const { reported, session } = await callModel({
      BeforeToolSelection: inParallel(selecting({ mode: 'NONE' })),
      BeforeModel: inParallel('cat >seen.json'),
    });
    expect(reported.map((entry) => (typeof entry === 'string' ? entry : entry[0]))).toEqual([
      'BeforeToolSelection',
      'BeforeModel',
      'model',
    ]);
    const seen = JSON.parse(readFileSync(join(session.folder, 'seen.json'), 'utf8'));
    expect(seen.llm_request.toolConfig).toEqual({ mode: 'NONE', allowedFunctionNames: [] });
  });

  test('BeforeToolSelection does not fire for a request without tools (HOOK-053)', async () => {
    const { session, sent } = await callModel(
      { BeforeToolSelection: inParallel('touch selection-ran'), BeforeModel: inParallel('true') },
      { request: { model: 'some-model', contents: 'Hi' } },
    );
    expect(sent).toEqual([{ model: 'some-model', contents: 'Hi' }]);
    expect(existsSync(join(session.folder, 'selection-ran'))).toBe(false);
  });

  test('BeforeToolSelection hooks receive the real request (HOOK-205)', async () => {
    const { session } = await callModel({ BeforeToolSelection: inParallel('cat >seen.json') });
    const seen = JSON.parse(readFileSync(join(session.folder, 'seen.json'), 'utf8'));
    expect(seen).toMatchObject({
      hook_event_name: 'BeforeToolSelection',
      llm_request: {
        model: 'some-model',
        messages: [
          { role: 'user', content: 'Read a.txt' },
          { role: 'user', content: 'And this?' },
        ],
        config: { temperature: 0.5, topK: 40 },
      },
    });
  });
});

describe('a message for the model', () => {
  test('a message for the model goes only with this request (HOOK-159, C-61)', async () => {
    const { sent, response, systemMessage } = await callModel({
      BeforeToolSelection: inParallel(print({ systemMessage: 'One.' })),
      BeforeModel: inParallel('echo Two.'),
    });
    expect(sent[0]?.config?.systemInstruction).toBe('Be brief.\n\nOne.\n\nTwo.');
    expect(sent[0]?.contents).toEqual(someRequest.contents);
    expect(response).toEqual(saying('Hello'));
    expect(systemMessage).toBeUndefined();
  });

  test('a message for the model waits for the next request if this one is not sent (HOOK-159)', async () => {
    const { systemMessage } = await callModel({
      BeforeToolSelection: inParallel(print({ systemMessage: 'One.' })),
      BeforeModel: inParallel(print({ decision: 'block', systemMessage: 'Two.' })),
    });
    expect(systemMessage).toBe('One.\nTwo.');
  });

  test('a message for the model follows the conversation if there is cached content, which has its own instruction (C-77)', async () => {
    const request = {
      model: 'some-model',
      contents: someRequest.contents,
      config: { cachedContent: 'cachedContents/1' },
    };
    const { sent } = await callModel(
      { BeforeModel: inParallel(print({ systemMessage: 'One.' })) },
      { request },
    );
    expect(sent[0]?.contents).toEqual([
      ...someRequest.contents,
      { role: 'user', parts: [{ text: '[System] One.' }] },
    ]);
  });
});

test.each([
  ['exits 1', `${requesting({ config: { temperature: 9 } })}; exit 1`],
  ['dies of a signal', 'kill -9 $$'],
  ['cannot be found', './nowhere.sh'],
  ['takes too long', { command: 'sleep 5', timeout: 50 }],
  ['prints broken JSON', `echo '{"decision": "block"'`],
])('a hook that %s does not prevent the model call (HOOK-042)', async (_, hook) => {
  const { outcome, sent, blockedReason } = await callModel({
    BeforeToolSelection: inParallel(hook),
    BeforeModel: inParallel(hook),
  });
  expect(outcome.status).toBe('done');
  expect(sent.length).toBe(1);
  expect(sent[0]?.contents).toEqual(someRequest.contents);
  expect(sent[0]?.config?.temperature).toBe(0.5);
  expect(blockedReason).toBeUndefined();
});
