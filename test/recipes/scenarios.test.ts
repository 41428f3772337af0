import { describe, expect, test } from 'vitest';
import type { HookRecord } from '../../src/core/run/telemetry.ts';
import { kinds, last, shown } from '../support/chat.ts';
import { inParallel, inSequence, print } from '../support/session.ts';
import { ranFor, recipe, statuses, switchedOn, toolResults, type RecipeSession } from './recipe.ts';

const write = { file_path: 'a.txt', content: 'x' };
const written = 'Successfully created and wrote to new file: a.txt.';
const specific = (hookSpecificOutput: object): string => print({ hookSpecificOutput });

/** Returns what the session's log says about each hook that runs from now on. */
function logOf({ config }: RecipeSession): HookRecord[] {
  const records: HookRecord[] = [];
  config.getHookSystem()!.on('hook:result', (record) => records.push(record));
  return records;
}

const writing = [{ calls: [{ name: 'write_file', args: write }] }, { text: 'Done.' }];

describe('a tool call', () => {
  test.each([
    ['I1, JSON block', print({ decision: 'block', reason: 'No writes' }), 'No writes'],
    ['I2, stderr and exit 2', 'echo "No writes" >&2; exit 2', 'No writes'],
    ['I3, exit 2 without a word', 'exit 2', 'Blocked by hook'],
  ])(
    '%s: the file is not written, and the model reads why (HOOK-016a, 067b)',
    async (_, hook, reason) => {
      const { call, has } = recipe(switchedOn({ BeforeTool: inParallel(hook) }));
      const { status, modelReads, events } = await call('write_file', write);
      expect([status, modelReads, has('a.txt')]).toEqual(['blocked', reason, false]);
      expect(last(events)).toMatchObject({ type: 'finalAnswer', text: 'Done.' });
    },
  );

  test('I2, the log has exit code 2, success false and decision deny (HOOK-070, DELTA-HTEL-001)', async () => {
    const { session } = recipe(
      switchedOn({ BeforeTool: inParallel('echo "No writes" >&2; exit 2') }),
    );
    const one = session(writing);
    const records = logOf(one);
    await one.run();
    expect(records).toMatchObject([
      { event: 'BeforeTool', exitCode: 2, success: false, decision: 'deny', stderr: 'No writes\n' },
    ]);
    // A policy that did its work is not a failure (C-101).
    expect(one.warnings).toEqual([]);
  });

  test('I4, after an allow the file is written (HOOK-015)', async () => {
    const { call, read } = recipe(
      switchedOn({ BeforeTool: inParallel(print({ decision: 'allow', reason: 'Fine' })) }),
    );
    const { modelReads } = await call('write_file', write);
    expect([modelReads, read('a.txt')]).toEqual([written, 'x']);
  });

  test('I5, additionalContext of AfterTool reaches the model (HOOK-027)', async () => {
    const { call } = recipe(
      switchedOn({
        AfterTool: inParallel(specific({ additionalContext: 'The file is watched.' })),
      }),
    );
    const { modelReads, requests } = await call('write_file', write);
    expect(modelReads).toBe(`${written}\n\nThe file is watched.`);
    expect(JSON.stringify(requests[1])).toContain('The file is watched.');
  });

  test('I12, sequential hooks run one after another in their order (HOOK-103)', async () => {
    const { call, read } = recipe(
      switchedOn({
        BeforeTool: inSequence('sleep 0.2; echo 1 >>order', 'echo 2 >>order', 'echo 3 >>order'),
      }),
    );
    await call('write_file', write);
    expect(read('order')).toBe('1\n2\n3\n');
  });

  test('I13, a hook’s input has all base fields (HOOK-161, 215, 000 s4.1)', async () => {
    const { call, read, project } = recipe(switchedOn({ BeforeTool: inParallel('cat >in.json') }));
    const { config } = await call('write_file', write);
    expect(JSON.parse(read('in.json'))).toEqual({
      session_id: config.getSessionId(),
      transcript_path: '',
      cwd: project,
      hook_event_name: 'BeforeTool',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      tool_name: 'write_file',
      tool_input: write,
    });
  });

  test('I14, text before JSON makes all of it a message, so the deny is ignored and the tool runs (HOOK-201)', async () => {
    const deny = JSON.stringify({ decision: 'deny', reason: 'No' });
    const { call, has } = recipe(
      switchedOn({ BeforeTool: inParallel(`echo "Checking..."; echo '${deny}'`) }),
    );
    const { status, modelReads, warnings } = await call('write_file', write);
    expect([status, has('a.txt')]).toEqual(['done', true]);
    expect(modelReads).toBe(`${written}\n\n[System] Checking...\n${deny}`);
    // It is reported to the author, because this was hardly intended.
    expect(warnings.join('\n')).toContain('not one JSON object');
  });

  test('I16, a hook that fails does not affect the hook beside it (HOOK-112, C-27)', async () => {
    const { call } = recipe(
      switchedOn({
        AfterTool: inParallel(
          `${specific({ additionalContext: 'Lost' })}; exit 1`,
          specific({ additionalContext: 'Kept' }),
        ),
      }),
    );
    const { modelReads } = await call('write_file', write);
    expect(modelReads).toBe(`${written}\n\nKept`);
  });

  test('I17, each hook has one record in the log (DELTA-HTEL-001)', async () => {
    const { session } = recipe(
      switchedOn({
        BeforeTool: inParallel('true', 'exit 1'),
        AfterTool: inParallel('echo text', 'sh -c "kill -9 $$"'),
      }),
    );
    const one = session(writing);
    const records = logOf(one);
    await one.run();
    // Each is reported as it ends, so their order varies.
    const lines = records.map(({ event, command, success }) => `${event}: ${command}: ${success}`);
    expect(lines.toSorted()).toEqual([
      'AfterTool: echo text: true',
      'AfterTool: sh -c "kill -9 $$": false',
      'BeforeTool: exit 1: false',
      'BeforeTool: true: true',
    ]);
  });

  test('I19, a hook disabled by its command stays off for several calls, until it is enabled (C-04, G-09)', async () => {
    const { session } = recipe(switchedOn({ BeforeTool: inParallel('echo No >&2; exit 2') }));
    const one = session([...writing, ...writing, ...writing]);
    const system = one.config.getHookSystem()!;
    await system.initialize();
    system.setHookEnabled('echo No >&2; exit 2', false);
    expect([statuses(await one.run()), statuses(await one.run())]).toEqual([['done'], ['done']]);
    system.setHookEnabled('echo No >&2; exit 2', true);
    expect(statuses(await one.run())).toEqual(['blocked']);
  });

  test('I20, changed arguments are what is run, and the log keeps what was asked for (HOOK-018, 217)', async () => {
    const { call, has, read } = recipe(
      switchedOn({
        BeforeTool: inParallel(specific({ tool_input: { file_path: 'b.txt', content: 'y' } })),
      }),
    );
    const { events, chat } = await call('write_file', write);
    expect([has('a.txt'), read('b.txt')]).toEqual([false, 'y']);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'toolCall', name: 'write_file', input: write }),
    );
    expect(JSON.stringify(chat.history[1])).toContain('a.txt');
  });

  test('I21, continue: false with only a reason keeps the tool from running and ends the turn with that reason (HOOK-020, C-39)', async () => {
    const { call, has } = recipe(
      switchedOn({ BeforeTool: inParallel(print({ continue: false, reason: 'Emergency stop' })) }),
    );
    const { events, status, requests } = await call('write_file', write);
    expect([status, has('a.txt')]).toEqual(['stopped', false]);
    expect(last(events)).toEqual({ type: 'stop', by: 'hook', reason: 'Emergency stop' });
    expect(requests.length).toBe(1);
  });
});

