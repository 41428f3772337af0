import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { knownDialects } from '../../src/hosts/all/known.ts';
import { inProcess } from '../support/in-process.ts';
import { answering, hookOf, kodeletBox, type KodeletBox } from '../support/kodelet.ts';
import { inParallel } from '../support/session.ts';

/** Fires a Kodelet event as an agent that speaks Kodelet would. */
async function fire(
  box: KodeletBox,
  event: string,
  given: unknown,
  ...more: readonly string[]
): Promise<{ report: Record<string, unknown>; exitCode: number | undefined; stderr: string }> {
  const args = ['fire', event, '--dialect', 'kodelet', '--session-id', 'talk', ...more];
  const input = typeof given === 'string' ? given : JSON.stringify(given);
  const { stdout, stderr, exitCode } = await inProcess(box, args, input);
  return {
    report: (stdout === '' ? {} : JSON.parse(stdout)) as Record<string, unknown>,
    exitCode,
    stderr,
  };
}

const call = { tool_name: 'file_write', tool_input: { file_path: 'a', text: 'x' } };
const output = { toolName: 'file_write', success: true, metadata: { output: 'written' } };

describe('hookmachine fire --dialect kodelet', () => {
  test('turn_end reaches its hook with the recipe that the agent names', async () => {
    const box = kodeletBox();
    box.local('log', hookOf('turn_end', 'cat > input.json'));
    const given = { response: 'Done', turn_number: 3, recipe_name: 'review' };
    const { report, exitCode } = await fire(box, 'turn_end', given);
    expect(exitCode).toBe(0);
    expect(report).toMatchObject({ event: 'turn_end', hookCount: 1, decision: 'none' });
    expect(JSON.parse(box.left('input.json'))).toMatchObject({ event: 'turn_end', ...given });
    const wrong = await fire(box, 'turn_end', { response: 'Done', turn_number: 'three' });
    expect(wrong.exitCode).toBe(1);
    expect(wrong.stderr).toContain('"turn_number" must be a whole number');
  });

  test('before_tool_call has names, arguments and the answer as Kodelet spells them (K6)', async () => {
    const box = kodeletBox();
    box.local(
      'rewrite',
      hookOf(
        'before_tool_call',
        `cat > input.json; echo '{"input":{"file_path":"b","text":"y","mode":7}}'`,
      ),
    );
    const { report, exitCode, stderr } = await fire(box, 'before_tool_call', {
      ...call,
      tool_user_id: 'call_1',
      invoked_by: 'subagent',
      conv_id: 'not-yours',
    });
    expect(JSON.parse(box.left('input.json'))).toEqual({
      event: 'before_tool_call',
      conv_id: 'talk',
      ...call,
      tool_user_id: 'call_1',
      cwd: box.project,
      invoked_by: 'subagent',
    });
    expect(report).toMatchObject({
      event: 'before_tool_call',
      plan: { mode: 'sequential', count: 1 },
      hookCount: 1,
      success: true,
      blocked: false,
      toolInput: { file_path: 'b', text: 'y', mode: 7 },
      followUps: [],
      toolOutput: null,
      hooks: [{ name: 'rewrite', source: 'project', exitCode: 0, success: true }],
    });
    expect([exitCode, stderr]).toEqual([0, '']);
  });

  test('a blocked before_tool_call exits with 2 and reports no arguments (K2)', async () => {
    const box = kodeletBox();
    box.global('guard', answering('before_tool_call', { blocked: true, reason: 'No', input: {} }));
    const { report, exitCode } = await fire(box, 'before_tool_call', call);
    expect(report).toMatchObject({ blocked: true, reason: 'No', toolInput: null });
    expect(exitCode).toBe(2);
  });

  test('after_tool_call gives its hook the result, and reports the replaced one (K7)', async () => {
    const box = kodeletBox();
    box.local(
      'redact',
      hookOf(
        'after_tool_call',
        `cat > input.json; echo '{"output":{"toolName":"file_write","success":true,"metadata":{"output":"***"}}}'`,
      ),
    );
    const { report, exitCode } = await fire(box, 'after_tool_call', {
      ...call,
      tool_output: output,
    });
    expect(JSON.parse(box.left('input.json'))).toMatchObject({ ...call, tool_output: output });
    expect(report).toMatchObject({
      event: 'after_tool_call',
      blocked: false,
      toolOutput: { toolName: 'file_write', success: true, metadata: { output: '***' } },
    });
    expect(exitCode).toBe(0);
  });

  test('a blocked user_message_send exits with 2 (K5)', async () => {
    const box = kodeletBox();
    box.local('secrets', answering('user_message_send', { blocked: true, reason: 'A password' }));
    const { report, exitCode } = await fire(box, 'user_message_send', { message: 'hunter2' });
    expect(report).toMatchObject({
      event: 'user_message_send',
      blocked: true,
      reason: 'A password',
    });
    expect(exitCode).toBe(2);
  });

  test('agent_stop gives its hook the messages, and reports its follow-ups (K4)', async () => {
    const box = kodeletBox();
    box.local(
      'more',
      hookOf('agent_stop', `cat > input.json; echo '{"follow_up_messages":["One","Two"]}'`),
    );
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
    ];
    const { report, exitCode } = await fire(box, 'agent_stop', { messages });
    expect(JSON.parse(box.left('input.json'))).toEqual({
      event: 'agent_stop',
      conv_id: 'talk',
      messages,
      cwd: box.project,
      invoked_by: 'main',
    });
    expect(report).toMatchObject({ event: 'agent_stop', followUps: ['One', 'Two'] });
    expect(exitCode).toBe(0);
  });

  test('the last result wins with --dialect kodelet-strict (C-108)', async () => {
    const box = kodeletBox();
    box.local('1', answering('before_tool_call', { blocked: true, reason: 'No' }));
    box.local('2', answering('before_tool_call', { blocked: false }));
    const safe = await fire(box, 'before_tool_call', call);
    expect([safe.report['hookCount'], safe.exitCode]).toEqual([1, 2]);
    const strict = await fire(box, 'before_tool_call', call, '--dialect', 'kodelet-strict');
    expect([strict.report['hookCount'], strict.exitCode]).toEqual([2, 0]);
  });

  test('LLxprt hooks of a Kodelet call take part, each in its own terms', async () => {
    const box = kodeletBox();
    box.write(box.files.project, {
      tools: { enableHooks: true },
      hooks: {
        BeforeTool: [{ matcher: 'write_file', ...inParallel('cat > llxprt.json; exit 2')[0] }],
      },
    });
    box.local('guard', hookOf('before_tool_call', 'echo ran > ran'));
    const { report, exitCode } = await fire(box, 'before_tool_call', call);
    expect(JSON.parse(box.left('llxprt.json'))).toMatchObject({
      hook_event_name: 'BeforeTool',
      session_id: 'talk',
      tool_name: 'write_file',
      tool_input: { file_path: 'a', content: 'x' },
    });
    expect([report['blocked'], exitCode, box.left('ran')]).toEqual([true, 2, 'ran\n']);
  });

  test('an event of ours also runs Kodelet hooks, and is answered in canonical form', async () => {
    const box = kodeletBox();
    box.local('rewrite', answering('before_tool_call', { input: { file_path: 'b', text: 'y' } }));
    const { stdout } = await inProcess(
      box,
      ['fire', 'BeforeTool'],
      JSON.stringify({ tool_name: 'write_file', tool_input: { file_path: 'a', content: 'x' } }),
    );
    expect(JSON.parse(stdout)).toMatchObject({
      event: 'BeforeTool',
      toolInput: { file_path: 'b', content: 'y' },
    });
  });

  test('fire --no-hooks neither runs nor asks Kodelet hooks (K8)', async () => {
    const box = kodeletBox();
    box.local('guard', '#!/bin/sh\ntouch ran\necho before_tool_call\n');
    const { report, exitCode } = await fire(box, 'before_tool_call', call, '--no-hooks');
    expect(report).toMatchObject({ plan: null, hookCount: 0, success: true, blocked: false });
    expect([exitCode, readdirSync(box.project)]).toEqual([0, ['.kodelet']]);
  });

  test('fire --dialects llxprt leaves Kodelet hooks alone', async () => {
    const box = kodeletBox();
    box.local('guard', '#!/bin/sh\ntouch ran\necho before_tool_call\n');
    const { report } = await fire(box, 'before_tool_call', call, '--dialects', 'llxprt');
    expect([report['plan'], readdirSync(box.project)]).toEqual([null, ['.kodelet']]);
  });

  test("a project's Kodelet hook is neither asked nor run before it is trusted (C-104)", async () => {
    const box = kodeletBox();
    box.local('guard', '#!/bin/sh\ntouch ran\necho before_tool_call\n');
    const untrusted = { ...box, env: { ...box.env, HOOKMACHINE_TRUST: '' } };
    const first = await fire(untrusted, 'before_tool_call', call);
    expect(first.report).toMatchObject({ plan: null, blocked: false });
    expect(first.stderr).toBe(
      `hookmachine: ${box.project}: the hooks of this project are not trusted, so they were skipped; look at them: hookmachine trust --show, then allow them: hookmachine trust`,
    );
    expect(readdirSync(box.project)).toEqual(['.kodelet']);
    const allowed = await fire(untrusted, 'before_tool_call', call, '--trust');
    expect(allowed.report).toMatchObject({ hookCount: 1 });
  });

  test.each([
    ['before_tool_call', {}, '"tool_name" must be a string; "tool_input" must be an object'],
    ['before_tool_call', { tool_name: 'bash', tool_input: '{}' }, '"tool_input" must be an object'],
    [
      'before_tool_call',
      { ...call, tool_user_id: 7, invoked_by: 'me' },
      '"tool_user_id" must be a string; "invoked_by" must be main or subagent',
    ],
    ['after_tool_call', call, '"tool_output" must be an object'],
    ['after_tool_call', { ...call, tool_output: 'x' }, '"tool_output" must be an object'],
    ['user_message_send', { prompt: 'Hi' }, '"message" must be a string'],
    ['agent_stop', { messages: 'Hi' }, '"messages" must be an array of messages'],
    [
      'agent_stop',
      { messages: [{ role: 'system', content: 'x' }, { role: 'user' }] },
      '"messages.0.role" must be user or assistant; "messages.1.content" must be a string',
    ],
  ])('fire refuses %s with %j, field by field', async (event, given, faults) => {
    const { exitCode, stderr, report } = await fire(kodeletBox(), event, given);
    const why = `stdin does not match ${event}: ${faults}`;
    if (['before_tool_call', 'user_message_send'].includes(event)) {
      expect(stderr).toBe(`hookmachine: ${event} is denied: ${why}`);
      expect([exitCode, report['decision']]).toEqual([2, 'deny']);
    } else {
      expect(stderr).toBe(`hookmachine: ${why}`);
      expect([exitCode, report]).toEqual([1, {}]);
    }
  });

  test('fire refuses an event of another dialect, and says what this dialect calls it', async () => {
    const { exitCode, stderr } = await fire(kodeletBox(), 'BeforeTool', call);
    expect([exitCode, stderr]).toEqual([
      1,
      'hookmachine: there is no event "BeforeTool": use before_tool_call, or --dialect hookmachine',
    ]);
  });

  test('fire refuses an unknown dialect, and lists the known ones', async () => {
    const { exitCode, stderr } = await inProcess(kodeletBox(), [
      'fire',
      'agent_stop',
      '--dialect',
      'kodlet',
    ]);
    expect([exitCode, stderr]).toEqual([
      1,
      `hookmachine: there is no dialect "kodlet": use one of ${knownDialects.map(({ name }) => name).join(', ')}`,
    ]);
  });
});
