import { describe, expect, test } from 'vitest';
import type { InspectionEvent } from 'xstate';
import type { ChatEvent } from '../../../src/agent/loop/chat-events.ts';
import { all, kinds, last, shown, startChat } from '../../support/chat.ts';
import { inParallel, print } from '../../support/session.ts';
import { saying, wanting } from '../../support/some-model.ts';
import { someTool } from '../../support/some-tool.ts';

const results = (events: readonly ChatEvent[]) =>
  events.filter((event) => event.type === 'toolResult');

describe('a turn', () => {
  test('a turn shows the text as it streams and ends with the answer', async () => {
    const { run, chat, model } = await startChat(['Hello dear user'], {
      systemInstruction: 'Be brief.',
      generationConfig: { temperature: 0.5 },
    });
    expect(await run()).toEqual([
      { type: 'text', text: 'Hello ' },
      { type: 'text', text: 'dear ' },
      { type: 'text', text: 'user' },
      { type: 'finalAnswer', text: 'Hello dear user', steps: 1 },
    ]);
    expect(model.requests).toEqual([
      {
        model: 'some-model',
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
        config: { temperature: 0.5, systemInstruction: 'Be brief.' },
      },
    ]);
    expect(chat.history).toEqual([
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [{ text: 'Hello dear user' }] },
    ]);
  });

  test('a turn shows the text of a model that does not stream', async () => {
    const { run } = await startChat([() => saying('Hello')]);
    expect(kinds(await run())).toEqual(['text', 'finalAnswer']);
  });

  test('a turn runs the tools that the model calls and gives it their results in the order asked', async () => {
    const write = someTool('write');
    const read = someTool('read', async ({ path }) => {
      await new Promise((resolve) => setTimeout(resolve, path === 'slow' ? 50 : 0));
      return { llmContent: `read ${path}`, returnDisplay: path };
    });
    const { run, chat, model } = await startChat(
      [
        saying(
          'Let me see. ',
          wanting('read', { path: 'slow' }, 'x'),
          wanting('write', { path: 'b' }, 'y'),
          wanting('read', { path: 'c' }),
        ),
        'Done.',
      ],
      { tools: [write, read], toolLimit: 3 },
    );
    const events = await run('Work');
    expect(kinds(events)).toEqual([
      'text',
      'text',
      'text',
      'toolCall',
      'toolCall',
      'toolCall',
      'toolResult',
      'toolResult',
      'toolResult',
      'text',
      'finalAnswer',
    ]);
    const [, called, answered] = chat.history;
    const ids = called!.parts!.slice(1).map(({ functionCall }) => functionCall?.id);
    expect(ids).toEqual(['x', 'y', expect.any(String)]);
    expect(answered).toEqual({
      role: 'user',
      parts: [
        { functionResponse: { id: 'x', name: 'read', response: { output: 'read slow' } } },
        { functionResponse: { id: 'y', name: 'write', response: { output: 'wrote b' } } },
        { functionResponse: { id: ids[2], name: 'read', response: { output: 'read c' } } },
      ],
    });
    expect(results(events)).toMatchObject([
      { id: 'x', name: 'read', status: 'done', display: 'slow', llmContent: 'read slow' },
      { id: 'y', name: 'write', status: 'done' },
      { id: ids[2], name: 'read', status: 'done' },
    ]);
    expect(model.requests[1]?.contents).toEqual(chat.history.slice(0, 3));
    expect(last(events)).toEqual({ type: 'finalAnswer', text: 'Done.', steps: 2 });
  });

  test('a turn declares its tools to the model', async () => {
    const { run, model } = await startChat(['Hello'], { tools: [someTool('write')] });
    await run();
    expect(model.requests[0]?.config).toMatchObject({
      tools: [
        {
          functionDeclarations: [
            {
              name: 'write',
              description: 'A tool of the tests.',
              parametersJsonSchema: { type: 'object', required: ['path'] },
            },
          ],
        },
      ],
    });
  });

  test.each([[['a', 'a']], [['', '']]])(
    'a turn keeps the results of calls with the ids %j apart',
    async (ids) => {
      const { run, chat } = await startChat(
        [saying(...ids.map((id, index) => wanting('write', { path: `${index}` }, id))), 'Done.'],
        { tools: [someTool('write')] },
      );
      await run();
      expect(
        chat.history[2]?.parts?.map(({ functionResponse }) => functionResponse?.response),
      ).toEqual([{ output: 'wrote 0' }, { output: 'wrote 1' }]);
      const called = chat.history[1]?.parts?.map(({ functionCall }) => functionCall?.id);
      const tied = chat.history[2]?.parts?.map(({ functionResponse }) => functionResponse?.id);
      expect(tied).toEqual(called);
      expect(called).not.toContain('');
    },
  );

  test.each([
    ['for an unknown tool', wanting('paint', {}), /no tool "paint"/],
    ['for a tool without a name', { functionCall: {} }, /no tool ""/],
    ['with wrong arguments', wanting('write', { path: 7 }), /Invalid arguments for write: path/],
    ['without arguments', { functionCall: { name: 'write' } }, /Invalid arguments for write/],
    [
      'with a list of arguments',
      { functionCall: { name: 'write', args: [] } },
      /Invalid arguments/,
    ],
  ])('the model is told what is wrong with a call %s', async (_, part, message) => {
    const write = someTool('write');
    const { run, chat } = await startChat([saying(part as never), 'Sorry.'], { tools: [write] });
    const events = await run();
    expect(write.runs).toEqual([]);
    expect(chat.history[2]?.parts?.[0]?.functionResponse?.response).toEqual({
      error: expect.stringMatching(message),
    });
    expect(results(events)).toMatchObject([{ error: expect.stringMatching(message) }]);
    expect(last(events)).toMatchObject({ type: 'finalAnswer', text: 'Sorry.' });
  });

  test('the model is told why a tool threw', async () => {
    const write = someTool('write', () => Promise.reject(new Error('disk full')));
    const { run, chat } = await startChat([saying(wanting('write', { path: 'a' })), 'Sorry.'], {
      tools: [write],
    });
    await run();
    expect(chat.history[2]?.parts?.[0]?.functionResponse?.response).toEqual({ error: 'disk full' });
  });

  test('parts of a tool’s result that are not text are passed on', async () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
    const look = someTool('look', async () => ({
      llmContent: ['One, ', { text: 'two.' }, image, JSON.parse('null')],
      returnDisplay: '',
    }));
    const { run, chat } = await startChat([saying(wanting('look', { path: 'a' }, '1')), 'Nice.'], {
      tools: [look],
    });
    await run();
    expect(chat.history[2]?.parts).toEqual([
      { functionResponse: { id: '1', name: 'look', response: { output: 'One, two.' } } },
      image,
    ]);
  });

  test.each([
    ['an empty response', {}],
    ['no candidates', { candidates: [] }],
    ['a candidate without content', { candidates: [{ finishReason: 'SAFETY' }] }],
    ['no parts', { candidates: [{ content: { role: 'model' } }] }],
    ['malformed parts', { candidates: [{ content: { role: 'model', parts: [null, {}] } }] }],
    ['an empty text', saying('')],
    ['nothing', undefined],
    ['null', null],
  ])('a turn ends with an empty answer when the model returns %s', async (_, response) => {
    for (const hooks of [{}, { AfterModel: inParallel('true') }]) {
      const { run, chat } = await startChat([() => response as never], { hooks });
      expect((await run()).filter(({ type }) => type !== 'hookDecision')).toEqual([
        { type: 'finalAnswer', text: '', steps: 1 },
      ]);
      // Providers refuse empty messages.
      expect(chat.history.length).toBe(1);
    }
  });

  test('a turn uses the first of several candidates', async () => {
    const response = {
      candidates: [saying('One').candidates![0]!, saying('Two').candidates![0]!],
    };
    const { run, chat } = await startChat([() => response]);
    expect(shown(await run())).toBe('One');
    expect(chat.history[1]?.parts).toEqual([{ text: 'One' }]);
  });

  test('a turn hides the model’s thoughts, but returns them to the model', async () => {
    const thought = { text: 'Hm.', thought: true };
    const signed = { text: '', thoughtSignature: 'abc' };
    const { run, chat } = await startChat([() => saying(thought, 'Hello', signed)]);
    const events = await run();
    expect(shown(events)).toBe('Hello');
    expect(last(events)).toMatchObject({ text: 'Hello' });
    expect(chat.history[1]?.parts).toEqual([thought, { text: 'Hello' }, signed]);
  });

  test('a turn ends with an error when the model fails, and the next one works', async () => {
    let tries = 0;
    const { run } = await startChat([
      () => {
        if (++tries === 1) throw new Error('429: try later');
        return saying('Hello');
      },
    ]);
    expect(await run()).toEqual([{ type: 'error', message: '429: try later' }]);
    expect(last(await run())).toMatchObject({ type: 'finalAnswer', text: 'Hello' });
  });

  test('a turn includes the turns before it and an earlier conversation', async () => {
    const earlier = [{ role: 'user', parts: [{ text: 'Before' }] }];
    const { run, chat, model } = await startChat(['One', 'Two'], { history: earlier });
    await run('A');
    await run('B');
    const texts = chat.history.map(({ parts }) => parts?.[0]?.text);
    expect(texts).toEqual(['Before', 'A', 'One', 'B', 'Two']);
    expect(model.requests[1]?.contents).toEqual(chat.history.slice(0, 4));
    expect(earlier.length).toBe(1);
  });
});

