import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HookEventName } from '../../../src/core/protocol/events.ts';
import type { HookEventFields } from '../../../src/core/protocol/input.ts';
import { cursorBox, cursorHooks } from '../../support/cursor.ts';
import { inProcess } from '../../support/in-process.ts';
import { print } from '../../support/session.ts';

const base = {
  conversation_id: expect.any(String),
  generation_id: expect.any(String),
  model: '',
  session_id: expect.any(String),
  cursor_version: '',
  workspace_roots: [expect.any(String)],
  user_email: null,
  transcript_path: null,
};

/** Returns what a hook of an event receives; undefined if it does not run. */
async function received(native: string, event: HookEventName, fields: object) {
  const box = cursorBox();
  box.local(cursorHooks(native, 'cat > input'));
  box.write(join(box.project, 'a.txt'), 'the content');
  const { fire } = await box.start();
  await fire(event, fields as HookEventFields[HookEventName]);
  const text = box.left('input');
  const input = text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>);
  return { input, project: box.project };
}

const shell = { tool_name: 'run_shell_command', tool_input: { command: 'ls', directory: 'src' } };
const printed = 'Command: ls\nDirectory: (root)\nStdout: a\nStderr: (empty)\nExit Code: ';
const result = (llmContent: string, more: object = {}) => ({
  tool_response: { llmContent, returnDisplay: '', ...more },
});
const mcp = { tool_name: 'mcp__memory__store', tool_input: { a: 1 } };

describe('what an event’s hooks receive', () => {
  const cases: [string, HookEventName, object, (project: string) => object][] = [
    [
      'preToolUse',
      'BeforeTool',
      shell,
      (project) => ({
        tool_name: 'Shell',
        tool_input: { command: 'ls', working_directory: 'src' },
        tool_use_id: '',
        cwd: join(project, 'src'),
      }),
    ],
    [
      'beforeShellExecution',
      'BeforeTool',
      shell,
      (project) => ({ command: 'ls', cwd: join(project, 'src'), sandbox: false }),
    ],
    [
      'beforeMCPExecution',
      'BeforeTool',
      mcp,
      () => ({ tool_name: 'store', tool_input: '{"a":1}' }),
    ],
    [
      'beforeReadFile',
      'BeforeTool',
      { tool_name: 'read_file', tool_input: { file_path: 'a.txt' } },
      (project) => ({ file_path: join(project, 'a.txt'), content: 'the content', attachments: [] }),
    ],
    [
      'postToolUse',
      'AfterTool',
      { ...shell, ...result(`${printed}0`) },
      (project) => ({
        tool_name: 'Shell',
        tool_input: { command: 'ls', working_directory: 'src' },
        tool_output: '{"output":"a","exitCode":0}',
        tool_use_id: '',
        cwd: join(project, 'src'),
        duration: 0,
      }),
    ],
    [
      'postToolUseFailure',
      'ToolFailed',
      { ...shell, error: 'a', ...result('a', { error: { message: 'a' } }) },
      (project) => ({
        tool_name: 'Shell',
        tool_input: { command: 'ls', working_directory: 'src' },
        error_message: 'a',
        failure_type: 'error',
        is_interrupt: false,
        tool_use_id: '',
        cwd: join(project, 'src'),
        duration: 0,
      }),
    ],
    [
      'afterShellExecution',
      'AfterTool',
      { ...shell, ...result(`${printed}0`) },
      () => ({ command: 'ls', output: 'a', duration: 0, sandbox: false }),
    ],
    [
      'afterMCPExecution',
      'AfterTool',
      { ...mcp, ...result('stored') },
      () => ({
        tool_name: 'store',
        tool_input: '{"a":1}',
        result_json: '{"output":"stored"}',
        duration: 0,
      }),
    ],
    [
      'afterFileEdit',
      'AfterTool',
      {
        tool_name: 'replace',
        tool_input: { file_path: 'a.txt', old_string: 'x', new_string: 'y' },
        ...result('done'),
      },
      (project) => ({
        file_path: join(project, 'a.txt'),
        edits: [{ old_string: 'x', new_string: 'y' }],
      }),
    ],
    [
      'beforeSubmitPrompt',
      'BeforeAgent',
      { prompt: 'Hi' },
      () => ({ prompt: 'Hi', attachments: [] }),
    ],
    [
      'stop',
      'AfterAgent',
      { prompt: 'Hi', prompt_response: 'Hello', stop_hook_active: false },
      () => ({ status: 'completed', loop_count: 0 }),
    ],
    [
      'subagentStart',
      'SubagentStart',
      { agent_id: '1', agent_type: 'explore' },
      () => ({ subagent_id: '1', subagent_type: 'explore', task: '' }),
    ],
    ['sessionStart', 'SessionStart', { source: 'startup' }, () => ({ is_background_agent: false })],
    [
      'sessionEnd',
      'SessionEnd',
      { reason: 'exit' },
      () => ({ reason: 'completed', final_status: 'completed', duration_ms: 0 }),
    ],
    ['preCompact', 'PreCompress', { trigger: 'auto' }, () => ({ trigger: 'auto' })],
    ['afterAgentResponse', 'host.afterAgentResponse', { text: 'Hello' }, () => ({ text: 'Hello' })],
  ];

  test.each(cases)(
    'a hook of %s receives the fields that Cursor gives it',
    async (native, event, fields, expected) => {
      const { input, project } = await received(native, event, fields);
      expect(input).toEqual({ ...base, hook_event_name: native, ...expected(project) });
    },
  );

  test.each([['postToolUse', result('no', { error: { message: 'no' } })]])(
    'a hook of %s does not run for %j',
    async (native, fields) => {
      expect((await received(native, 'AfterTool', { ...shell, ...fields })).input).toBeUndefined();
    },
  );
});

