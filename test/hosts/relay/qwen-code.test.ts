import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { guards, relayBox, replacesResult, says } from '../../support/relay.ts';

const base = { session_id: 's1', transcript_path: '/t', cwd: '/', timestamp: '2026-11-22T10:00:00.000Z', permission_mode: 'default' }; // prettier-ignore
const call = {
  ...base,
  hook_event_name: 'PreToolUse',
  tool_name: 'run_shell_command',
  tool_input: { command: 'ls', is_background: false },
  tool_use_id: 'u',
};
const after = {
  ...call,
  hook_event_name: 'PostToolUse',
  tool_response: { llmContent: 'secret', returnDisplay: 'secret' },
};
const permission = { ...call, hook_event_name: 'PermissionRequest' };
const prompt = { ...base, hook_event_name: 'UserPromptSubmit', prompt: 'hi' };
const end = {
  ...base,
  hook_event_name: 'Stop',
  stop_hook_active: false,
  last_assistant_message: '',
};
const specific = (hookEventName: string, fields: object) => ({
  hookSpecificOutput: { hookEventName, ...fields },
});
/** In both forms: another hook's "allow" would undo a single one. */
const denied = (reason: unknown) => ({
  decision: 'deny',
  reason,
  ...specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: reason }),
});
const lost = (event: string, what: string) =>
  `hookmachine: Qwen Code cannot accept this in answer to ${event}: ${what}`;

describe('the relay for Qwen Code', () => {
  test.each([
    ['nothing if no hook has an opinion', 'tool.before', guards.silence, call, undefined, ''],
    ['a denial', 'tool.before', guards.deny, call, denied('not here'), ''],
    [
      'a question for the user',
      'tool.before',
      guards.ask,
      call,
      specific('PreToolUse', { permissionDecision: 'ask', permissionDecisionReason: 'sure?' }),
      '',
    ],
    [
      'a denial for a stop (S-06)',
      'tool.before',
      guards.stop,
      call,
      denied('enough'),
      lost('PreToolUse', 'a request to stop the agent ("enough")'),
    ],
    [
      'nothing for other arguments, which it does not take',
      'tool.before',
      says({ hookSpecificOutput: { tool_input: { command: 'pwd' } } }),
      call,
      undefined,
      lost('PreToolUse', 'other arguments'),
    ],
    [
      'other arguments beside an approval where the user would be asked',
      'tool.permission',
      says({ decision: 'allow', hookSpecificOutput: { tool_input: { command: 'pwd' } } }),
      permission,
      specific('PermissionRequest', {
        decision: { behavior: 'allow', updatedInput: { command: 'pwd', is_background: false } },
      }),
      '',
    ],
    [
      'a refused permission',
      'tool.permission',
      guards.deny,
      permission,
      specific('PermissionRequest', { decision: { behavior: 'deny', message: 'not here' } }),
      '',
    ],
    [
      'a denial after a tool as context, because nobody would read it otherwise',
      'tool.after',
      guards.deny,
      after,
      specific('PostToolUse', { additionalContext: 'not here' }),
      '',
    ],
    [
      'another result in place of a reason to stop',
      'tool.after',
      replacesResult,
      after,
      { continue: false, stopReason: '***' },
      '',
    ],
    [
      'a block of a prompt',
      'prompt.submit',
      guards.deny,
      prompt,
      { decision: 'block', reason: 'not here' },
      '',
    ],
    [
      'a block of a prompt that must not be sent',
      'prompt.submit',
      guards.stop,
      prompt,
      { decision: 'block', reason: 'enough' },
      '',
    ],
    [
      'context for a prompt',
      'prompt.submit',
      guards.context,
      prompt,
      specific('UserPromptSubmit', { additionalContext: 'by the way' }),
      '',
    ],
    [
      'a reason to continue',
      'agent.stop',
      guards.deny,
      end,
      { decision: 'block', reason: 'not here' },
      '',
    ],
    [
      'nothing for a stop at the end of a turn, which lets it end',
      'agent.stop',
      guards.stop,
      end,
      undefined,
      '',
    ],
  ])('Qwen Code is given %s', async (_, point, guard, given, expected, stderr) => {
    const box = relayBox();
    if (guard === replacesResult) replacesResult(box);
    else box.guard({ [point]: guard as string });
    const relayed = await box.relay('qwen-code', given);
    expect({ ...relayed, stdout: '' }).toEqual({
      answer: expected,
      stdout: '',
      stderr,
      exitCode: 0,
    });
  });
});

test.each([
  ['before a tool', 'tool.before', call],
  ['where the user would be asked', 'tool.permission', permission],
  ['at a prompt', 'prompt.submit', prompt],
])(
  'a denial %s stays below the 1 MiB above which Qwen Code reads nothing, however long its reason is',
  async (_, point, given) => {
    const box = relayBox();
    const deny = `node -e 'console.log(JSON.stringify({ decision: "deny", reason: "\\u65e5\\u0001".repeat(300000) }))'`;
    box.guard({ [point]: [deny, says({ systemMessage: 'x'.repeat(100_000) })] });
    const { stdout, answer } = await box.relay('qwen-code', given);
    expect(Buffer.byteLength(stdout)).toBeLessThan(2 ** 20);
    expect(JSON.stringify(answer)).toMatch(/"(?:decision|behavior)":"(?:deny|block)"/);
  },
);

test('Qwen Code is given a denial by hooks of Claude Code after all calls of one answer', async () => {
  const box = relayBox();
  box.write(join(box.project, '.claude/settings.json'), {
    hooks: { PostToolBatch: [{ hooks: [{ type: 'command', command: guards.deny }] }] },
  });
  const given = { ...base, hook_event_name: 'PostToolBatch', tool_calls: [] };
  const { answer } = await box.relay('qwen-code', given);
  expect(answer).toEqual({ decision: 'block', reason: 'not here' });
});

test('the prompt that Qwen Code fires with tool results runs no hooks', async () => {
  const box = relayBox();
  box.guard({ 'prompt.submit': 'touch ran; exit 2' });
  expect(await box.relay('qwen-code', { ...prompt, prompt: '' })).toMatchObject({
    stdout: '',
    stderr: '',
    exitCode: 0,
  });
  expect(existsSync(join(box.project, 'ran'))).toBe(false);
});
