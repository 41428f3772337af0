import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProcess } from '../../support/in-process.ts';
import { groupOf, printing, type HostBox } from '../../support/host-box.ts';
import { qwenBox, qwenFields } from '../../support/qwen-code.ts';

describe('what Qwen Code’s hooks receive', () => {
  test.each([
    ['PreToolUse', 'BeforeTool', { tool_use_id: 'c1', tool_call_id: 'c1' }],
    ['PostToolUse', 'AfterTool', { tool_use_id: 'c1', tool_call_id: 'c1' }],
    ['PermissionRequest', 'ToolPermission', {}],
    ['UserPromptSubmit', 'BeforeAgent', {}],
    ['SubagentStart', 'SubagentStart', {}],
    ['SessionStart', 'SessionStart', {}],
    ['PreCompact', 'PreCompress', {}],
    ['PostToolBatch', 'host.PostToolBatch', {}],
    ['MessageDisplay', 'host.MessageDisplay', {}],
  ] as const)(
    'a Qwen Code hook for %s receives the event’s fields on stdin',
    async (native, event, more) => {
      const { local, project, left, start } = qwenBox();
      local({ hooks: { [native]: [groupOf(['cat > input'])] } });
      const { fire } = await start({ transcriptPath: '/t.json' });
      await fire(event, qwenFields[native] as never, { toolCallId: 'c1' });
      const text = left('input');
      expect(text.endsWith('}')).toBe(true);
      expect(JSON.parse(text)).toEqual({
        session_id: 'talk',
        transcript_path: '/t.json',
        cwd: project,
        hook_event_name: native,
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        permission_mode: 'default',
        ...qwenFields[native],
        ...more,
      });
    },
  );

  test('hooks for Stop, Notification and SessionEnd receive Qwen Code’s own words', async () => {
    const { local, left, start } = qwenBox();
    const hooks = Object.fromEntries(
      ['Stop', 'Notification', 'SessionEnd'].map((name) => [name, [groupOf([`cat > ${name}`])]]),
    );
    local({ hooks });
    const { fire } = await start();
    await fire('AfterAgent', qwenFields.Stop);
    await fire('Notification', qwenFields.Notification as never);
    await fire('SessionEnd', qwenFields.SessionEnd);
    expect(JSON.parse(left('Stop'))).toMatchObject({
      stop_hook_active: false,
      last_assistant_message: 'Hello',
      background_tasks: [],
      crons: [],
    });
    expect(JSON.parse(left('Notification'))).toMatchObject({
      message: 'May I?',
      notification_type: 'permission_prompt',
    });
    expect(JSON.parse(left('SessionEnd'))).toMatchObject({ reason: 'other' });
  });

  test('a hook receives Qwen Code’s names for tools and arguments', async () => {
    const { local, left, start } = qwenBox();
    local({
      hooks: {
        PreToolUse: [
          groupOf(['cat > input'], { matcher: 'Grep' }),
          groupOf(['cat > read'], { matcher: 'ReadFile' }),
        ],
      },
    });
    const { fire } = await start();
    await fire('BeforeTool', {
      tool_name: 'search_file_content',
      tool_input: { pattern: 'x', dir_path: 'src', include: '*.ts' },
    });
    expect(JSON.parse(left('input'))).toMatchObject({
      tool_name: 'grep_search',
      tool_input: { pattern: 'x', path: 'src', glob: '*.ts' },
    });
    // Every name that our tool accepts for the path becomes the one that a guard reads.
    await fire('BeforeTool', { tool_name: 'read_file', tool_input: { absolute_path: '/a' } });
    expect(JSON.parse(left('read'))).toMatchObject({ tool_input: { file_path: '/a' } });
  });

  test('a hook runs in bash with the host’s variables, which its own env overrides', async () => {
    const { local, project, left, start } = qwenBox();
    const names = [
      'QWEN_PROJECT_DIR',
      'GEMINI_PROJECT_DIR',
      'CLAUDE_PROJECT_DIR',
      'QWEN_CODE_SESSION_ID',
      'MINE',
    ];
    const command = `[[ -n $BASH ]] && for name in ${names.join(' ')}; do echo "\${!name}"; done > input`;
    const env = { MINE: 'yes', GEMINI_PROJECT_DIR: 'other' };
    local({ hooks: { PreToolUse: [groupOf([{ type: 'command', command, env }])] } });
    const { fire } = await start();
    await fire('BeforeTool', qwenFields.PreToolUse);
    expect(left('input').trim().split('\n')).toEqual([project, 'other', project, 'talk', 'yes']);
  });

  test.each([
    ['bare', '$QWEN_PROJECT_DIR/guard.sh'],
    ['in double quotes', '"$QWEN_PROJECT_DIR/guard.sh"'],
  ])('a variable finds a script in a folder with a blank: %s', async (_, command) => {
    const box = qwenBox();
    const cwd = join(box.project, 'a folder');
    box.script('a folder/guard.sh', '#!/bin/sh\necho no >&2; exit 2\n');
    box.write(join(cwd, '.qwen/settings.json'), { hooks: { PreToolUse: [groupOf([command])] } });
    const { fire } = await box.start({ cwd });
    const { verdict } = await fire('BeforeTool', qwenFields.PreToolUse);
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'no' });
  });

  test('a variable in single quotes is not expanded', async () => {
    const { local, left, start } = qwenBox();
    local({ hooks: { PreToolUse: [groupOf([`echo '$QWEN_PROJECT_DIR' > input`])] } });
    const { fire } = await start();
    await fire('BeforeTool', qwenFields.PreToolUse);
    expect(left('input')).toBe('$QWEN_PROJECT_DIR\n');
  });
});

