import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HookEventName } from '../../../src/core/points/hook-points.ts';
import type { HookEventFields } from '../../../src/core/protocol/input.ts';
import { claudeBox, settingsOf } from '../../support/claude-code.ts';

/** Returns what a hook of an event reads on stdin. */
async function received<Event extends HookEventName>(
  native: string,
  event: Event,
  fields: HookEventFields[Event],
) {
  const { local, start, left, project } = claudeBox();
  local(settingsOf(native, 'cat > input'));
  const { fire, system } = await start();
  await fire(event, fields, { toolCallId: 'call_1' });
  const text = left('input');
  return { text, input: JSON.parse(text) as Record<string, unknown>, project, system };
}

test('a hook receives one line of JSON with a newline, with the host’s base fields and no timestamp', async () => {
  const { text, input, project } = await received('PreToolUse', 'BeforeTool', {
    tool_name: 'run_shell_command',
    tool_input: { command: 'ls\npwd', description: 'Look' },
  });
  expect(text.split('\n')).toEqual([expect.stringMatching(/^\{.*\}$/), '']);
  expect(input).toEqual({
    session_id: expect.stringMatching(/./),
    transcript_path: '',
    cwd: project,
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'ls\npwd', description: 'Look' },
    tool_use_id: 'call_1',
  });
});

describe('our tools in Claude Code’s words', () => {
  test.each([
    ['write_file', { path: 'a.txt', content: 'x' }, 'Write', { file_path: '/a.txt', content: 'x' }],
    [
      'replace',
      { file_path: 'a.txt', old_string: 'a', new_string: 'b', expected_replacements: 2 },
      'Edit',
      {
        file_path: '/a.txt',
        old_string: 'a',
        new_string: 'b',
        expected_replacements: 2,
        replace_all: true,
      },
    ],
    [
      'read_file',
      { absolute_path: 'a.txt', offset: 0 },
      'Read',
      { file_path: '/a.txt', offset: 1 },
    ],
    ['glob', { pattern: '*.ts', dir_path: 'src' }, 'Glob', { pattern: '*.ts', path: 'src' }],
    [
      'search_file_content',
      { pattern: 'x', include: '*.ts' },
      'Grep',
      { pattern: 'x', glob: '*.ts' },
    ],
    ['list_directory', {}, 'LS', { path: '' }],
    ['task', { prompt: 'x' }, 'Agent', { prompt: 'x' }],
    ['mcp__files__write', { a: 1 }, 'mcp__files__write', { a: 1 }],
    ['some_tool', { a: 1 }, 'some_tool', { a: 1 }],
  ])('the tool %s with %j reaches a hook as %s', async (tool_name, tool_input, name, expected) => {
    const { input, project } = await received('PreToolUse', 'BeforeTool', {
      tool_name,
      tool_input,
    });
    const whole = Object.fromEntries(
      Object.entries(expected).map(([key, value]) => [
        key,
        key === 'file_path' || name === 'LS' ? join(project, String(value)) : value,
      ]),
    );
    expect([input['tool_name'], input['tool_input']]).toEqual([name, whole]);
  });
});

describe('results in Claude Code’s form', () => {
  test('the result of a shell command reaches a hook as its streams', async () => {
    const llmContent =
      'Command: ls\nDirectory: (root)\nStdout: a\nb\nStderr: (empty)\nExit Code: 0';
    const { input } = await received('PostToolUse', 'AfterTool', {
      tool_name: 'run_shell_command',
      tool_input: { command: 'ls' },
      tool_response: { llmContent, returnDisplay: 'a' },
    });
    expect(input['tool_response']).toEqual({
      stdout: 'a\nb',
      stderr: '',
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
    });
  });

  test('the result of a written file reaches a hook in Claude Code’s form', async () => {
    const { input, project } = await received('PostToolUse', 'AfterTool', {
      tool_name: 'write_file',
      tool_input: { file_path: 'a.txt', content: 'x' },
      tool_response: {
        llmContent: 'Successfully created and wrote to new file: a.txt.',
        returnDisplay: '',
      },
    });
    expect(input['tool_response']).toMatchObject({
      type: 'create',
      filePath: join(project, 'a.txt'),
      content: 'x',
    });
  });

  test('the result of an MCP tool reaches a hook as blocks of content', async () => {
    const { input } = await received('PostToolUse', 'AfterTool', {
      tool_name: 'mcp__a__b',
      tool_input: {},
      tool_response: { llmContent: 'text', returnDisplay: '' },
    });
    expect(input['tool_response']).toEqual([{ type: 'text', text: 'text' }]);
  });

  test('no PostToolUse hook runs for a tool that failed', async () => {
    const { local, start, left } = claudeBox();
    local(settingsOf('PostToolUse', 'cat > input'));
    const { fire } = await start();
    await fire('AfterTool', {
      tool_name: 'write_file',
      tool_input: {},
      tool_response: { llmContent: 'No.', returnDisplay: 'No.', error: { message: 'No.' } },
    });
    expect(left('input')).toBe('');
  });
});

