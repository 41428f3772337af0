import { writeFileSync, appendFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { printable } from '../../src/base/visible.ts';
import { painted, wantsColours } from '../../src/cli/parts/paint.ts';
import type { HookStats } from '../../src/watch/journal/hook-stats.ts';
import { startRecording } from '../../src/watch/journal/start-recording.ts';
import { callTool } from '../support/call-tool.ts';
import { inProcess } from '../support/in-process.ts';
import { commandInProcess } from '../support/project.ts';
import { sandbox } from '../support/sandbox.ts';
import { inParallel, inSequence, print, startSession, someFields } from '../support/session.ts';
import { startChat } from '../support/chat.ts';
import { saying, wanting } from '../support/some-model.ts';
import { someTool } from '../support/some-tool.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { main } from '../support/main.ts';

type Hooks = Parameters<typeof callTool>[0];

const rewrite = (command: string) => print({ hookSpecificOutput: { tool_input: { command } } });

/** Records one call with these hooks. */
async function recordCall(
  hooks: Hooks,
  { payloads, ...options }: Parameters<typeof callTool>[1] & { readonly payloads?: true } = {},
) {
  const file = join(tempFolder(), 'r.jsonl');
  await recordCallInto(file, hooks, { payloads, ...options });
  return file;
}

async function recordCallInto(
  file: string,
  hooks: Hooks,
  {
    payloads,
    ...options
  }: Parameters<typeof callTool>[1] & { readonly payloads?: true | undefined } = {},
) {
  const recording = startRecording(file, { payloads: payloads === true });
  await callTool(hooks, {
    ...options,
    config: { inspect: recording.observe, sessionId: 'session-1', ...options.config },
  });
  recording.close();
}

/** What explain says about a recording, with times and durations made equal. */
async function explained(file: string, ...args: string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await commandInProcess(['explain', file, ...args]);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return stdout
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\b\d+ ms(?=\)|$)/gm, 'N ms');
}