const fireOutside = async (box: HostBox, event: string, given: object) => {
  const args = ['fire', event, '--dialect', 'qwen-code', '--session-id', 'talk'];
  const { stdout, exitCode } = await inProcess(box, args, JSON.stringify(given));
  return [exitCode, JSON.parse(stdout) as Record<string, unknown>] as const;
};

describe('hookmachine fire --dialect qwen-code', () => {
  test('fire reads and reports Qwen Code’s names, and passes further fields on', async () => {
    const box = qwenBox();
    box.local({
      hooks: { PreToolUse: [groupOf(['cat > input; echo no >&2; exit 2'], { matcher: 'Edit' })] },
    });
    const given = {
      session_id: 'talk',
      transcript_path: '/theirs.json',
      cwd: '/elsewhere',
      hook_event_name: 'PreToolUse',
      timestamp: 'x',
      permission_mode: 'yolo',
      prompt_id: 'p1',
      tool_name: 'edit',
      tool_input: { file_path: 'a', old_string: 'x', new_string: 'y' },
      tool_use_id: 'toolu_1',
      tool_call_id: 'call_1',
    };
    expect(await fireOutside(box, 'PreToolUse', given)).toMatchObject([
      2,
      { event: 'PreToolUse', decision: 'deny', reason: 'no', hooks: [{ dialect: 'qwen-code' }] },
    ]);
    expect(JSON.parse(box.left('input'))).toEqual({
      ...given,
      cwd: box.project,
      timestamp: expect.any(String),
    });
  });

  test('fire reports arguments that were changed at a permission request', async () => {
    const box = qwenBox();
    const decision = { behavior: 'allow', updatedInput: { path: 'lib', pattern: 'x' } };
    box.local({
      hooks: { PermissionRequest: [groupOf([printing({ hookSpecificOutput: { decision } })])] },
    });
    const given = { tool_name: 'grep_search', tool_input: { pattern: 'x' } };
    expect(await fireOutside(box, 'PermissionRequest', given)).toMatchObject([
      0,
      { decision: 'allow', toolInput: { path: 'lib', pattern: 'x' } },
    ]);
  });

  test('tool results are not a new prompt for hooks of other dialects', async () => {
    const box = qwenBox();
    box.local({ hooks: { UserPromptSubmit: [groupOf(['echo x >> theirs'])] } });
    box.write(box.own.project, {
      hooks: { BeforeAgent: [groupOf(['echo x >> ours'])] },
    });
    await fireOutside(box, 'UserPromptSubmit', { prompt: 'Hi', submitted_prompt: 'Hi' });
    await fireOutside(box, 'UserPromptSubmit', { prompt: '' });
    expect([box.left('theirs'), box.left('ours')]).toEqual(['x\nx\n', 'x\n']);
  });

  test.each([
    ['PostToolUseFailure', { tool_name: 'edit', tool_input: {}, error: 'oops', tool_use_id: 't' }],
    [
      'Stop',
      { stop_hook_active: true, last_assistant_message: 'Hello', background_tasks: [], crons: [] },
    ],
    ['PostToolBatch', { tool_calls: [{ tool_name: 'edit', status: 'success' }] }],
    ['InstructionsLoaded', { file_path: '/a', memory_type: 'user', load_reason: 'session_start' }],
    ['SessionStart', { source: 'compact', model: 'q' }],
    ['Notification', { message: 'm', notification_type: 'auth_success', title: 't' }],
    ['TodoCreated', { todo_id: '1', todo_content: 'x', phase: 'validation' }],
  ])('%s is passed on to hooks as it was given', async (event, given) => {
    const box = qwenBox();
    box.local({ hooks: { [event]: [groupOf(['cat > input'])] } });
    expect((await fireOutside(box, event, given))[0]).toBe(0);
    expect(JSON.parse(box.left('input'))).toMatchObject({ hook_event_name: event, ...given });
  });

  test('Qwen Code’s hooks are listed', async () => {
    const box = qwenBox();
    box.local({ hooks: { PreToolUse: [groupOf(['exit 2'], { matcher: 'Edit' })] } });
    expect((await inProcess(box, ['list'])).stdout).toMatch(
      /matcher {2}Edit[^]*dialect {2}qwen-code/,
    );
  });
});
