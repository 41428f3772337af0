import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HookEventName } from '../../../src/core/protocol/events.ts';
import type { HookEventFields } from '../../../src/core/protocol/input.ts';
import type { FireOptions } from '../../../src/core/run/planned-event.ts';
import { settingsOf, specific } from '../../support/claude-code.ts';
import { codexBox } from '../../support/codex.ts';
import { inProcess } from '../../support/in-process.ts';
import { print } from '../../support/session.ts';

/** Returns what a hook of an event receives. */
async function received(
  native: string,
  event: HookEventName,
  fields: object,
  options?: FireOptions,
): Promise<{ input: Record<string, unknown>; project: string }> {
  const { local, start, left, project } = codexBox();
  local(settingsOf(native, 'cat > input'));
  const { fire } = await start();
  await fire(event, fields as HookEventFields[HookEventName], options);
  return { input: JSON.parse(left('input')) as Record<string, unknown>, project };
}

const base = {
  session_id: expect.any(String),
  transcript_path: null,
  cwd: expect.any(String),
};
const turn = { turn_id: expect.any(String), model: '', permission_mode: 'default' };
const shell = { tool_name: 'run_shell_command', tool_input: { command: 'ls' } };

describe('what an event’s hooks receive', () => {
  test.each([
    [
      'PreToolUse',
      'BeforeTool',
      shell,
      { ...turn, tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: '' },
    ],
    [
      'PermissionRequest',
      'ToolPermission',
      { ...shell, tool_input: { command: 'ls', description: 'to look' } },
      { ...turn, tool_name: 'Bash', tool_input: { command: 'ls', description: 'to look' } },
    ],
    [
      'PostToolUse',
      'AfterTool',
      { ...shell, tool_response: { llmContent: 'a', returnDisplay: 'a' } },
      {
        ...turn,
        tool_name: 'Bash',
        tool_input: { command: 'ls' },
        tool_use_id: '',
        tool_response: 'a',
      },
    ],
    ['UserPromptSubmit', 'BeforeAgent', { prompt: 'Hi' }, { ...turn, prompt: 'Hi' }],
    [
      'SessionStart',
      'SessionStart',
      { source: 'compress' },
      { model: '', permission_mode: 'default', source: 'compact' },
    ],
    ['SessionEnd', 'SessionEnd', { reason: 'exit' }, { reason: 'other' }],
    [
      'Stop',
      'AfterAgent',
      { prompt: 'Hi', prompt_response: 'Hello', stop_hook_active: true },
      { ...turn, stop_hook_active: true, last_assistant_message: 'Hello' },
    ],
    [
      'SubagentStart',
      'SubagentStart',
      { agent_id: '1', agent_type: 'default' },
      { ...turn, agent_id: '1', agent_type: 'default' },
    ],
    [
      'SubagentStop',
      'SubagentStop',
      { agent_id: '1', agent_type: 'default', stop_hook_active: false },
      {
        ...turn,
        agent_id: '1',
        agent_type: 'default',
        agent_transcript_path: null,
        stop_hook_active: false,
        last_assistant_message: null,
      },
    ],
    [
      'PreCompact',
      'PreCompress',
      { trigger: 'auto' },
      { turn_id: expect.any(String), model: '', trigger: 'auto' },
    ],
    [
      'PostCompact',
      'PostCompress',
      { trigger: 'manual', compact_summary: 'x' },
      { turn_id: expect.any(String), model: '', trigger: 'manual' },
    ],
    ['Interrupt', 'host.Interrupt', {}, turn],
  ] as const)(
    'a hook of %s receives the fields that Codex gives it',
    async (native, event, fields, expected) => {
      const { input } = await received(native, event, fields);
      expect(input).toEqual({ ...base, hook_event_name: native, ...expected });
    },
  );

  test('cwd is the folder that a shell command asked for, and the command’s other arguments are hidden', async () => {
    const tool_input = { command: 'ls', directory: 'src', description: 'to look' };
    const { input, project } = await received('PreToolUse', 'BeforeTool', { ...shell, tool_input });
    expect([input['cwd'], input['tool_input']]).toEqual([join(project, 'src'), { command: 'ls' }]);
  });

  test('a hook’s environment has no variable that names the project', async () => {
    const { local, start, left } = codexBox();
    local(settingsOf('PreToolUse', 'env > vars'));
    const { fire } = await start();
    await fire('BeforeTool', shell);
    expect(left('vars')).not.toMatch(/^(?:CODEX|CLAUDE|GEMINI|LLXPRT)_PROJECT/m);
  });
});

const patch = (tool_name: string, tool_input: object) =>
  received('PreToolUse', 'BeforeTool', { tool_name, tool_input });

const rewritten = async (tool_name: string, tool_input: object, command: string) => {
  const { local, start } = codexBox();
  const answer = specific('PreToolUse', {
    permissionDecision: 'allow',
    updatedInput: { command },
  });
  local(settingsOf('PreToolUse', print(answer), 'Edit'));
  const { fire } = await start();
  const { verdict, toolInput } = await fire('BeforeTool', {
    tool_name,
    tool_input: tool_input as Record<string, unknown>,
  });
  return { decision: verdict.decision, toolInput };
};

