import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ChatLoop } from '../../../src/agent/loop/chat-loop.ts';
import { all, kinds, last, shown, startChat, type SeenChat } from '../../support/chat.ts';
import { inParallel, print } from '../../support/session.ts';
import { saying, silent, wanting, type Turn } from '../../support/some-model.ts';
import { someTool } from '../../support/some-tool.ts';
import { isAlive, untilWritten } from '../../support/until.ts';

const cancelled = { type: 'cancelled', reason: 'user' };
const wanted = saying('Well.', wanting('write', { path: 'a' }, '1'));

/** A hook that writes its pid and then runs for a long time. */
const working = 'echo $$ >pid; sleep 30';
const running = async ({ folder }: SeenChat): Promise<number> =>
  Number(await untilWritten(join(folder, 'pid')));

/** A history that providers accept: every call has its result. */
function expectWhole({ history }: ChatLoop): void {
  for (const [index, { parts = [] }] of history.entries()) {
    const calls = parts.flatMap(({ functionCall }) => (functionCall ? [functionCall.id] : []));
    const results = history[index + 1]?.parts?.map(({ functionResponse }) => functionResponse?.id);
    if (calls.length > 0) expect(results).toEqual(calls);
  }
}

describe('a turn that is cancelled', () => {
  test('a turn that is cancelled before it begins does not call the model', async () => {
    const { chat, model } = await startChat(['Hello']);
    const events = chat.run('Hi');
    chat.cancel('user');
    expect(await all(events)).toEqual([cancelled]);
    expect(model.requests).toEqual([]);
  });

  test('a turn whose signal is already aborted does not call the model', async () => {
    const { chat, model } = await startChat(['Hello']);
    const events = await all(chat.run('Hi', { signal: AbortSignal.abort('user') }));
    expect(events).toEqual([cancelled]);
    expect(model.requests).toEqual([]);
  });

  test('a signal cancels a turn just as cancel() does', async () => {
    const { chat } = await startChat([silent]);
    const events = await all(chat.run('Hi', { signal: AbortSignal.timeout(50) }));
    expect(events).toEqual([{ type: 'cancelled', reason: expect.stringMatching(/timeout/) }]);
  });

  test.each([
    'BeforeToolSelection',
    'BeforeModel',
    'AfterModel',
    'BeforeTool',
    'AfterTool',
  ] as const)('cancelling a turn kills its running %s hooks (G-02)', async (event) => {
    const seen = await startChat([wanted, 'Never said'], {
      hooks: { [event]: inParallel(working, print({ continue: false })) },
      tools: [someTool('write')],
    });
    const events = seen.run();
    const pid = await running(seen);
    seen.chat.cancel('user');
    expect(last(await events)).toEqual(cancelled);
    expect(isAlive(pid)).toBe(false);
    expectWhole(seen.chat);
  });

  test.each<[string, Turn]>([
    ['never settles', silent],
    [
      'fails on the signal',
      (_request, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('ended')));
        }),
    ],
  ])('a cancelled turn whose model %s ends at once, with or without hooks', async (_, turn) => {
    for (const hooks of [{}, { BeforeModel: inParallel('true') }]) {
      const { chat, run } = await startChat([turn], { hooks });
      setTimeout(() => chat.cancel('user'), 50);
      expect(last(await run())).toEqual(cancelled);
    }
  });

  test('a cancelled turn shows no text that the model sends afterwards', async () => {
    const { chat, run } = await startChat([
      (_request, { onText }) => {
        onText?.('before');
        chat.cancel('user');
        onText?.('after');
        return silent();
      },
    ]);
    expect(await run()).toEqual([{ type: 'text', text: 'before' }, cancelled]);
  });

  test('a turn that is cancelled while text is held shows none of it', async () => {
    const seen = await startChat(['secret words'], { hooks: { AfterModel: inParallel(working) } });
    const events = seen.run();
    await running(seen);
    seen.chat.cancel('user');
    expect(shown(await events)).toBe('');
    expect(JSON.stringify(seen.chat.history)).not.toContain('secret');
  });

  test('a cancelled turn whose tool never settles ends at once, and the call gets a result', async () => {
    const { chat, run } = await startChat([wanted, 'Never said'], {
      tools: [someTool('write', silent)],
    });
    setTimeout(() => chat.cancel('user'), 50);
    const events = await run();
    expect(kinds(events).slice(-3)).toEqual(['toolCall', 'toolResult', 'cancelled']);
    expect(events.at(-2)).toMatchObject({ id: '1', status: 'cancelled' });
    expectWhole(chat);
  });

  test('cancelling between the model and its tools leaves no call without a result', async () => {
    const statuses = new Set<string>();
    for (let ticks = 0; ticks < 30; ticks++) {
      const { chat, run } = await startChat(
        [
          () => {
            void (async () => {
              for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
              chat.cancel('user');
            })();
            return wanted;
          },
        ],
        { tools: [someTool('write', silent)] },
      );
      const events = await run();
      expect(last(events)).toEqual(cancelled);
      expectWhole(chat);
      for (const type of kinds(events)) statuses.add(`${chat.history.length} ${type}`);
    }
    // Some were cancelled before the answer was kept, some before its tools began, some after.
    expect([...statuses]).toEqual(
      expect.arrayContaining(['1 cancelled', '3 cancelled', '3 toolCall']),
    );
  });

  test('cancelling a turn after its end has no effect', async () => {
    const { chat, run } = await startChat(['Hello']);
    const events = await run();
    chat.cancel();
    expect(last(events)).toMatchObject({ type: 'finalAnswer' });
    expect(last(await run())).toMatchObject({ type: 'finalAnswer' });
  });

  test('a chat works normally after a cancelled turn', async () => {
    const { chat, run, model } = await startChat([silent, 'Hello']);
    setTimeout(() => chat.cancel('user'), 20);
    expect(last(await run('A'))).toEqual(cancelled);
    expect(last(await run('B'))).toMatchObject({ type: 'finalAnswer', text: 'Hello' });
    expect(model.requests.length).toBe(2);
  });

  test('a cancelled turn waits for a hook that ignores SIGTERM only until the grace period ends', async () => {
    const seen = await startChat(['Hello'], {
      hooks: {
        BeforeModel: inParallel(`trap '' TERM; echo $$ >pid; while :; do sleep 0.1; done`),
      },
    });
    const events = seen.run();
    const pid = await running(seen);
    seen.chat.cancel('user');
    expect(last(await events)).toEqual(cancelled);
    expect(isAlive(pid)).toBe(false);
  });
});

