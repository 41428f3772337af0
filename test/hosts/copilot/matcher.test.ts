import { expect, test } from 'vitest';
import type { HookEventName } from '../../../src/core/protocol/events.ts';
import { copilotBox } from '../../support/copilot.ts';

const shell = { tool_name: 'run_shell_command', tool_input: { command: 'ls' } };
const write = { tool_name: 'write_file', tool_input: { file_path: 'a', content: '' } };
const response = { tool_response: { llmContent: '', returnDisplay: '' } };

/** Returns which of these matchers an event matches, by the hooks that run. */
async function fitting(
  event: HookEventName,
  fields: object,
  native: string,
  matchers: readonly string[],
) {
  const { local, start, left } = copilotBox();
  local({
    hooks: { [native]: matchers.map((matcher) => ({ bash: `echo '${matcher}' >> log`, matcher })) },
  });
  const { fire, warnings } = await start();
  await fire(event, fields as never);
  return { fits: left('log').split('\n').slice(0, -1), warnings };
}

test.each([
  ['preToolUse', 'BeforeTool', shell, ['bash', 'b.*', 'edit|bash', 'bash|x']],
  ['postToolUse', 'AfterTool', { ...shell, ...response }, ['bash', 'b.*', 'edit|bash', 'bash|x']],
  ['permissionRequest', 'ToolPermission', shell, ['bash', 'b.*', 'edit|bash', 'bash|x']],
  [
    'PreToolUse',
    'BeforeTool',
    shell,
    ['bash', 'Bash', '*', '**', 'Ba.*', 'Edit|Bash', 'Edit|Ba.*', 'edit|bash', 'bash|x'],
  ],
  [
    'PostToolUse',
    'AfterTool',
    { ...shell, ...response },
    ['bash', 'Bash', '*', '**', 'Ba.*', 'Edit|Bash', 'Edit|Ba.*', 'edit|bash', 'bash|x'],
  ],
] as const)('the matchers of %s match as measured', async (native, event, fields, wanted) => {
  const all = [
    'bash',
    'Bash',
    '*',
    '**',
    '',
    'ba',
    'Ba',
    'ba(',
    'b.*',
    'Ba.*',
    'Edit|Bash',
    'Edit | Bash',
    'Edit,Bash',
    'Edit|Ba.*',
    'edit|bash',
    'bash|x',
    'run_shell_command',
  ];
  expect((await fitting(event, fields, native, all)).fits).toEqual(wanted);
});

test('writing a file matches create and Write, and also edit at a request for permission', async () => {
  const names = ['create', 'edit', 'Write', 'Edit', 'Edit|Write'];
  const [camel, pascal, asked] = await Promise.all([
    fitting('BeforeTool', write, 'preToolUse', names),
    fitting('BeforeTool', write, 'PreToolUse', names),
    fitting('ToolPermission', write, 'permissionRequest', names),
  ]);
  expect(camel.fits).toEqual(['create']);
  expect(pascal.fits).toEqual(['create', 'Write', 'Edit|Write']);
  expect(asked.fits).toEqual(['create', 'edit']);
});

test.each([
  ['agentStop', 'AfterAgent', { prompt: '', prompt_response: '', stop_hook_active: false }],
  ['userPromptSubmitted', 'BeforeAgent', { prompt: '' }],
  ['sessionStart', 'SessionStart', { source: 'startup' }],
  ['sessionEnd', 'SessionEnd', { reason: 'exit' }],
  ['postToolUseFailure', 'ToolFailed', { ...shell, error: 'x' }],
] as const)('%s ignores matchers', async (native, event, fields) => {
  expect((await fitting(event, fields, native, ['x', ''])).fits).toEqual(['x', '']);
});

test('a matcher is tested on a trigger, an agent and a kind of notification', async () => {
  const [compact, agent, notified] = await Promise.all([
    fitting('PreCompress', { trigger: 'auto' }, 'preCompact', ['auto', 'manual']),
    fitting('SubagentStart', { agent_id: '1', agent_type: 'explore' }, 'subagentStart', [
      'explore',
      'task',
    ]),
    fitting(
      'Notification',
      { notification_type: 'agent_idle', message: '', details: {} },
      'notification',
      ['agent_.*', 'shell_.*'],
    ),
  ]);
  expect(compact.fits).toEqual(['auto']);
  expect(agent.fits).toEqual(['explore']);
  expect(notified.fits).toEqual(['agent_.*']);
});

test('a matcher that can match nothing is reported with its place and a fix', async () => {
  const { warnings } = await fitting('BeforeTool', shell, 'preToolUse', ['', 'Bash', '*', 'bash']);
  expect(warnings).toEqual([
    expect.stringMatching(/preToolUse\[0\]\.matcher: is empty, so the hook never runs; .+/),
    expect.stringMatching(
      /preToolUse\[1\]\.matcher: uses the tool names of PascalCase hooks.+; .+/,
    ),
    expect.stringMatching(/preToolUse\[2\]\.matcher: is not a valid regular expression.+; .+/),
  ]);
});