const fired = async (event: string, answer: object, fields: object) => {
  const box = cursorBox();
  box.local(cursorHooks(event, print(answer)));
  const { stdout, exitCode } = await inProcess(
    box,
    ['fire', '--dialect', 'cursor', event],
    JSON.stringify(fields),
  );
  return { exitCode, report: JSON.parse(stdout) as Record<string, unknown> };
};

describe('fire --dialect cursor', () => {
  const given = {
    conversation_id: 'c-1',
    generation_id: 'g-1',
    model: 'm',
    cursor_version: '3.9',
    workspace_roots: ['/x'],
    user_email: 'a@b.test',
    transcript_path: '/x/t.jsonl',
  };
  const cases: [string, object][] = [
    [
      'preToolUse',
      { tool_name: 'Shell', tool_input: { command: 'ls' }, tool_use_id: 'a\nb', cwd: '/x' },
    ],
    [
      'preToolUse',
      {
        tool_name: 'Write',
        tool_input: { file_path: '/x/a', content: 'y' },
        tool_use_id: 'a',
        cwd: '/x',
      },
    ],
    ['beforeShellExecution', { command: 'ls', cwd: '/x', sandbox: true }],
    ['beforeMCPExecution', { tool_name: 'store', tool_input: '{"a":1}', url: 'https://x.test' }],
    ['beforeReadFile', { file_path: '/x/a', content: 'text', attachments: [] }],
    [
      'postToolUse',
      {
        tool_name: 'Shell',
        tool_input: { command: 'ls' },
        tool_output: '{"output":"a","exitCode":0}',
        duration: 5,
        tool_use_id: 'a',
        cwd: '/x',
      },
    ],
    ['afterShellExecution', { command: 'ls', output: 'a', duration: 5, sandbox: false }],
    [
      'afterMCPExecution',
      { tool_name: 'store', tool_input: '{}', result_json: '{"b":2}', duration: 5 },
    ],
    [
      'afterFileEdit',
      { file_path: '/x/a', edits: [{ old_string: 'x', new_string: 'y', range: {} }] },
    ],
    ['beforeSubmitPrompt', { prompt: 'Hi', attachments: [{ type: 'file', file_path: '/x' }] }],
    ['stop', { status: 'completed', loop_count: 2 }],
    [
      'subagentStop',
      { subagent_type: 'explore', status: 'completed', loop_count: 0, summary: 'done' },
    ],
    ['sessionEnd', { reason: 'aborted', duration_ms: 3, final_status: 'aborted' }],
    ['workspaceOpen', {}],
  ];

  test.each(cases)(
    'fire accepts what Cursor reports at %s, and hooks receive the same: %j',
    async (event, fields) => {
      const box = cursorBox();
      box.local(cursorHooks(event, 'cat > input'));
      const input = { ...given, hook_event_name: event, ...fields };
      const { exitCode } = await inProcess(
        box,
        ['fire', '--dialect', 'cursor', event],
        JSON.stringify(input),
      );
      expect(exitCode).toBe(0);
      const { cwd, ...own } = JSON.parse(box.left('input')) as Record<string, unknown>;
      const { cwd: _, ...expected } = input as Record<string, unknown>;
      expect(own).toEqual({ ...expected, session_id: expect.any(String) });
      expect(cwd === undefined).toBe(!('cwd' in fields));
    },
  );

  test('fire reports a denial, new arguments and a follow-up in Cursor’s form', async () => {
    const denied = await fired(
      'beforeShellExecution',
      { permission: 'deny', user_message: 'no' },
      { command: 'ls' },
    );
    expect([denied.exitCode, denied.report['reason']]).toEqual([2, 'no']);
    const updated_input = { file_path: 'b', content: 'z' };
    const write = { tool_name: 'Write', tool_input: { file_path: 'a', content: 'y' } };
    const changed = await fired('preToolUse', { updated_input }, write);
    expect([changed.exitCode, changed.report['toolInput']]).toEqual([0, updated_input]);
    const more = await fired(
      'stop',
      { followup_message: 'go on' },
      { status: 'completed', loop_count: 0 },
    );
    expect(more.report['followUps']).toEqual(['go on']);
  });
});
