import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runToolCall } from '../../../src/core/calls/run-tool-call.ts';
import { isAlive } from '../../handlers/process/run-hook.ts';
import { defaultDialects } from '../../../src/hosts/all/defaults.ts';
import { all, kinds, last, startChat } from '../../support/chat.ts';
import { answering, hookOf, kodeletBox, type KodeletBox } from '../../support/kodelet.ts';
import { inParallel, print } from '../../support/session.ts';
import { saying, wanting, type Turn } from '../../support/some-model.ts';
import { someTool } from '../../support/some-tool.ts';
import { untilWritten } from '../../support/until.ts';

const chatIn = (
  { project }: KodeletBox,
  turns: readonly Turn[],
  options: Parameters<typeof startChat>[1] = {},
) =>
  startChat(turns, {
    ...options,
    config: { cwd: project, sessionId: 'talk', dialects: defaultDialects, ...options.config },
  });

const followUp = (...follow_up_messages: string[]) =>
  answering('agent_stop', { follow_up_messages });

describe('agent_stop (C-107, K4)', () => {
  test('follow-ups become user messages, in order, for a single model call', async () => {
    const box = kodeletBox();
    box.local(
      'more',
      hookOf(
        'agent_stop',
        `[ -e spoken ] || ${print({ follow_up_messages: ['One more.', 'And another.'] })}; touch spoken`,
      ),
    );
    const { run, model, chat } = await chatIn(box, ['Done.', 'Really done.']);
    const events = await run();
    expect(model.requests.length).toBe(2);
    expect(chat.history.map(({ role, parts }) => [role, parts?.[0]?.text])).toEqual([
      ['user', 'Hi'],
      ['model', 'Done.'],
      ['user', 'One more.'],
      ['user', 'And another.'],
      ['model', 'Really done.'],
    ]);
    expect(events.filter(({ type }) => type === 'followUp')).toEqual([
      { type: 'followUp', text: 'One more.' },
      { type: 'followUp', text: 'And another.' },
    ]);
    expect(last(events)).toEqual({ type: 'finalAnswer', text: 'Really done.', steps: 2 });
  });

  test('follow-ups are limited, and reaching the limit is reported (C-108)', async () => {
    const box = kodeletBox();
    box.local('more', followUp('More.'));
    const { run, model } = await chatIn(box, ['Done.'], { maxRejections: 3 });
    const events = await run();
    expect(model.requests.length).toBe(4);
    expect(events.filter(({ type }) => type === 'followUp').length).toBe(3);
    expect(events.slice(-2)).toEqual([
      {
        type: 'notice',
        text: expect.stringMatching(/3 times.*; the answer is kept\.$/),
      },
      { type: 'finalAnswer', text: 'Done.', steps: 4 },
    ]);
  });

  test('follow-ups are limited to 8 rounds by default', async () => {
    const box = kodeletBox();
    box.local('more', followUp('More.'));
    const { run, model } = await chatIn(box, ['Done.']);
    await run();
    expect(model.requests.length).toBe(9);
  });

  test('agent_stop receives the whole conversation so far, as text only', async () => {
    const box = kodeletBox();
    box.local('look', hookOf('agent_stop', 'cat > input.json'));
    const tool = someTool('write_file');
    const { run } = await chatIn(
      box,
      [saying('I write.', wanting('write_file', { path: 'a' })), 'Written.', 'You too.'],
      { tools: [tool] },
    );
    await run('Write it');
    await run('Bye');
    expect(JSON.parse(box.left('input.json'))).toEqual({
      event: 'agent_stop',
      conv_id: 'talk',
      cwd: box.project,
      messages: [
        { role: 'user', content: 'Write it' },
        { role: 'assistant', content: 'I write.' },
        { role: 'assistant', content: 'Written.' },
        { role: 'user', content: 'Bye' },
        { role: 'assistant', content: 'You too.' },
      ],
      invoked_by: 'main',
    });
  });

  test('agent_stop runs once the model has finished, not while it calls tools', async () => {
    const box = kodeletBox();
    box.local('look', hookOf('agent_stop', 'echo ran >> ran'));
    const { run } = await chatIn(
      box,
      [
        saying(wanting('write_file', { path: 'a' })),
        saying(wanting('write_file', { path: 'b' })),
        'Done.',
      ],
      { tools: [someTool('write_file')] },
    );
    await run();
    expect(box.left('ran')).toBe('ran\n');
  });

  test('a stop by an LLxprt hook overrides follow-ups', async () => {
    const box = kodeletBox();
    box.global('more', followUp('More.'));
    const { run, model } = await chatIn(box, ['Done.'], {
      hooks: { AfterAgent: inParallel(print({ continue: false, stopReason: 'Enough' })) },
    });
    expect(last(await run())).toEqual({ type: 'stop', by: 'hook', reason: 'Enough' });
    expect(model.requests.length).toBe(1);
  });

  test('follow-ups of a hook that fails do not count', async () => {
    const box = kodeletBox();
    box.local('more', hookOf('agent_stop', `${print({ follow_up_messages: ['More.'] })}; exit 1`));
    const { run, model, warnings } = await chatIn(box, ['Done.']);
    expect(last(await run())).toMatchObject({ type: 'finalAnswer', text: 'Done.' });
    expect([model.requests.length, warnings.length]).toEqual([1, 1]);
  });

  test('agent_stop of a subagent is invoked by "subagent"', async () => {
    const box = kodeletBox();
    box.local('look', hookOf('agent_stop', 'cat > input.json'));
    const { run } = await chatIn(box, ['Done.'], { invokedBy: 'subagent' });
    await run();
    expect(JSON.parse(box.left('input.json'))).toMatchObject({ invoked_by: 'subagent' });
  });
});