describe('the limit of model calls', () => {
  const again = saying(wanting('write', { path: 'a' }));

  test('the limit of model calls ends the turn and is reported, and the results stay in the history', async () => {
    const { run, chat, model } = await startChat([again], {
      tools: [someTool('write')],
      maxSteps: 3,
    });
    const events = await run();
    expect(last(events)).toEqual({
      type: 'stop',
      by: 'limit',
      reason: 'The limit of 3 model calls was reached.',
    });
    expect(model.requests.length).toBe(3);
    expect(chat.history.at(-1)?.parts?.[0]?.functionResponse).toBeDefined();
  });

  test('an answer within the limit of model calls is final', async () => {
    const { run } = await startChat([again, 'Done.'], { tools: [someTool('write')], maxSteps: 2 });
    expect(last(await run())).toEqual({ type: 'finalAnswer', text: 'Done.', steps: 2 });
  });

  test('the limit of model calls is 50 by default', async () => {
    const { run, model } = await startChat([again], { tools: [someTool('write')] });
    expect(last(await run())).toMatchObject({ type: 'stop', by: 'limit' });
    expect(model.requests.length).toBe(50);
  });
});

describe('concurrent turns', () => {
  test('a second turn in the same chat is refused', async () => {
    const { chat } = await startChat(['Hello']);
    const events = chat.run('One');
    expect(() => chat.run('Two')).toThrow(/A turn is already running/);
    expect(shown(await all(events))).toBe('Hello');
    expect(shown(await all(chat.run('Two')))).toBe('Hello');
  });

  test('the reader of the last event can begin the next turn', async () => {
    const { chat } = await startChat(['Hello']);
    for await (const { type } of chat.run('One'))
      if (type === 'finalAnswer') expect(shown(await all(chat.run('Two')))).toBe('Hello');
    expect(chat.history.length).toBe(4);
  });

  test('turns of different chats run at the same time', async () => {
    const chats = await Promise.all([startChat(['One']), startChat(['Two'])]);
    const turns = await Promise.all(chats.map(({ run }) => run()));
    expect(turns.map(shown)).toEqual(['One', 'Two']);
  });
});