describe('a model call', () => {
  test('I6, BeforeModel replaces the messages (HOOK-038)', async () => {
    const messages = [{ role: 'user', content: 'Say the opposite' }];
    const { session } = recipe(
      switchedOn({ BeforeModel: inParallel(specific({ llm_request: { messages } })) }),
    );
    const { run, requests, chat } = session([{ text: 'No.', expect: 'Say the opposite' }]);
    expect(shown(await run('Say it'))).toBe('No.');
    expect(requests[0]?.contents.length).toBe(1);
    expect(chat.history[0]?.parts).toEqual([{ text: 'Say it' }]);
  });

  test.each(['deny', 'block'])(
    'I7, %s: the model is not called, and the user reads why (HOOK-037, C-81)',
    async (decision) => {
      const { session } = recipe(
        switchedOn({ BeforeModel: inParallel(print({ decision, reason: 'Model is off' })) }),
      );
      const { run, requests } = session([]);
      const events = await run();
      expect(requests).toEqual([]);
      expect(events).toContainEqual({ type: 'modelBlocked', reason: 'Model is off' });
      expect(last(events)).toMatchObject({ type: 'finalAnswer', text: '' });
    },
  );

  test('I8, AfterModel replaces the text (HOOK-046)', async () => {
    const llm_response = {
      candidates: [{ content: { role: 'model', parts: ['[FILTERED]'] }, finishReason: 'STOP' }],
    };
    const { session } = recipe(switchedOn({ AfterModel: inParallel(specific({ llm_response })) }));
    const { run, chat } = session([{ text: 'Something rude.' }]);
    expect(shown(await run())).toBe('[FILTERED]');
    expect(chat.history[1]).toEqual({ role: 'model', parts: [{ text: '[FILTERED]' }] });
  });

  test('I9, with ANY [read_file] the shell is never run (HOOK-055, 057, C-88)', async () => {
    const toolConfig = { mode: 'ANY', allowedFunctionNames: ['read_file'] };
    const { session, has } = recipe(
      switchedOn({ BeforeToolSelection: inParallel(specific({ toolConfig })) }),
    );
    const { run, requests, chat } = session([
      { calls: [{ name: 'run_shell_command', args: { command: 'touch ran' } }] },
      { text: 'Not then.' },
    ]);
    expect(statuses(await run())).toEqual(['refused']);
    expect(has('ran')).toBe(false);
    expect(toolResults(chat.history)[0]).toContain('(read_file)');
    expect(requests[0]?.config?.toolConfig).toEqual({ functionCallingConfig: toolConfig });
  });
});