describe('files are written by patches', () => {
  test('write_file reaches hooks as a patch that adds the file', async () => {
    const { input } = await patch('write_file', { file_path: 'a.txt', content: 'one\ntwo\n' });
    expect([input['tool_name'], input['tool_input']]).toEqual([
      'apply_patch',
      { command: '*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** End Patch' },
    ]);
  });

  test('replace reaches hooks as a patch that updates the file', async () => {
    const { input } = await patch('replace', {
      file_path: 'a',
      old_string: 'x',
      new_string: 'y\nz',
    });
    expect(input['tool_input']).toEqual({
      command: '*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n+z\n*** End Patch',
    });
  });

  test('a patch of Codex’s own is passed on unchanged', async () => {
    const command = '*** Begin Patch\n*** Delete File: a\n*** End Patch';
    const { input } = await patch('apply_patch', { command });
    expect([input['tool_name'], input['tool_input']]).toEqual(['apply_patch', { command }]);
  });

  test('a patch from a hook becomes the arguments of our tool', async () => {
    const write = { file_path: 'a', content: 'x' };
    const add = '*** Begin Patch\n*** Add File: b\n+one\n+two\n*** End Patch';
    expect((await rewritten('write_file', write, add)).toolInput).toEqual({
      file_path: 'b',
      content: 'one\ntwo\n',
    });
    const edit = { file_path: 'a', old_string: 'x', new_string: 'y' };
    const update = '*** Begin Patch\n*** Update File: a\n@@\n-x\n+z\n*** End Patch\n';
    expect((await rewritten('replace', edit, update)).toolInput).toEqual({
      ...edit,
      new_string: 'z',
    });
    const same = '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch';
    expect((await rewritten('write_file', write, same)).toolInput).toEqual(write);
    expect((await rewritten('apply_patch', { command: add }, update)).toolInput).toEqual({
      command: update,
    });
  });

  test.each([
    ['another kind of change', '*** Begin Patch\n*** Delete File: a\n*** End Patch'],
    ['two files', '*** Begin Patch\n*** Add File: a\n+x\n*** Add File: b\n+y\n*** End Patch'],
    ['text that is not a patch', 'echo'],
  ])('a call of our tool is denied if a hook replaces its patch with %s', async (_, command) => {
    const { decision } = await rewritten('write_file', { file_path: 'a', content: 'x' }, command);
    expect(decision).toBe('deny');
  });
});

const response = async (tool_name: string, llmContent: string) =>
  (
    await received('PostToolUse', 'AfterTool', {
      tool_name,
      tool_input: { command: 'ls' },
      tool_response: { llmContent, returnDisplay: '' },
    })
  ).input['tool_response'];

describe('results', () => {
  test('the result of a shell command is both streams as one text', async () => {
    const text = 'Command: ls\nDirectory: (root)\nStdout: a\nStderr: b\nExit Code: 1';
    expect(await response('run_shell_command', text)).toBe('a\nb');
  });

  test('the result of a server’s tool is the protocol’s object, and that of other tools the text', async () => {
    expect(await response('mcp__a__b', 'x')).toEqual({ content: [{ type: 'text', text: 'x' }] });
    expect(await response('read_file', 'x')).toBe('x');
  });
});

const fired = async (event: string, hook: string, fields: object) => {
  const box = codexBox();
  const file = box.local(settingsOf(event, hook));
  const { stdout, stderr, exitCode } = await inProcess(
    box,
    ['fire', '--dialect', 'codex', event],
    JSON.stringify(fields),
  );
  const report = stdout === '' ? {} : (JSON.parse(stdout) as Record<string, unknown>);
  return { report, stderr, exitCode, received: box.left('input'), file };
};

describe('fire --dialect codex', () => {
  const call = {
    session_id: 's-1',
    turn_id: 't-1',
    transcript_path: '/x/rollout.jsonl',
    cwd: '/elsewhere',
    hook_event_name: 'PreToolUse',
    model: 'gpt',
    permission_mode: 'bypassPermissions',
    tool_name: 'Bash',
    tool_input: { command: 'rm -rf x' },
    tool_use_id: 'call-1',
  };

  test('fire accepts what Codex reports, and hooks receive the same', async () => {
    const { received: text } = await fired('PreToolUse', 'cat > input', call);
    expect(JSON.parse(text)).toEqual({ ...call, session_id: expect.any(String) });
  });

  test('fire reports a denial with its exit status, and the note on stderr', async () => {
    const { report, exitCode, stderr } = await fired('PreToolUse', 'echo no; exit 2', call);
    expect([exitCode, report['blocked'], report['reason']]).toEqual([2, true, 'no']);
    expect(stderr).toContain(
      'Codex would ignore this denial: it exited with 2 and printed nothing on stderr',
    );
  });

  test('fire reports new arguments and a new result in Codex’s form', async () => {
    const updated = specific('PreToolUse', {
      permissionDecision: 'allow',
      updatedInput: { command: 'ls' },
    });
    const { report, exitCode } = await fired('PreToolUse', print(updated), call);
    expect([exitCode, report['toolInput']]).toEqual([0, { command: 'ls' }]);
    const after = await fired('PostToolUse', 'echo hidden >&2; exit 2', {
      ...call,
      tool_response: 'x',
    });
    expect(after.report['toolOutput']).toBe('hidden');
  });

  test('fire denies a call whose fields are not valid, and says which (S-33)', async () => {
    const { stderr, exitCode } = await fired('PreToolUse', ':', { tool_name: 1 });
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('"tool_name" must be a string; "tool_input" must be an object'),
    ]);
  });
});
