import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { guards, relayBox, replacesResult, says } from '../../support/relay.ts';

const base = { conversation_id: 's1', session_id: 's1', generation_id: 'g', cursor_version: '3.9.0', workspace_roots: ['/'] }; // prettier-ignore
const call = {
  ...base,
  hook_event_name: 'preToolUse',
  tool_name: 'Shell',
  tool_input: { command: 'ls' },
  tool_use_id: 'u',
  cwd: '/',
};
const after = {
  ...call,
  hook_event_name: 'postToolUse',
  tool_output: '{"output":"secret","exitCode":0}',
};
const shell = { ...base, hook_event_name: 'beforeShellExecution', command: 'ls', cwd: '/' };
const prompt = { ...base, hook_event_name: 'beforeSubmitPrompt', prompt: 'hi', attachments: [] };
const end = { ...base, hook_event_name: 'stop', status: 'completed', loop_count: 0 };
const denied = (reason: unknown) => ({
  permission: 'deny',
  user_message: reason,
  agent_message: reason,
});
const lost = (event: string, what: string) =>
  `hookmachine: Cursor cannot accept this in answer to ${event}: ${what}`;

describe('the relay for Cursor', () => {
  test.each([
    ['nothing if no hook has an opinion', 'tool.before', guards.silence, call, undefined, ''],
    ['a denial', 'tool.before', guards.deny, call, denied('not here'), ''],
    [
      'an approval',
      'tool.before',
      guards.allow,
      call,
      { permission: 'allow', user_message: 'fine', agent_message: 'fine' },
      '',
    ],
    [
      'a denial for a question at an event where it would not ask',
      'tool.before',
      guards.ask,
      call,
      denied(expect.stringContaining('sure?')),
      '',
    ],
    [
      'a question at an event where it asks',
      'tool.before',
      guards.ask,
      shell,
      { permission: 'ask', user_message: 'sure?', agent_message: 'sure?' },
      '',
    ],
    [
      'nothing for an approval of other arguments, which it does not take from shell hooks',
      'tool.before',
      says({ decision: 'allow', hookSpecificOutput: { tool_input: { command: 'pwd' } } }),
      shell,
      undefined,
      [
        lost('beforeShellExecution', 'an approval'),
        lost('beforeShellExecution', 'other arguments'),
      ].join('\n'),
    ],
    [
      'a denial for a stop (S-06)',
      'tool.before',
      guards.stop,
      call,
      denied('enough'),
      lost('preToolUse', 'a request to stop the agent ("enough")'),
    ],
    [
      'all arguments if one was changed',
      'tool.before',
      says({ hookSpecificOutput: { tool_input: { command: 'pwd' } } }),
      call,
      { updated_input: { command: 'pwd' } },
      '',
    ],
    [
      'nothing for another result of one of its own tools',
      'tool.after',
      replacesResult,
      after,
      undefined,
      lost('postToolUse', 'another result'),
    ],
    [
      'context after a tool',
      'tool.after',
      guards.context,
      after,
      { additional_context: 'by the way' },
      '',
    ],
    [
      'a block of a prompt',
      'prompt.submit',
      guards.deny,
      prompt,
      { continue: false, user_message: 'not here' },
      '',
    ],
    ['a reason to continue', 'agent.stop', guards.deny, end, { followup_message: 'not here' }, ''],
    [
      'nothing for a stop at the end of a turn, which lets it end',
      'agent.stop',
      guards.stop,
      end,
      undefined,
      '',
    ],
  ])('Cursor is given %s', async (_, point, guard, given, expected, stderr) => {
    const box = relayBox();
    if (guard === replacesResult) replacesResult(box);
    else box.guard({ [point]: guard as string });
    const env = { CURSOR_PROJECT_DIR: box.project };
    const relayed = await box.relay('cursor', given, { env });
    expect({ ...relayed, stdout: '' }).toEqual({
      answer: expected,
      stdout: '',
      stderr,
      exitCode: 0,
    });
  });

  test('Cursor is given a question about a call that is deferred', async () => {
    const box = relayBox();
    const plugins = join(box.home, '.claude/plugins');
    box.write(join(box.home, '.claude/settings.json'), { enabledPlugins: { 'a@shop': true } });
    box.write(join(plugins, 'installed_plugins.json'), {
      version: 2,
      plugins: { 'a@shop': [{ scope: 'user', installPath: join(plugins, 'a') }] },
    });
    const command = says({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'defer',
        permissionDecisionReason: 'later',
      },
    });
    box.write(join(plugins, 'a/hooks/hooks.json'), {
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] },
    });
    const env = { CURSOR_PROJECT_DIR: box.project };
    expect((await box.relay('cursor', shell, { env })).answer).toEqual({
      permission: 'ask',
      user_message: 'later',
      agent_message: 'later',
    });
  });

  test("Cursor is given nothing by hooks of Claude Code's files, which it runs itself (S-14)", async () => {
    const box = relayBox();
    const denying = {
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'exit 2' }] }] },
    };
    box.write(join(box.project, '.claude/settings.json'), denying);
    box.write(join(box.home, '.claude/settings.json'), denying);
    const env = { CURSOR_PROJECT_DIR: box.project };
    expect((await box.relay('cursor', call, { env })).stdout).toBe('');
  });

  test("Cursor is given a denial if it runs a relay in Claude Code's file", async () => {
    const box = relayBox();
    box.guard({ 'tool.before': guards.deny });
    const env = { CURSOR_PROJECT_DIR: box.project };
    expect((await box.relay('claude-code', call, { env })).answer).toEqual(denied('not here'));
  });
});