interface WatchedActor {
  readonly logic: { readonly id?: string };
  readonly _parent?: unknown;
}

test('an inspector sees the turn, and its model calls and tool calls as its children', async () => {
  const seen: string[] = [];
  const inspect = (event: InspectionEvent): void => {
    if (event.type !== '@xstate.actor') return;
    const { logic, _parent } = event.actorRef as unknown as WatchedActor;
    if (logic.id !== undefined) seen.push(logic.id);
    expect(_parent === undefined).toBe(logic.id === 'agentTurn');
  };
  const { run } = await startChat([saying(wanting('write', { path: 'a' })), 'Done.'], {
    tools: [someTool('write')],
    config: { inspect },
  });
  await run();
  expect(seen).toEqual(['agentTurn', 'modelCall', 'toolCall', 'modelCall']);
});

test('a late reader misses no event', async () => {
  const { chat } = await startChat(['Hello dear user']);
  const events = chat.run('Hi');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(kinds(await all(events))).toEqual(['text', 'text', 'text', 'finalAnswer']);
});

test('text that arrives after the end is not emitted', async () => {
  const { chat } = await startChat([
    (_request, { onText }) => {
      setTimeout(() => onText?.('late'), 20);
      return saying('Hello');
    },
  ]);
  const events = chat.run('Hi');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(shown(await all(events))).toBe('Hello');
});

test('500 turns, 100 of them inspected, need no more listeners than one turn', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  const { signal } = new AbortController();
  const { chat } = await startChat([saying(wanting('write', { path: 'a' })), 'Done.'], {
    tools: [someTool('write')],
  });
  for (let turn = 0; turn < 400; turn++) await all(chat.run('Hi', { signal }));
  const watched = await startChat([saying(wanting('write', { path: 'a' })), 'Done.'], {
    tools: [someTool('write')],
    config: { inspect: () => undefined },
  });
  for (let turn = 0; turn < 100; turn++) await all(watched.chat.run('Hi', { signal }));
  const calls = Array.from({ length: 40 }, (_, index) => wanting('write', { path: `${index}` }));
  const wide = await startChat([saying(...calls), 'Done.'], {
    tools: [someTool('write')],
    hooks: { BeforeTool: inParallel(print({})) },
    toolLimit: 40,
  });
  await all(wide.chat.run('Hi', { signal }));
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
