import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { kinds, last, startChat } from '../../support/chat.ts';
import { group, inParallel, print } from '../../support/session.ts';
import { saying, wanting } from '../../support/some-model.ts';
import { someTool } from '../../support/some-tool.ts';

test('hook decisions are reported as they are made, before the text of the model (HOOK-134)', async () => {
  const { run } = await startChat(
    [saying('Well. ', wanting('write', { path: 'a' }, '1')), 'Done now.'],
    {
      hooks: {
        BeforeToolSelection: inParallel('true'),
        BeforeModel: inParallel('true'),
        BeforeTool: inParallel('exit 1'),
        AfterTool: inParallel('true'),
      },
      tools: [someTool('write')],
    },
  );
  const events = await run();
  expect(kinds(events)).toEqual([
    'BeforeToolSelection',
    'BeforeModel',
    'text',
    'toolCall',
    'BeforeTool',
    'AfterTool',
    'toolResult',
    'BeforeToolSelection',
    'BeforeModel',
    'text',
    'text',
    'finalAnswer',
  ]);
  expect(events.find(({ type }) => type === 'hookDecision')).toEqual({
    type: 'hookDecision',
    event: 'BeforeToolSelection',
    blocked: false,
    stop: false,
    hooks: [{ name: 'true', status: 'ok', exitCode: 0, durationMs: expect.any(Number) }],
  });
  expect(events.filter((event) => 'toolCallId' in event)).toMatchObject([
    { event: 'BeforeTool', toolCallId: '1', hooks: [{ status: 'failed', exitCode: 1 }] },
    { event: 'AfterTool', toolCallId: '1' },
  ]);
});

describe('a model call with hooks', () => {
  test('a model call that a hook blocks has no answer, and the user is told why (HOOK-037, C-81)', async () => {
    const { run, chat, model } = await startChat(['Hello'], {
      hooks: { BeforeModel: inParallel('echo "Over budget." >&2; exit 2') },
    });
    const events = await run();
    expect(kinds(events)).toEqual(['BeforeModel', 'modelBlocked', 'finalAnswer']);
    expect(events[0]).toMatchObject({ blocked: true, stop: false, reason: 'Over budget.' });
    expect(events[1]).toEqual({ type: 'modelBlocked', reason: 'Over budget.' });
    expect(last(events)).toEqual({ type: 'finalAnswer', text: '', steps: 1 });
    expect(model.requests).toEqual([]);
    expect(chat.history.length).toBe(1);
  });

  test('an answer that a hook gives is treated as the model’s own (HOOK-036, recipe 11)', async () => {
    const { run, chat, model } = await startChat(['Hello'], {
      hooks: {
        BeforeModel: inParallel(
          print({
            decision: 'block',
            reason: 'over the limit',
            hookSpecificOutput: {
              llm_response: {
                candidates: [{ content: { role: 'model', parts: ['Cost limit reached.'] } }],
              },
            },
          }),
        ),
      },
    });
    const events = await run();
    expect(kinds(events)).toEqual(['BeforeModel', 'text', 'finalAnswer']);
    expect(last(events)).toMatchObject({ text: 'Cost limit reached.' });
    expect(model.requests).toEqual([]);
    expect(chat.history[1]).toEqual({ role: 'model', parts: [{ text: 'Cost limit reached.' }] });
  });

  test.each(['BeforeToolSelection', 'BeforeModel', 'BeforeTool', 'AfterTool'] as const)(
    'a stop by a %s hook ends the turn with its reason (HOOK-020, 028, 040, 058)',
    async (event) => {
      const { run, model } = await startChat(
        [saying(wanting('write', { path: 'a' })), 'Never said'],
        {
          hooks: { [event]: inParallel(print({ continue: false, stopReason: 'Enough.' })) },
          tools: [someTool('write')],
        },
      );
      const events = await run();
      expect(last(events)).toEqual({ type: 'stop', by: 'hook', reason: 'Enough.' });
      expect(model.requests.length).toBe(event.endsWith('Tool') ? 1 : 0);
    },
  );

  test('a stop after the model call ends the turn: its tools do not run, and the model is told later (HOOK-048, C-82)', async () => {
    const write = someTool('write');
    const keep = `jq -c '{continue: false, stopReason: "Enough.", hookSpecificOutput: {llm_response: .llm_response}}'`;
    const { run, chat } = await startChat([saying('Well.', wanting('write', { path: 'a' }, '1'))], {
      hooks: { AfterModel: inParallel(keep) },
      tools: [write],
    });
    const events = await run();
    expect(last(events)).toEqual({ type: 'stop', by: 'hook', reason: 'Enough.' });
    expect(write.runs).toEqual([]);
    // Providers refuse a history with a call that has no result.
    expect(chat.history.at(-1)?.parts?.[0]?.functionResponse).toMatchObject({
      id: '1',
      response: { error: expect.stringContaining('not run') },
    });
  });

  test('a hook that blocks and stops has both reported (G-20)', async () => {
    const both = print({
      decision: 'block',
      reason: 'No.',
      continue: false,
      stopReason: 'Enough.',
    });
    const { run } = await startChat(['Hello'], { hooks: { BeforeModel: inParallel(both) } });
    expect((await run()).slice(1)).toEqual([
      { type: 'modelBlocked', reason: 'No.' },
      { type: 'stop', by: 'hook', reason: 'Enough.' },
    ]);
  });

  test('a hook that answers and stops has its answer delivered first (C-80, G-20)', async () => {
    const both = { decision: 'block', continue: false, stopReason: 'Enough.' };
    const hook = print({ ...both, hookSpecificOutput: { llm_response: { text: 'Bye.' } } });
    const { run } = await startChat(['Hello'], { hooks: { BeforeModel: inParallel(hook) } });
    expect((await run()).slice(1)).toEqual([
      { type: 'text', text: 'Bye.' },
      { type: 'stop', by: 'hook', reason: 'Enough.' },
    ]);
  });
});