describe('explain', () => {
  test('explain says which hook did what, in order, and why the call was blocked', async () => {
    const file = await recordCall({
      BeforeTool: inSequence(
        { name: 'rewrite', command: rewrite('ls') },
        { name: 'slow', command: 'sleep 30', timeout: 50 },
        { name: 'broken', command: 'echo oops >&2; exit 1' },
        { name: 'guard', command: 'echo "not here" >&2; exit 2' },
        { name: 'late', command: 'true' },
      ),
    });
    expect(await explained(file, 'call-1')).toBe(
      `
#1 tool call call-1, session session-1, TIME, N ms
write_file was blocked by hook "guard" (project): not here

BeforeTool: 5 hooks, one after another, N ms
  1. hook "rewrite" (project) set tool_input.command (exit 0, N ms)
  2. hook "slow" (project) timed out after 50 ms and was ignored (SIGTERM, N ms)
  3. hook "broken" (project) failed and was ignored (exit 1, N ms)
  4. hook "guard" (project) denied it: not here (exit 2, N ms)
  5. hook "late" (project) was not run: the others had ended it
  together: blocked by hook "guard" (project)

Arguments, texts, and what hooks read and wrote were not recorded: --record-payloads records them.`.trimStart(),
    );
  });

  test('explain says that a hook which timed out denied', async () => {
    const slow = { name: 'slow', command: 'sleep 30', timeout: 50, onFailure: 'block' as const };
    const file = await recordCall({ BeforeTool: inParallel(slow) });
    expect(await explained(file, 'call-1')).toContain(
      '1. hook "slow" (project) timed out after 50 ms and denied it (SIGTERM, N ms)',
    );
  });

  test('explain shows arguments, what hooks read, wrote and set, and the result, if these were recorded', async () => {
    const said = {
      systemMessage: 'Be kind.',
      hookSpecificOutput: { tool_input: { mode: 'a\nb' } },
    };
    const file = await recordCall(
      {
        BeforeTool: inParallel({ name: 'rewrite', command: `${print(said)}; echo hm >&2` }),
      },
      { payloads: true, input: { file_path: 'a.txt', content: 'one\n#9 all is well\n' } },
    );
    const text = await explained(file, '1');
    expect(text.replaceAll(/(?:cwd|timestamp|transcript_path):.*/g, 'BASE')).toBe(
      `
#1 tool call call-1, session session-1, TIME, N ms
write_file completed.

arguments:
  | file_path: a.txt
  | content:
  |   one
  |   #9 all is well

BeforeTool: 1 hook, N ms
  1. hook "rewrite" (project) set systemMessage, tool_input.mode (exit 0, N ms)
     stdin:
       | session_id: session-1
       | BASE
       | BASE
       | hook_event_name: BeforeTool
       | BASE
       | tool_name: write_file
       | tool_input: {"file_path":"a.txt","content":"one\\n#9 all is well\\n"}
     stdout:
       | {"systemMessage":"Be kind.","hookSpecificOutput":{"tool_input":{"mode":"a\\nb"}}}
     stderr:
       | hm
     systemMessage:
       | Be kind.
     tool_input.mode:
       | a
       | b
  together: it may continue

result:
  | llmContent: written
  | returnDisplay: Written.`.trimStart(),
    );
    const [call] = JSON.parse(await explained(file, '1', '--json'));
    expect(call).toMatchObject({
      payloads: true,
      given: { file_path: 'a.txt' },
      result: { llmContent: 'written' },
      events: [
        {
          hooks: [{ stdin: { tool_name: 'write_file' }, answer: { payload: { stderr: 'hm\n' } } }],
        },
      ],
    });
  });

  test('explain shows the beginning of a long text, and how much more there is', async () => {
    const content = `${'x'.repeat(400)}\n${'line\n'.repeat(30)}`;
    const file = await recordCall({}, { payloads: true, input: { content } });
    const text = await explained(file, '1');
    expect(text).toContain(`  |   ${'x'.repeat(298)}… (102 more characters)\n  |   line\n`);
    expect(text).toContain('\n  … 12 more lines: --json shows all of it\n');
    const one = await recordCall({}, { payloads: true, input: { content: 'line\n'.repeat(20) } });
    expect(await explained(one, '1')).toContain('\n  … 1 more line: --json shows all of it\n');
  });

  test('explain shows the prompt of a turn, and what a model was asked and answered', async () => {
    const file = join(tempFolder(), 'r.jsonl');
    const recording = startRecording(file, { payloads: true });
    const { run } = await startChat(
      [saying('Let me\nlook.', wanting('write', { path: 'a' }, 'w-1')), 'Ok.'],
      {
        tools: [someTool('write')],
        hooks: { BeforeAgent: inParallel('true') },
        config: { inspect: recording.observe },
      },
    );
    await run();
    recording.close();
    expect(await explained(file, '1')).toMatch(/BeforeAgent: 1 hook, N ms\n {2}prompt:\n {4}\| \S/);
    const asked = await explained(file, '2');
    expect(asked).toMatch(/^asked:\n {2}\| \S/m);
    expect(asked).toContain('answered:\n  | Let me\n  | look.\n  | calls write {"path":"a"}');
    expect(await explained(file, '4')).toMatch(/^asked:\n {2}\| result of write: \{/m);
  });

  test('explain --stats counts what each hook did, how long it took, and how much it added to its events', async () => {
    const file = await recordCall({
      BeforeTool: inParallel(
        { name: 'guard', command: 'echo no >&2; exit 2' },
        { name: 'slow', command: 'sleep 0.5' },
        { name: 'broken', command: 'exit 1' },
        { name: 'overdue', command: 'sleep 30', timeout: 50 },
      ),
    });
    await recordCallInto(file, {
      BeforeTool: inParallel({ name: 'guard', command: 'echo no >&2; exit 2' }),
    });
    const stats: HookStats[] = JSON.parse(await explained(file, '--stats', '--json'));
    const byName = new Map(stats.map((each) => [each.name, each]));
    const added = stats.map(({ addedMs }) => addedMs);
    expect(added).toEqual(added.toSorted((one, other) => other - one));
    expect(byName.get('slow')!.p50).toBeGreaterThanOrEqual(500);
    expect(byName.get('guard')).toMatchObject({
      event: 'BeforeTool',
      source: 'project',
      dialect: 'llxprt',
      runs: 2,
      denials: 2,
      failures: 0,
    });
    expect(byName.get('broken')).toMatchObject({
      runs: 1,
      denials: 0,
      failures: 1,
      timeouts: 0,
      addedMs: 0,
    });
    expect(byName.get('overdue')).toMatchObject({ runs: 1, failures: 1, timeouts: 1 });
    const { p50, p95, addedMs } = byName.get('guard')!;
    expect(p95).toBeGreaterThanOrEqual(p50);
    // It added nothing to the first call, where others ran beside it for longer.
    expect([p50, p95]).toContain(addedMs);
    const [head, ...rows] = (await explained(file, '--stats')).split('\n');
    expect(head).toMatch(/^runs +denied +failed +p50 +p95 +added +hook$/);
    expect(rows).toContainEqual(
      expect.stringMatching(
        /^ {3}2 +2 +0 +\d+ ms +\d+ ms +\d+ ms +BeforeTool "guard" \(project, llxprt\)$/,
      ),
    );
    expect(rows.at(-1)).toMatch(
      /^2 events with hooks took \d+ ms; \d+ ms of it were hookmachine's own$/,
    );
  });

  test('explain --stats counts all calls, so it refuses the name of one', async () => {
    const { stderr, exitCode } = await commandInProcess([
      'explain',
      await recordCall({}),
      '1',
      '--stats',
    ]);
    expect({ stderr, exitCode }).toEqual({
      stderr: 'hookmachine: --stats counts all calls of the recording: do not name a call as well',
      exitCode: 1,
    });
  });

  test('explain says whose value was overruled, and what went through', async () => {
    const file = await recordCall({
      BeforeTool: inParallel(
        { name: 'a', command: rewrite('one') },
        { name: 'b', command: rewrite('two') },
        { name: 'c', command: 'true' },
      ),
    });
    const text = await explained(file, '#1');
    expect(text).toContain('write_file completed.');
    expect(text).toContain('BeforeTool: 3 hooks, in parallel');
    expect(text).toContain('hook "a" (project) set tool_input.command (overruled by "b")');
    expect(text).toContain('"a" and "b" set tool_input.command differently; "b" won');
    expect(text).toContain('3. hook "c" (project) let it pass');
    expect(text).toContain('together: it may continue');
  });

  test('explain says which hook stopped the agent after the tool', async () => {
    const stop = print({ continue: false, stopReason: 'enough' });
    const file = await recordCall({ AfterTool: inParallel({ name: 'stopper', command: stop }) });
    const text = await explained(file, '1');
    expect(text).toContain(
      'write_file ended because hook "stopper" (project) stopped the agent: enough',
    );
    expect(text).toContain('1. hook "stopper" (project) stopped the agent: enough');
  });

  test('explain gives a denial and a stop in one event each their own hook and reason', async () => {
    const file = await recordCall({
      BeforeTool: inParallel(
        { name: 'guard', command: 'echo "not here" >&2; exit 2' },
        { name: 'budget', command: print({ continue: false, stopReason: 'spent' }) },
        {
          name: 'both',
          command: print({ decision: 'deny', reason: 'no', continue: false, stopReason: 'late' }),
        },
        { name: 'last', command: print({ continue: false, stopReason: 'enough' }) },
      ),
    });
    const text = await explained(file, '1');
    expect(text).toContain(
      'write_file was blocked by hook "guard" (project): not here; by hook "both" (project): no\n',
    );
    expect(text).toContain('3. hook "both" (project) denied it: no and stopped the agent: late');
    expect(text).toContain(
      'together: blocked by hook "guard" (project) and hook "both" (project), and stopped by hook "last" (project)',
    );
    const [{ events }] = JSON.parse(await explained(file, '1', '--json'));
    expect(events[0].verdict).toMatchObject({
      by: 'both',
      stopBy: 'last',
      stopReason: 'spent\nlate\nenough',
    });
  });

  test('explain says of a call that was denied and stopped after the tool that it was stopped, and by which hook', async () => {
    const file = await recordCall({
      AfterTool: inParallel(
        { name: 'budget', command: print({ continue: false, stopReason: 'spent' }) },
        { name: 'guard', command: 'echo "not here" >&2; exit 2' },
      ),
    });
    expect(await explained(file, '1')).toContain(
      'write_file ended because hook "budget" (project) stopped the agent: spent\n',
    );
  });

  test('explain does not give what an allowing hook says as the reason for a denial', async () => {
    const file = await recordCall({
      BeforeTool: inParallel(
        { name: 'fine', command: print({ decision: 'allow', reason: 'all is well' }) },
        { name: 'guard', command: 'echo "not here" >&2; exit 2' },
      ),
    });
    expect(await explained(file, '1')).toContain(
      'write_file was blocked by hook "guard" (project): not here\n',
    );
  });

  test('explain says that a denial after the call came too late, and that "ask" let it pass (HOOK-182)', async () => {
    const file = await recordCall({
      BeforeTool: inParallel({
        name: 'asker',
        command: print({ decision: 'ask', reason: 'sure?' }),
      }),
      AfterTool: inParallel({ name: 'guard', command: 'echo "too long" >&2; exit 2' }),
    });
    const text = await explained(file, '1');
    expect(text).toContain(
      'write_file completed. The denial by hook "guard" (project) came too late and was reported to the model: too long\n',
    );
    expect(text).toContain('hook "asker" (project) asked, which counts as letting it pass: sure?');
  });

  test('explain distinguishes hooks that share a name by what they said', async () => {
    const config = {
      settings: {
        tools: { enableHooks: true },
        hooks: {
          BeforeTool: inParallel(
            { name: 'fmt', command: rewrite('one') },
            { name: 'fmt', command: rewrite('two') },
            { name: 'fmt', command: 'true' },
          ),
        },
      },
    };
    const text = await explained(await recordCall({}, { config }), '1');
    expect(text).toContain(
      '1. hook "fmt" (project) set tool_input.command (overruled by 2. "fmt")',
    );
    expect(text).toMatch(/2\. hook "fmt" \(project\) set tool_input\.command \(exit 0/);
  });

  test('explain names the source of the hook that denied, not of another one with its name', async () => {
    const denying = {
      BeforeTool: inParallel({ name: 'guard', command: 'echo "not here" >&2; exit 2' }),
    };
    const config = { extensions: [{ name: 'ours', isActive: true, hooks: denying }] };
    const passing = { BeforeTool: inParallel({ name: 'guard', command: 'true' }) };
    const file = await recordCall(passing, { config });
    expect(await explained(file, '1')).toContain(
      'write_file was blocked by hook "guard" (extension): not here\n',
    );
  });

  test('explain does not say that other hooks ended a sequence that was cancelled', async () => {
    const abort = new AbortController();
    const file = join(tempFolder(), 'r.jsonl');
    const recording = startRecording(file);
    await callTool(
      { BeforeTool: inSequence({ name: 'slow', command: 'sleep 30' }, 'true') },
      {
        signal: abort.signal,
        config: {
          inspect: (event) => {
            recording.observe(event);
            if (event.type === '@xstate.event' && event.event.type === 'process.started')
              abort.abort('no more');
          },
        },
      },
    );
    expect(await explained(file, '1')).toMatch(/2\. hook "true" \(project\) was not run$/m);
  });

  test('explain names the call whose hook stopped a turn, and no hook of the turn itself', async () => {
    const file = join(tempFolder(), 'r.jsonl');
    const recording = startRecording(file);
    const { run } = await startChat(
      ['Done?', saying(wanting('write', { path: 'a' }, 'w-1')), 'Ok.'],
      {
        tools: [someTool('write')],
        hooks: {
          AfterAgent: inParallel({ name: 'again', command: 'echo "go on" >&2; exit 2' }),
          BeforeTool: inParallel({
            name: 'stopper',
            command: print({ continue: false, stopReason: 'enough' }),
          }),
        },
        config: { inspect: recording.observe },
      },
    );
    await run();
    recording.close();
    expect(await explained(file, '1')).toContain(
      'The turn ended with #4, write: one of its hooks stopped the agent: enough\n',
    );
  });

  test('explain names no hook for a turn that was stopped at its limit of model calls', async () => {
    const file = join(tempFolder(), 'r.jsonl');
    const recording = startRecording(file);
    const { run } = await startChat([saying(wanting('write', { path: 'a' }, 'w-1'))], {
      tools: [someTool('write')],
      maxSteps: 1,
      hooks: { BeforeAgent: inParallel('true') },
      config: { inspect: recording.observe },
    });
    await run();
    recording.close();
    expect(await explained(file, '1')).toContain(
      'The turn was stopped: The limit of 1 model call was reached.\n',
    );
  });

  test('explain reports calls that were refused before any of their hooks ran (HOOK-057)', async () => {
    const file = join(tempFolder(), 'r.jsonl');
    const recording = startRecording(file);
    const { run } = await startChat(
      [
        saying(wanting('write', { path: 'a' }, 'w-1'), wanting('read', { path: 'b' }, 'r-1')),
        'Ok.',
      ],
      {
        tools: [someTool('write'), someTool('read')],
        hooks: {
          BeforeToolSelection: inParallel(
            print({ hookSpecificOutput: { toolConfig: { allowedFunctionNames: ['read'] } } }),
          ),
        },
        confirm: ({ name }) => name !== 'read',
        config: { inspect: recording.observe },
      },
    );
    await run();
    recording.close();
    const text = await explained(file);
    expect(text).toContain('write was refused: hooks do not offer this tool');
    expect(text).toContain('read was refused: the user said no');
    expect(await explained(file, 'w-1')).toContain('No hook ran.');
  });

  test('explain says that a call was cancelled, and what its hooks were doing', async () => {
    const abort = new AbortController();
    const file = join(tempFolder(), 'r.jsonl');
    const recording = startRecording(file);
    await callTool(
      { BeforeTool: inParallel({ name: 'slow', command: 'sleep 30' }) },
      {
        signal: abort.signal,
        config: {
          inspect: (event) => {
            recording.observe(event);
            if (event.type === '@xstate.event' && event.event.type === 'process.started')
              abort.abort('no more');
          },
        },
      },
    );
    const text = await explained(file, '1');
    expect(text).toContain('write_file was cancelled\n');
    expect(text).toContain('1. hook "slow" (project) was cancelled');
  });

  test('explain says that no hook ran for a call without hooks', async () => {
    expect(await explained(await recordCall({}), '1')).toContain('No hook ran.');
  });

  test('without a call, explain lists all calls of a session, one per line, in order', async () => {
    const file = join(tempFolder(), 'r.jsonl');
    const recording = startRecording(file);
    const { run } = await startChat(
      [
        saying(wanting('write', { path: 'a' }, 'w-1'), wanting('write', { path: 'b' }, 'w-2')),
        'Ok.',
      ],
      {
        tools: [someTool('write')],
        hooks: {
          SessionStart: inParallel('true'),
          BeforeTool: inParallel({ name: 'guard', command: 'grep -q \'"b"\' && exit 2 || exit 0' }),
        },
        config: { inspect: recording.observe },
      },
    );
    await run();
    recording.close();
    const lines = (await explained(file)).split('\n');
    expect(
      lines.map((line) =>
        line.replaceAll(/[0-9a-f]{8}(-[0-9a-f-]+|-\d+)/g, 'ID').replace(/\d+ ms/, 'N ms'),
      ),
    ).toEqual([
      '#1 event ID (N ms): SessionStart went through.',
      '#2 turn ID (N ms): The turn completed.',
      '#3   model call ID (N ms): some-model completed.',
      '#4   tool call w-1 (N ms): write completed.',
      expect.stringMatching(
        /^#5 {3}tool call w-2 \(N ms\): write was blocked by hook "guard" \(project\)/,
      ),
      '#6   model call ID (N ms): some-model completed.',
    ]);
  });

  test('explain treats an event that was fired by itself as a call', async () => {
    const file = join(tempFolder(), 'r.jsonl');
    const recording = startRecording(file);
    const session = await startSession(
      { BeforeTool: inParallel({ name: 'guard', command: 'echo no >&2; exit 2' }) },
      { inspect: recording.observe },
    );
    await session.fire('BeforeTool', someFields.BeforeTool);
    const text = await explained(file, '1');
    expect(text).toContain('BeforeTool was blocked by hook "guard" (project): no');
    expect(text).toContain('1. hook "guard" (project) denied it: no (exit 2');
  });

  test('explain --json reports the same as data', async () => {
    const file = await recordCall({
      BeforeTool: inParallel({ name: 'guard', command: 'echo no >&2; exit 2' }),
    });
    expect(JSON.parse(await explained(file, 'call-1', '--json'))).toMatchObject([
      {
        index: 1,
        callId: 'call-1',
        status: 'blocked',
        reason: 'no',
        events: [
          {
            event: 'BeforeTool',
            mode: 'parallel',
            hooks: [{ name: 'guard', source: 'project', answer: { decision: 'deny' } }],
            verdict: { blocked: true, by: 'guard' },
          },
        ],
      },
    ]);
  });

  test('a call whose id is a number is found before the call at that position', async () => {
    const file = join(tempFolder(), 'r.jsonl');
    const recording = startRecording(file);
    const { run } = await startChat(
      [saying(wanting('write', { path: 'a' }, '9'), wanting('write', { path: 'b' }, '1')), 'Ok.'],
      { tools: [someTool('write')], config: { inspect: recording.observe } },
    );
    await run();
    recording.close();
    expect(await explained(file, '1')).toMatch(/^#4 tool call 1,/);
    expect(await explained(file, '3')).toMatch(/^#3 tool call 9,/);
  });

  test('text that strangers wrote cannot play tricks on the terminal, nor fake lines', async () => {
    const file = await recordCall({
      BeforeTool: inParallel({
        name: 'guard',
        command: String.raw`printf '\033[2J\xe2\x80\xaered\n#9 all is well' >&2; exit 2`,
      }),
    });
    const text = await explained(file, '1');
    expect(text).toContain(String.raw`\u{1b}[2J\u{202e}red | #9 all is well`);
    expect(text).not.toContain('\u001B');
    expect(text).not.toContain('\u202E');
  });

  test.each([
    ['none.jsonl', undefined, /there is no such file/],
    ['empty.jsonl', '', /this file is empty/],
    ['notes.txt', 'notes', /this is not a hookmachine recording/],
  ])('explain reports in one clear line what is wrong with %s', async (name, content, message) => {
    const file = join(tempFolder(), name);
    if (content !== undefined) writeFileSync(file, content);
    const { stdout, stderr, exitCode } = await commandInProcess(['explain', file]);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
    expect(stderr).toMatch(message);
    expect(stderr.split('\n')).toHaveLength(1);
  });

  test('explain reports a call that does not exist', async () => {
    const { stderr, exitCode } = await commandInProcess(['explain', await recordCall({}), 'nope']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/there is no call "nope"; without one, hookmachine explain lists them$/);
  });

  test('explain does not report every one of many broken lines', async () => {
    const file = await recordCall({});
    appendFileSync(file, 'broken\n'.repeat(1_000));
    const { stdout, stderr, exitCode } = await commandInProcess(['explain', file]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('write_file completed.');
    expect(stderr.split('\n')).toHaveLength(11);
    expect(stderr).toContain('990 more lines were skipped');
  });

  test('explain reads a large recording in little memory', async () => {
    const file = await recordCall({});
    const line = `${JSON.stringify({ kind: 'moved', at: 1, id: 'x', to: 'a', event: 'x'.repeat(50_000) })}\n`;
    for (let part = 0; part < 20; part++) appendFileSync(file, line.repeat(100));
    const { stdout } = await execa('node', ['--max-old-space-size=40', main, 'explain', file, '1']);
    expect(stdout).toContain('write_file completed.');
    truncateSync(file);
  });
});

/** A recording of a call that went through, one that was denied, and one of which a hook failed. */
async function recorded(): Promise<string> {
  const box = sandbox();
  const file = join(box.folder, 'r.jsonl');
  box.write(box.own.project, {
    hooks: {
      'tool.before': [
        {
          hooks: [
            {
              type: 'command',
              command: 'case $(cat) in *denied*) exit 2;; *broken*) exit 1;; esac',
            },
          ],
        },
      ],
    },
  });
  for (const name of ['fine', 'denied', 'broken']) {
    const fields = {
      tool_name: 'write_file',
      tool_input: { file_path: `${name}.txt`, content: '' },
    };
    const args = ['fire', 'tool.before', '--record', file, '--record-payloads'];
    await inProcess(box, args, JSON.stringify(fields));
  }
  return file;
}
const listed = async (file: string, ...more: readonly string[]): Promise<string[]> => {
  const { stdout } = await inProcess(sandbox(), ['explain', file, ...more]);
  return stdout.split('\n').map((line) => line.replace(/^(#\d+).*/, '$1'));
};

describe('the list of all calls', () => {
  test('can be of denied calls alone, or of those of which a hook failed', async () => {
    const file = await recorded();
    expect(await listed(file)).toEqual(['#1', '#2', '#3']);
    expect(await listed(file, '--denied')).toEqual(['#2']);
    expect(await listed(file, '--failed')).toEqual(['#3']);
    expect(await listed(file, '--denied', '--failed')).toEqual(['#2', '#3']);
    const { stderr } = await inProcess(sandbox(), ['explain', file, '1', '--denied']);
    expect(stderr).toContain('are for the list of all calls');
  });
});

test('what is seen on a terminal is coloured, and nothing in it can colour itself', () => {
  const text = printable('#1 x: a was blocked by \u001b[32mfine\nother\n');
  const colours = [[/was blocked/, 'red']] as const;
  expect(painted(text, colours, false)).toBe(text);
  expect(painted(text, colours, true)).toBe(
    '\u001b[31m#1 x: a was blocked by \\u{1b}[32mfine\u001b[39m\nother\n',
  );
  expect(wantsColours({ FORCE_COLOR: '1' })).toBe(true);
  expect(wantsColours({ FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false);
  expect(wantsColours({ FORCE_COLOR: '0' })).toBe(false);
});