test('leaving the iteration early cancels the turn: no further model call or tool runs', async () => {
  const write = someTool('write');
  const { chat, model, folder } = await startChat([wanted, 'Never asked'], {
    hooks: { BeforeTool: inParallel('sleep 30; touch tool-hook-ended') },
    tools: [write],
  });
  for await (const { type } of chat.run('Hi')) if (type === 'toolCall') break;
  expect(shown(await all(chat.run('Again')))).toBe('Never asked');
  expect(model.requests.length).toBe(2);
  expect(write.runs).toEqual([]);
  expect(existsSync(join(folder, 'tool-hook-ended'))).toBe(false);
  expectWhole(chat);
});

test('a turn ends with exactly one last event, no matter when it is cancelled', async () => {
  const lasts = new Set(['finalAnswer', 'stop', 'error', 'cancelled']);
  for (let delay = 0; delay < 40; delay += 2) {
    const { chat, run } = await startChat([wanted, 'Done.'], {
      hooks: {
        BeforeModel: inParallel('true'),
        BeforeTool: inParallel('true'),
        AfterModel: inParallel('true'),
      },
      tools: [someTool('write')],
    });
    setTimeout(() => chat.cancel('user'), delay);
    const events = kinds(await run());
    expect(events.filter((kind) => lasts.has(kind)).length).toBe(1);
    expect(lasts.has(events.at(-1)!)).toBe(true);
    expectWhole(chat);
  }
});

test('a reader that leaves a turn early can begin the next one at once', async () => {
  const { chat, run } = await startChat([() => new Promise<never>(() => undefined), 'second']);
  const reader = chat.run('one')[Symbol.asyncIterator]();
  const first = reader.next();
  await new Promise((resolve) => setTimeout(resolve, 20));
  chat.cancel('enough');
  expect((await first).value).toMatchObject({ type: 'cancelled' });
  for await (const _ of chat.run('two')) break;
  expect(last(await run('three'))).toMatchObject({ type: 'finalAnswer', text: 'second' });
});