const logging = (name: string) => inParallel(`echo ${name} >>log.txt`);

const groupOf = (matcher: string, ...names: string[]) =>
  group(
    names.map((name) => `echo ${name} >>log.txt`),
    { matcher },
  );

test('each tool gets the hooks of the groups that match it (U2)', async () => {
  const { run, folder } = await startChat(
    [
      saying(wanting('write_file', { path: 'a' }), wanting('run_shell_command', { path: 'b' })),
      'Done.',
    ],
    {
      hooks: {
        BeforeTool: [
          groupOf('write_file|replace', 'secrets', 'protect'),
          groupOf('run_shell_command', 'dangerous'),
          groupOf('write_file|replace|run_shell_command', 'checkpoint'),
        ],
      },
      tools: [someTool('write_file'), someTool('run_shell_command')],
      toolLimit: 1,
    },
  );
  await run();
  const log = readFileSync(join(folder, 'log.txt'), 'utf8').trim().split('\n');
  expect(log.slice(0, 3).toSorted()).toEqual(['checkpoint', 'protect', 'secrets']);
  expect(log.slice(3).toSorted()).toEqual(['checkpoint', 'dangerous']);
});

test('hooks on several events of one run fire at their own events (I15)', async () => {
  const { run, folder } = await startChat([saying(wanting('write', { path: 'a' })), 'Done.'], {
    hooks: {
      BeforeToolSelection: logging('BeforeToolSelection'),
      BeforeModel: logging('BeforeModel'),
      AfterModel: logging('AfterModel'),
      BeforeTool: logging('BeforeTool'),
      AfterTool: logging('AfterTool'),
    },
    tools: [someTool('write')],
  });
  await run();
  const around = ['BeforeToolSelection', 'BeforeModel', 'AfterModel'];
  expect(readFileSync(join(folder, 'log.txt'), 'utf8').trim().split('\n')).toEqual([
    ...around,
    'BeforeTool',
    'AfterTool',
    ...around,
  ]);
});
