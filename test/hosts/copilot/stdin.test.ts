import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { copilot } from '../../../src/hosts/copilot/index.ts';
import type { HookEventName } from '../../../src/core/points/hook-points.ts';
import { copilotBox, hooksOf } from '../../support/copilot.ts';

/** Returns what a hook of an event reads on stdin. */
async function received(native: string, event: HookEventName, fields: object) {
  const { local, start, left, project } = copilotBox();
  local(hooksOf(native, 'cat > input'));
  const { fire } = await start();
  await fire(event, fields as never, { transcriptPath: '/talk.jsonl' });
  const text = left('input');
  return { text, input: JSON.parse(text) as Record<string, unknown>, project };
}

const shell = { tool_name: 'run_shell_command', tool_input: { command: 'ls\npwd' } };
const response = { tool_response: { llmContent: 'out', returnDisplay: 'out' } };
const gone = { llmContent: 'gone', returnDisplay: 'gone', error: { message: 'gone' } };
const some = expect.stringMatching(/./) as unknown;
const camel = { sessionId: some, timestamp: expect.any(Number) as unknown, cwd: some };
const pascal = (name: string) => ({
  hook_event_name: name,
  session_id: some,
  timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
  cwd: some,
});

describe('what a hook receives', () => {
  test.each([
    ['preToolUse', 'BeforeTool', shell, { ...camel, toolName: 'bash', toolArgs: shell.tool_input }],
    [
      'PreToolUse',
      'BeforeTool',
      shell,
      { ...pascal('PreToolUse'), tool_name: 'Bash', tool_input: shell.tool_input },
    ],
    [
      'postToolUse',
      'AfterTool',
      { ...shell, ...response },
      {
        ...camel,
        toolName: 'bash',
        toolArgs: shell.tool_input,
        toolResult: { resultType: 'success', textResultForLlm: 'out' },
      },
    ],
    [
      'PostToolUse',
      'AfterTool',
      { ...shell, ...response },
      {
        ...pascal('PostToolUse'),
        tool_name: 'Bash',
        tool_input: shell.tool_input,
        tool_result: { result_type: 'success', text_result_for_llm: 'out' },
      },
    ],
    [
      'postToolUseFailure',
      'ToolFailed',
      { ...shell, error: 'gone', tool_response: gone },
      { ...camel, toolName: 'bash', toolArgs: shell.tool_input, error: 'gone' },
    ],
    [
      'PostToolUseFailure',
      'ToolFailed',
      { ...shell, error: 'gone', tool_response: gone },
      {
        ...pascal('PostToolUseFailure'),
        tool_name: 'Bash',
        tool_input: shell.tool_input,
        error: 'gone',
      },
    ],
    ...['permissionRequest', 'PermissionRequest'].map(
      (native) =>
        [
          native,
          'ToolPermission',
          shell,
          {
            hookName: 'permissionRequest',
            ...camel,
            toolName: 'bash',
            toolInput: shell.tool_input,
            permissionSuggestions: [],
          },
        ] as const,
    ),
    ['userPromptSubmitted', 'BeforeAgent', { prompt: 'Hi' }, { ...camel, prompt: 'Hi' }],
    [
      'UserPromptSubmit',
      'BeforeAgent',
      { prompt: 'Hi' },
      { ...pascal('UserPromptSubmit'), prompt: 'Hi' },
    ],
    ['sessionStart', 'SessionStart', { source: 'startup' }, { ...camel, source: 'new' }],
    [
      'SessionStart',
      'SessionStart',
      { source: 'resume' },
      { ...pascal('SessionStart'), source: 'resume' },
    ],
    ['sessionEnd', 'SessionEnd', { reason: 'exit' }, { ...camel, reason: 'complete' }],
    [
      'agentStop',
      'AfterAgent',
      { prompt: 'Hi', prompt_response: 'Done', stop_hook_active: true },
      {
        ...camel,
        transcriptPath: '/talk.jsonl',
        stopReason: 'end_turn',
        stop_hook_active: true,
      },
    ],
    [
      'Stop',
      'AfterAgent',
      { prompt: 'Hi', prompt_response: 'Done', stop_hook_active: false },
      {
        ...pascal('Stop'),
        transcript_path: '/talk.jsonl',
        stop_reason: 'end_turn',
        stop_hook_active: false,
      },
    ],
    [
      'preCompact',
      'PreCompress',
      { trigger: 'auto' },
      { ...camel, transcriptPath: '/talk.jsonl', trigger: 'auto', customInstructions: '' },
    ],
    [
      'subagentStart',
      'SubagentStart',
      { agent_id: '1', agent_type: 'explore' },
      { ...camel, transcriptPath: '/talk.jsonl', agentName: 'explore' },
    ],
    [
      'SubagentStop',
      'SubagentStop',
      {
        agent_id: '1',
        agent_type: 'explore',
        stop_hook_active: false,
        last_assistant_message: 'Found',
      },
      {
        ...pascal('SubagentStop'),
        transcript_path: '/talk.jsonl',
        agent_id: '1',
        agent_type: 'explore',
        agent_name: 'explore',
        last_assistant_message: 'Found',
        stop_reason: 'end_turn',
      },
    ],
    [
      'notification',
      'Notification',
      { notification_type: 'ToolPermission', message: 'May I?', details: {} },
      {
        ...camel,
        hook_event_name: 'Notification',
        message: 'May I?',
        notification_type: 'permission_prompt',
      },
    ],
  ] as const)(
    'a hook of %s receives the fields that Copilot gives it',
    async (native, event, fields, wanted) => {
      const { text, input } = await received(native, event, fields);
      expect(input).toEqual(wanted);
      expect(text.endsWith('}')).toBe(true);
      expect(Object.keys(input)).toEqual(Object.keys(wanted));
    },
  );
});