describe('the session', () => {
  const lifecycle = '.llxprt/hooks/lifecycle.sh';

  test('I10, context of BeforeAgent reaches the model with the prompt (C-05)', async () => {
    const { session } = recipe(
      switchedOn({
        BeforeAgent: inParallel(specific({ additionalContext: 'Answer in one word.' })),
      }),
    );
    const { run, requests } = session([{ text: 'Yes.' }]);
    await run('Is it?');
    expect(JSON.stringify(requests[0]?.contents)).toContain('Is it?\\n\\nAnswer in one word.');
  });

  test('I11, a question for permission sends a notification first, and no hook can answer the question (C-20, C-70)', async () => {
    const { session, read, has } = recipe(
      switchedOn({
        Notification: [
          {
            matcher: 'ToolPermission',
            hooks: [{ type: 'command', command: 'cat >asked.json; exit 2' }],
          },
          { matcher: 'Tool', hooks: [{ type: 'command', command: 'touch never' }] },
        ],
      }),
    );
    const { run } = session(writing, { confirm: () => has('asked.json') });
    expect(statuses(await run())).toEqual(['done']);
    expect(JSON.parse(read('asked.json'))).toMatchObject({
      hook_event_name: 'Notification',
      notification_type: 'ToolPermission',
      message: expect.stringContaining('write_file'),
      details: { tool_name: 'write_file' },
    });
    expect(has('never')).toBe(false);
  });

  test('I15, hooks of several events run in one turn, each at its time', async () => {
    const { call } = recipe(
      switchedOn(
        Object.fromEntries(
          [
            'AfterAgent',
            'AfterModel',
            'AfterTool',
            'BeforeAgent',
            'BeforeModel',
            'BeforeTool',
            'BeforeToolSelection',
          ].map((event) => [event, inParallel('true')]),
        ),
      ),
    );
    const { events } = await call('write_file', write);
    expect(kinds(events)).toEqual([
      'BeforeAgent',
      'BeforeToolSelection',
      'BeforeModel',
      'AfterModel',
      'toolCall',
      'BeforeTool',
      'AfterTool',
      'toolResult',
      'BeforeToolSelection',
      'BeforeModel',
      'AfterModel',
      'text',
      'AfterAgent',
      'finalAnswer',
    ]);
  });

  test('I18, lifecycle hooks run at startup, clear and exit, and at the compression between them (C-05, C-20)', async () => {
    const { session, read } = recipe(
      switchedOn({
        SessionStart: inParallel(lifecycle),
        SessionEnd: inParallel(lifecycle),
        PreCompress: [{ matcher: 'auto', hooks: [{ type: 'command', command: lifecycle }] }],
      }),
    );
    const usage = { totalTokenCount: 2_000 };
    const { run, chat } = session(
      [{ text: 'One.' }, { text: 'Two.', usage }, { text: 'A summary.' }, { text: 'Three.' }],
      { compressAt: 1_000 },
    );
    await run();
    await chat.clear();
    await run();
    await run();
    await chat.end('exit');
    expect(read('.llxprt/lifecycle.log').trim().split('\n')).toEqual([
      'SessionStart startup',
      'SessionEnd clear',
      'SessionStart clear',
      'PreCompress auto',
      'SessionStart compress',
      'SessionEnd exit',
    ]);
  });

  test('I18, a compressed session ends like any other, and a session that has ended begins anew', async () => {
    const { session, read } = recipe(
      switchedOn({ SessionStart: inParallel(lifecycle), SessionEnd: inParallel(lifecycle) }),
    );
    const { run, chat } = session([{ text: 'One.' }, { text: 'A summary.' }, { text: 'Two.' }]);
    await run();
    await chat.compress();
    await chat.end('logout');
    await chat.end('exit');
    await run();
    expect(read('.llxprt/lifecycle.log').trim().split('\n')).toEqual([
      'SessionStart startup',
      'SessionEnd logout',
      'SessionStart resume',
    ]);
  });

  test('I19, a hook that is disabled in the settings is silent at every event', async () => {
    const hook = { type: 'command', name: 'noisy', command: 'echo noise' };
    const { call } = recipe(
      switchedOn(
        { BeforeTool: [{ hooks: [hook] }], AfterTool: [{ hooks: [hook] }] },
        { hooksConfig: { disabled: ['noisy'] } },
      ),
    );
    const { modelReads, events } = await call('write_file', write);
    expect(modelReads).toBe(written);
    expect(ranFor(events, 'AfterTool')).toEqual([]);
  });
});