describe('user_message_send (C-107, K5)', () => {
  test('a blocked message reaches neither the model nor the conversation, but the next one does', async () => {
    const box = kodeletBox();
    box.local(
      'secrets',
      hookOf(
        'user_message_send',
        `grep -q hunter2 && ${print({ blocked: true, reason: 'A password' })} || :`,
      ),
    );
    box.local('stop', hookOf('agent_stop', 'echo ran >> ran'));
    const { run, model, chat } = await chatIn(box, ['Hello.']);
    const events = await run('It is hunter2');
    expect(kinds(events)).toEqual(['BeforeAgent', 'promptBlocked']);
    expect(last(events)).toEqual({ type: 'promptBlocked', reason: 'A password' });
    expect([model.requests.length, chat.history.length, box.left('ran')]).toEqual([0, 0, '']);
    expect(last(await run('Hi'))).toMatchObject({ type: 'finalAnswer', text: 'Hello.' });
    expect(JSON.stringify(model.requests)).not.toContain('hunter2');
  });

  test('user_message_send receives what the user wrote, without the context that LLxprt hooks add', async () => {
    const box = kodeletBox();
    box.global('look', hookOf('user_message_send', 'cat > input.json'));
    const { run } = await chatIn(box, ['Hello.'], {
      hooks: {
        BeforeAgent: inParallel(print({ hookSpecificOutput: { additionalContext: 'Be brief.' } })),
      },
    });
    await run('Hi');
    expect(JSON.parse(box.left('input.json'))).toMatchObject({ message: 'Hi' });
  });

  test('user_message_send does not run for a follow-up', async () => {
    const box = kodeletBox();
    box.local('count', hookOf('user_message_send', 'echo ran >> ran'));
    box.local('more', followUp('More.'));
    const { run } = await chatIn(box, ['Done.'], { maxRejections: 2 });
    await run();
    expect(box.left('ran')).toBe('ran\n');
  });
});

describe('a tool call in a chat', () => {
  test('tool_user_id is the id of the call, before and after the tool', async () => {
    const box = kodeletBox();
    const read = `printf '%s\\n' "$(cat)" >> input`;
    box.local('before', hookOf('before_tool_call', read));
    box.local('after', hookOf('after_tool_call', read));
    const { run } = await chatIn(
      box,
      [saying(wanting('write_file', { path: 'a' }, 'call_42')), 'Done.'],
      { tools: [someTool('write_file')] },
    );
    await run();
    const inputs = box.left('input').trim().split('\n');
    expect(
      inputs.map((line) => (JSON.parse(line) as Record<string, unknown>)['tool_user_id']),
    ).toEqual(['call_42', 'call_42']);
  });

  test('after a rewrite, after_tool_call receives the arguments that the tool received', async () => {
    const box = kodeletBox();
    box.local('before', answering('before_tool_call', { input: { path: 'b' } }));
    box.local('after', hookOf('after_tool_call', 'cat > input.json'));
    const tool = someTool('my_tool');
    const { run } = await chatIn(
      box,
      [saying(wanting('my_tool', { path: 'a', times: 3 })), 'Done.'],
      {
        tools: [tool],
      },
    );
    await run();
    expect(tool.runs.map(({ input }) => input)).toEqual([{ path: 'b', times: 1 }]);
    expect(JSON.parse(box.left('input.json'))).toMatchObject({ tool_input: { path: 'b' } });
  });

  test('after_tool_call does not run for a blocked call (C-108)', async () => {
    const box = kodeletBox();
    box.local('before', answering('before_tool_call', { blocked: true, reason: 'No' }));
    box.local('after', hookOf('after_tool_call', 'echo ran > ran'));
    const { config } = await chatIn(box, ['']);
    const { outcome } = await runToolCall(config, { id: '1', name: 'my_tool', input: {} }, () =>
      Promise.resolve({ llmContent: '', returnDisplay: '' }),
    );
    expect([outcome.status, box.left('ran')]).toEqual(['blocked', '']);
  });

  test('cancelling kills a Kodelet hook and everything that it started', async () => {
    const box = kodeletBox();
    box.local('slow', hookOf('user_message_send', 'sleep 600 & echo $! > pid; wait'));
    const { chat } = await chatIn(box, ['Hello.']);
    const turn = all(chat.run('Hi'));
    const pid = Number(await untilWritten(join(box.project, 'pid')));
    chat.cancel('enough');
    expect(last(await turn)).toEqual({ type: 'cancelled', reason: 'enough' });
    expect(isAlive(pid)).toBe(false);
  });
});