describe('other events', () => {
  test.each([
    [
      'PermissionRequest',
      'ToolPermission',
      { tool_name: 'run_shell_command', tool_input: {} },
      { tool_name: 'Bash', tool_input: {}, permission_mode: 'default' },
    ],
    [
      'PostToolUseFailure',
      'ToolFailed',
      {
        tool_name: 'run_shell_command',
        tool_input: {},
        tool_response: {
          llmContent: 'Exit code 1',
          returnDisplay: '',
          error: { message: 'Exit code 1' },
        },
      },
      {
        tool_name: 'Bash',
        tool_input: {},
        error: 'Exit code 1',
        is_interrupt: false,
        tool_use_id: 'call_1',
        permission_mode: 'default',
      },
    ],
    [
      'UserPromptSubmit',
      'BeforeAgent',
      { prompt: 'Hi' },
      { prompt: 'Hi', permission_mode: 'default' },
    ],
    [
      'Stop',
      'AfterAgent',
      { prompt: 'Hi', prompt_response: 'Hello', stop_hook_active: true },
      { stop_hook_active: true, last_assistant_message: 'Hello', permission_mode: 'default' },
    ],
    [
      'SubagentStart',
      'SubagentStart',
      { agent_id: 'a', agent_type: 'Explore' },
      { agent_id: 'a', agent_type: 'Explore', permission_mode: 'default' },
    ],
    [
      'SubagentStop',
      'SubagentStop',
      { agent_id: 'a', agent_type: 'Explore', stop_hook_active: false },
      { agent_id: 'a', agent_type: 'Explore', stop_hook_active: false, permission_mode: 'default' },
    ],
    ['SessionStart', 'SessionStart', { source: 'compress' }, { source: 'compact' }],
    ['SessionEnd', 'SessionEnd', { reason: 'exit' }, { reason: 'other' }],
    [
      'PreCompact',
      'PreCompress',
      { trigger: 'auto' },
      { trigger: 'auto', custom_instructions: null, permission_mode: 'default' },
    ],
    [
      'PostCompact',
      'PostCompress',
      { trigger: 'auto', compact_summary: 'x' },
      { trigger: 'auto', compact_summary: 'x', permission_mode: 'default' },
    ],
    [
      'Notification',
      'Notification',
      { notification_type: 'ToolPermission', message: 'May I?', details: {} },
      { notification_type: 'permission_prompt', message: 'May I?', permission_mode: 'default' },
    ],
    [
      'TaskCreated',
      'host.TaskCreated',
      { task_id: '1', task_subject: 'x' },
      { task_id: '1', task_subject: 'x', permission_mode: 'default' },
    ],
  ] as const)(
    'a hook of %s receives the fields that Claude Code gives it',
    async (native, event, fields, expected) => {
      const { input, project } = await received(native, event as HookEventName, fields as never);
      expect(input).toEqual({
        session_id: expect.any(String),
        transcript_path: '',
        cwd: project,
        hook_event_name: native,
        ...expected,
      });
    },
  );
});

describe('the environment', () => {
  test('a hook’s environment names the project, the session and the host', async () => {
    const { local, start, left, project } = claudeBox();
    local(settingsOf('PreToolUse', 'env > input'));
    const { fire } = await start();
    await fire('BeforeTool', { tool_name: 'glob', tool_input: {} });
    const lines = left('input').split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        `CLAUDE_PROJECT_DIR=${project}`,
        'CLAUDECODE=1',
        'CLAUDE_CODE_ENTRYPOINT=cli',
        expect.stringMatching(/^CLAUDE_CODE_SESSION_ID=./),
        `CLAUDE_PID=${process.pid}`,
      ]),
    );
    expect(lines.some((line) => line.startsWith('CLAUDE_ENV_FILE='))).toBe(false);
  });

  test('what a SessionStart hook exports reaches later hooks of its session', async () => {
    const { local, start, left } = claudeBox();
    local({
      hooks: {
        SessionStart: [
          {
            hooks: [
              {
                type: 'command',
                command: `echo 'export SHADE="deep $COLOUR"' >> "$CLAUDE_ENV_FILE"; echo 'export RUN=$(id)' >> "$CLAUDE_ENV_FILE"`,
              },
            ],
          },
        ],
        PreToolUse: [
          { hooks: [{ type: 'command', command: 'printf "%s/%s" "$SHADE" "$RUN" > input' }] },
        ],
      },
    });
    const { fire } = await start();
    await fire('SessionStart', { source: 'startup' });
    await fire('BeforeTool', { tool_name: 'glob', tool_input: {} });
    expect(left('input')).toBe('deep /');
  });

  test('a program with arguments is started without a shell, in a folder of any name', async () => {
    const { local, script, start, left, project } = claudeBox();
    script('show', '#!/bin/sh\nprintf "%s|" "$@" > input\n');
    local(
      settingsOf('PreToolUse', {
        type: 'command',
        command: '${CLAUDE_PROJECT_DIR}/show',
        args: ['${CLAUDE_PROJECT_DIR}/x y', '$CLAUDE_PROJECT_DIR', '; touch no', '*'],
      }),
    );
    const { fire } = await start();
    await fire('BeforeTool', { tool_name: 'glob', tool_input: {} });
    expect(left('input')).toBe(`${project}/x y|$CLAUDE_PROJECT_DIR|; touch no|*|`);
  });
});