describe('our tools in Copilot’s words, and back', () => {
  test.each([
    ['write_file', { file_path: 'a', content: 'x' }, 'create', { path: 'a', file_text: 'x' }],
    [
      'replace',
      { file_path: 'a', old_string: 'x', new_string: 'y' },
      'edit',
      { path: 'a', old_str: 'x', new_str: 'y' },
    ],
    ['read_file', { file_path: 'a' }, 'view', { path: 'a' }],
    [
      'read_file',
      { file_path: 'a', offset: 4, limit: 2 },
      'view',
      { path: 'a', view_range: [5, 6] },
    ],
    ['read_file', { file_path: 'a', offset: 4 }, 'view', { path: 'a', view_range: [5, -1] }],
    ['glob', { pattern: '*.ts', path: 'src' }, 'glob', { pattern: '*.ts', path: 'src' }],
    [
      'search_file_content',
      { pattern: 'x', include: '*.ts' },
      'grep',
      { pattern: 'x', glob: '*.ts' },
    ],
    ['web_fetch', { url: 'https://example.com' }, 'web_fetch', { url: 'https://example.com' }],
    ['some_tool', { any: 1 }, 'some_tool', { any: 1 }],
  ])(
    'the tool %s with %j becomes Copilot’s, and is read back',
    async (tool_name, tool_input, toolName, toolArgs) => {
      const { input } = await received('preToolUse', 'BeforeTool', { tool_name, tool_input });
      expect(input).toMatchObject({ toolName, toolArgs });
      const read = await copilot.readCall('preToolUse', { toolName, toolArgs });
      expect(read).toMatchObject({ fields: { tool_name, tool_input } });
    },
  );

  test('the tool that lists a folder reaches a hook as the one that shows a file', async () => {
    const { input } = await received('PreToolUse', 'BeforeTool', {
      tool_name: 'list_directory',
      tool_input: { path: 'src' },
    });
    expect(input).toMatchObject({ tool_name: 'Read', tool_input: { path: 'src' } });
  });

  test.each([
    ['PreToolUse', { tool_name: 'Write', tool_input: { path: 'a', file_text: 'x' } }],
    ['preToolUse', { toolName: 'create', toolArgs: '{"path":"a","file_text":"x"}' }],
    ['permissionRequest', { toolName: 'create', toolInput: { file_path: 'a', file_text: 'x' } }],
  ])('%s with %j is read as our write_file', async (event, given) => {
    expect(await copilot.readCall(event, given)).toMatchObject({
      fields: { tool_name: 'write_file', tool_input: { file_path: 'a', content: 'x' } },
    });
  });
});

test('the environment names the project and the folder of the hook', async () => {
  const { local, start, left, project } = copilotBox();
  local(
    hooksOf('preToolUse', {
      bash: 'echo "$COPILOT_CLI $COPILOT_PROJECT_DIR $CLAUDE_PROJECT_DIR $COPILOT_HOOK_DIR $ONE $BASH_VERSION" > log',
      env: { ONE: '$HOME' },
    }),
  );
  await (await start()).fire('BeforeTool', shell);
  const folder = join(project, '.github/hooks');
  expect(left('log')).toMatch(new RegExp(`^1 ${project} ${project} ${folder} \\$HOME \\d`));
});
