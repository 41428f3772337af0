import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ChatLoop } from '../../../src/agent/loop/chat-loop.ts';
import { modelFromTurns } from '../../../src/entries/models.ts';
import { everything, kinds, last, startChat } from '../../support/chat.ts';
import { hookAt, sessionIn } from '../../support/own-hooks.ts';
import { sandbox } from '../../support/sandbox.ts';
import { inParallel, inSequence, print } from '../../support/session.ts';
import { saying, wanting } from '../../support/some-model.ts';
import { someTool } from '../../support/some-tool.ts';

const context = (additionalContext: string): string =>
  print({ hookSpecificOutput: { additionalContext } });
const linesOf = (folder: string, file: string) =>
  readFileSync(join(folder, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const log = (file: string): string => `cat >> ${file}; echo >> ${file}`;

describe('BeforeAgent', () => {
  test('a BeforeAgent hook adds its context to the prompt that the model reads (I10, HOOK-211)', async () => {
    const { run, model } = await startChat(['ok'], {
      hooks: { BeforeAgent: inParallel(context('branch: main')) },
    });
    expect(kinds(await run('Go'))).toEqual(['BeforeAgent', 'text', 'finalAnswer']);
    expect(model.requests[0]?.contents).toEqual([
      { role: 'user', parts: [{ text: 'Go\n\nbranch: main' }] },
    ]);
  });

  test('in a sequence, the second BeforeAgent hook reads what the first added (W11)', async () => {
    const { run, folder } = await startChat(['ok'], {
      hooks: { BeforeAgent: inSequence(context('one'), log('seen')) },
    });
    await run('Go');
    expect(linesOf(folder, 'seen')).toMatchObject([{ prompt: 'Go\n\none' }]);
  });

  test('the model never reads a prompt that a BeforeAgent hook forbids (K5)', async () => {
    const { run, model, chat } = await startChat(['ok'], {
      hooks: { BeforeAgent: inParallel('echo "not here" >&2; exit 2') },
    });
    expect(last(await run('Go'))).toEqual({ type: 'promptBlocked', reason: 'not here' });
    expect(model.requests).toEqual([]);
    expect(chat.history).toEqual([]);
  });

  test('a BeforeAgent hook can stop the agent, and a block is reported first (G-20)', async () => {
    const { run } = await startChat(['ok'], {
      hooks: {
        BeforeAgent: inParallel(
          print({ decision: 'block', reason: 'no', continue: false, stopReason: 'enough' }),
        ),
      },
    });
    expect((await run('Go')).slice(1)).toEqual([
      { type: 'promptBlocked', reason: 'no' },
      { type: 'stop', by: 'hook', reason: 'enough' },
    ]);
  });

  test('a failed BeforeAgent hook changes nothing, and a message reaches only the model', async () => {
    const { run, model, chat } = await startChat(['ok'], {
      hooks: {
        BeforeAgent: inParallel('exit 1', {
          command: print({ systemMessage: 'for the model' }),
          name: 'tells',
        }),
      },
    });
    const events = await run('Go');
    expect(last(events)).toMatchObject({ type: 'finalAnswer', text: 'ok' });
    expect(everything(model.requests)).toContain('for the model');
    expect(everything([events, chat.history])).not.toContain('for the model');
  });
});

describe('AfterAgent', () => {
  const rejectOnce =
    'input=$(cat); echo "$input" >> seen; case $input in *\'"stop_hook_active":false\'*) echo "tests fail" >&2; exit 2;; esac';

  test('an AfterAgent rejection prompts the model again with the reason, and the hook is told so (G-16)', async () => {
    const { run, model, folder } = await startChat(['first', 'second'], {
      hooks: { AfterAgent: inParallel(rejectOnce) },
    });
    const events = await run('Go');
    expect(kinds(events)).toEqual([
      'text',
      'AfterAgent',
      'answerRejected',
      'text',
      'AfterAgent',
      'finalAnswer',
    ]);
    expect(last(events)).toEqual({ type: 'finalAnswer', text: 'second', steps: 2 });
    expect(model.requests[1]?.contents).toEqual([
      { role: 'user', parts: [{ text: 'Go' }] },
      { role: 'model', parts: [{ text: 'first' }] },
      { role: 'user', parts: [{ text: 'tests fail' }] },
    ]);
    expect(linesOf(folder, 'seen')).toMatchObject([
      { prompt: 'Go', prompt_response: 'first', stop_hook_active: false },
      { prompt: 'Go', prompt_response: 'second', stop_hook_active: true },
    ]);
  });

  test('AfterAgent rejections are capped, and the cap is reported (G-16)', async () => {
    const { run } = await startChat(['1', '2', '3', '4'], {
      hooks: { AfterAgent: inParallel('exit 2') },
      maxRejections: 2,
    });
    const events = await run('Go');
    expect(events.filter(({ type }) => type === 'answerRejected')).toHaveLength(2);
    expect(events.slice(-2)).toEqual([
      {
        type: 'notice',
        text: expect.stringContaining(
          'want the agent to continue again, but may do so only 2 times',
        ),
      },
      { type: 'finalAnswer', text: '3', steps: 3 },
    ]);
  });

  test('AfterAgent fires once per turn, not while the model calls tools (G-17)', async () => {
    const { run, folder } = await startChat(
      [saying(wanting('write_file', { path: 'a' })), 'done'],
      {
        hooks: { AfterAgent: inParallel(log('seen')) },
        tools: [someTool('write_file')],
      },
    );
    await run('Go');
    expect(linesOf(folder, 'seen')).toMatchObject([{ prompt_response: 'done' }]);
  });

  test('an AfterAgent hook can stop the agent', async () => {
    const { run } = await startChat(['done'], {
      hooks: { AfterAgent: inParallel(print({ continue: false, stopReason: 'enough' })) },
    });
    expect(last(await run('Go'))).toEqual({ type: 'stop', by: 'hook', reason: 'enough' });
  });
});

const everySession = (command: string) => ({
  SessionStart: inParallel(command),
  SessionEnd: inParallel(command),
  PreCompress: inParallel(command),
});

describe('the session', () => {
  test('a session begins once, with its first turn, and ends once (W12, I18)', async () => {
    const { run, chat, folder } = await startChat(['a', 'b'], { hooks: everySession(log('seen')) });
    expect(await chat.end()).toEqual([]);
    await run();
    await run();
    expect(kinds(await chat.end('exit'))).toEqual(['SessionEnd']);
    expect(linesOf(folder, 'seen')).toMatchObject([
      { hook_event_name: 'SessionStart', source: 'startup' },
      { hook_event_name: 'SessionEnd', reason: 'exit' },
    ]);
  });

  test('a session with an earlier conversation begins as resumed, and a matcher must equal the source (C-20)', async () => {
    const { run, folder } = await startChat(['a'], {
      history: [{ role: 'user', parts: [{ text: 'before' }] }],
      hooks: {
        SessionStart: [
          { matcher: 'resume', hooks: [{ type: 'command', command: log('seen') }] },
          { matcher: 'res', hooks: [{ type: 'command', command: 'touch wrong' }] },
        ],
      },
    });
    expect(kinds(await run())).toEqual(['SessionStart', 'text', 'finalAnswer']);
    expect(linesOf(folder, 'seen')).toMatchObject([{ source: 'resume' }]);
  });

  test('the context of SessionStart hooks goes with the first prompt, and their message goes to the user (C-54)', async () => {
    const { run, model } = await startChat(['a', 'b'], {
      hooks: {
        SessionStart: inParallel(
          print({ systemMessage: 'Welcome', hookSpecificOutput: { additionalContext: 'rules' } }),
        ),
      },
    });
    expect((await run('Go'))[1]).toEqual({ type: 'notice', text: 'Welcome' });
    await run('On');
    expect(model.requests.map(({ contents }) => JSON.stringify(contents))).toEqual([
      expect.stringContaining('Go\\n\\nrules'),
      expect.stringMatching(/"text":"On"/),
    ]);
  });

  test('a cleared session ends and begins again without its history', async () => {
    const { run, chat, model, folder } = await startChat(['a', 'b'], {
      hooks: everySession(log('seen')),
    });
    await run('One');
    await chat.clear();
    await run('Two');
    expect(linesOf(folder, 'seen').map(({ source, reason }) => source ?? reason)).toEqual([
      'startup',
      'clear',
      'clear',
    ]);
    expect(everything(model.requests[1])).not.toContain('One');
  });

  test('a compressed session continues from the summary, and PreCompress hooks run first', async () => {
    const { run, chat, model, folder } = await startChat(['a', 'the summary', 'b'], {
      hooks: everySession(log('seen')),
    });
    await run('One');
    expect(kinds(await chat.compress())).toEqual(['PreCompress']);
    await run('Two');
    expect(everything(model.requests[2]?.contents)).toContain('the summary');
    expect(everything(model.requests[2]?.contents)).not.toContain('One');
    expect(linesOf(folder, 'seen').map(({ source, trigger }) => source ?? trigger)).toEqual([
      'startup',
      'manual',
      'compress',
    ]);
  });

  test('PostCompress hooks receive the summary, and do not run if the compression fails', async () => {
    const box = sandbox();
    const file = join(box.home, 'summaries');
    const command = `jq -r '.trigger + " " + .compact_summary' >> "$HOME/summaries"`;
    box.write(box.own.user, hookAt('compact.after', command));
    const { config } = sessionIn(box);
    const model = modelFromTurns([{ text: 'a' }, { text: 'the summary' }]);
    const chat = new ChatLoop({ config, model });
    for await (const event of chat.run('One')) void event;
    await chat.compress();
    await chat.compress('auto');
    expect(readFileSync(file, 'utf8')).toBe('manual the summary\n');
  });

  test('a session is compressed automatically once a call took too many tokens', async () => {
    const { run, folder } = await startChat(
      [
        () => ({
          candidates: [
            { content: { role: 'model', parts: [{ text: 'long' }] }, finishReason: 'STOP' },
          ],
          usageMetadata: { totalTokenCount: 900 },
        }),
        'the summary',
        'b',
      ],
      { hooks: everySession(log('seen')), compressAt: 800 },
    );
    await run('One');
    await run('Two');
    expect(linesOf(folder, 'seen')).toMatchObject([
      { source: 'startup' },
      { hook_event_name: 'PreCompress', trigger: 'auto' },
      { source: 'compress' },
    ]);
  });

  test('a compression without a summary leaves the conversation as it is and is reported', async () => {
    const { run, chat } = await startChat(['a', () => Promise.reject(new Error('down'))]);
    await run('One');
    const before = structuredClone(chat.history);
    expect(await chat.compress()).toEqual([
      { type: 'notice', text: 'The conversation was not compressed: down.' },
    ]);
    expect(chat.history).toEqual(before);
  });
});

describe('Notification', () => {
  test('Notification fires before the user is asked, with the arguments that BeforeTool hooks left (I11, S-01)', async () => {
    const asked: unknown[] = [];
    const { run, folder } = await startChat(
      [saying(wanting('write_file', { path: 'a' })), 'done'],
      {
        hooks: {
          Notification: [
            { matcher: 'ToolPermission', hooks: [{ type: 'command', command: log('seen') }] },
          ],
          BeforeTool: inParallel(
            `test ! -e seen && ${print({ hookSpecificOutput: { tool_input: { path: 'b' } } })}`,
          ),
        },
        tools: [someTool('write_file')],
        confirm: ({ name, input }) => asked.push([name, input]) > 0,
      },
    );
    const events = await run();
    expect(asked).toEqual([['write_file', { path: 'b' }]]);
    expect(kinds(events)).toEqual([
      'toolCall',
      'Notification',
      'BeforeTool',
      'toolResult',
      'text',
      'finalAnswer',
    ]);
    expect(linesOf(folder, 'seen')).toMatchObject([
      {
        notification_type: 'ToolPermission',
        details: { tool_name: 'write_file', tool_input: { path: 'b' } },
      },
    ]);
  });

  test('nobody is asked about a call that a hook denies (S-01)', async () => {
    const { run } = await startChat([saying(wanting('write_file', { path: 'a' })), 'done'], {
      hooks: { BeforeTool: inParallel('exit 2') },
      tools: [someTool('write_file')],
      confirm: () => expect.unreachable('nobody is to be asked'),
    });
    const events = await run();
    expect(events.find(({ type }) => type === 'toolResult')).toMatchObject({ status: 'blocked' });
  });

  test('the user is asked about concurrent calls one at a time', async () => {
    let asking = 0;
    const { run } = await startChat(
      [saying(wanting('write_file', { path: 'a' }), wanting('write_file', { path: 'b' })), 'done'],
      {
        tools: [someTool('write_file')],
        confirm: async () => {
          expect(++asking).toBe(1);
          await new Promise(setImmediate);
          asking--;
          return true;
        },
      },
    );
    const events = await run();
    expect(events.flatMap((event) => ('status' in event ? [event.status] : []))).toEqual([
      'done',
      'done',
    ]);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('the window was closed'))],
    ['gives no answer', () => undefined as never],
  ])('a question that %s does not approve the call', async (_, confirm) => {
    const { run } = await startChat([saying(wanting('write_file', { path: 'a' })), 'done'], {
      tools: [someTool('write_file')],
      confirm,
    });
    const events = await run();
    expect(events.find(({ type }) => type === 'toolResult')).toMatchObject({ status: 'refused' });
  });

  test('a turn that is cancelled while the user is asked ends at once', async () => {
    const { chat } = await startChat([saying(wanting('write_file', { path: 'a' })), 'done'], {
      tools: [someTool('write_file')],
      confirm: () => {
        queueMicrotask(() => chat.cancel('user'));
        return new Promise<never>(() => undefined);
      },
    });
    const events = [];
    for await (const event of chat.run('Go')) events.push(event);
    expect(events.at(-1)).toEqual({ type: 'cancelled', reason: 'user' });
  });

  test('a tool that the user declines does not run, and the model is told so', async () => {
    const { run, model } = await startChat([saying(wanting('write_file', { path: 'a' })), 'done'], {
      hooks: { BeforeTool: inParallel('touch ran') },
      tools: [someTool('write_file')],
      confirm: () => false,
    });
    const events = await run();
    expect(events.find(({ type }) => type === 'toolResult')).toMatchObject({ status: 'refused' });
    expect(everything(model.requests[1])).toContain('The user did not let write_file run.');
  });
});
