import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { guards, relayBox, replacesResult, says } from '../../support/relay.ts';

const call = {
  hook_event_name: 'PreToolUse',
  session_id: 's1',
  transcript_path: '/tmp/t.jsonl',
  cwd: '/',
  permission_mode: 'default',
  tool_name: 'Bash',
  tool_input: { command: 'ls', description: 'List' },
  tool_use_id: 'toolu_1',
};
const before = (fields: object) => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields },
});
const denied = before({ permissionDecision: 'deny', permissionDecisionReason: 'not here' });

describe('the relay for Claude Code, before a tool', () => {
  test.each([
    ['nothing if no hook has an opinion', guards.silence, undefined],
    ['nothing if a hook failed', guards.failure, undefined],
    [
      'an approval',
      guards.allow,
      before({ permissionDecision: 'allow', permissionDecisionReason: 'fine' }),
    ],
    ['a denial', guards.deny, denied],
    [
      'a denial with some reason if the hook gave none',
      guards.silentDenial,
      before({ permissionDecision: 'deny', permissionDecisionReason: expect.any(String) }),
    ],
    [
      'a question for the user',
      guards.ask,
      before({ permissionDecision: 'ask', permissionDecisionReason: 'sure?' }),
    ],
    [
      'a stop, and a denial of the tool (S-06)',
      guards.stop,
      {
        continue: false,
        stopReason: 'enough',
        ...before({ permissionDecision: 'deny', permissionDecisionReason: 'enough' }),
      },
    ],
    [
      'all arguments if one was changed',
      says({ hookSpecificOutput: { tool_input: { command: 'ls -l' } } }),
      before({ updatedInput: { command: 'ls -l', description: 'List' } }),
    ],
    ['context', guards.context, before({ additionalContext: 'by the way' })],
    ['a message for the user', guards.message, { systemMessage: 'look' }],
  ])('before a tool, Claude Code is given %s', async (_, guard, expected) => {
    const { guard: set, relay } = relayBox();
    set({ 'tool.before': guard });
    const { answer, exitCode, stderr } = await relay('claude-code', call);
    expect(answer).toEqual(expected);
    expect(exitCode).toBe(0);
    if (guard === guards.failure) expect(stderr).toContain('failed and was ignored');
    else expect(stderr).toBe('');
  });

  test('Claude Code is given paths and arguments under its own names', async () => {
    const { guard, relay, project } = relayBox();
    guard({ 'tool.before': says({ hookSpecificOutput: { tool_input: { content: 'y' } } }) });
    const file_path = join(project, 'a.txt');
    const { answer } = await relay('claude-code', {
      ...call,
      tool_name: 'Write',
      tool_input: { file_path, content: 'x' },
    });
    expect(answer).toEqual(before({ updatedInput: { file_path, content: 'y' } }));
  });
});

describe('the relay for Claude Code, at other events', () => {
  const base = { session_id: 's1', cwd: '/', permission_mode: 'default' };
  const prompt = { ...base, hook_event_name: 'UserPromptSubmit', prompt: 'hi' };
  const stop = { ...base, hook_event_name: 'Stop', stop_hook_active: false };
  const after = {
    ...call,
    hook_event_name: 'PostToolUse',
    tool_response: { stdout: 'a', stderr: '', interrupted: false, isImage: false },
  };
  test.each([
    [
      'a block of a prompt',
      'prompt.submit',
      guards.deny,
      prompt,
      { decision: 'block', reason: 'not here' },
    ],
    [
      'a stop at a prompt',
      'prompt.submit',
      guards.stop,
      prompt,
      { decision: 'block', reason: 'enough', continue: false, stopReason: 'enough' },
    ],
    [
      'context for a prompt',
      'prompt.submit',
      guards.context,
      prompt,
      {
        hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'by the way' },
      },
    ],
    [
      'a reason to continue',
      'agent.stop',
      guards.deny,
      stop,
      { decision: 'block', reason: 'not here' },
    ],
    [
      'a stop at the end of a turn',
      'agent.stop',
      guards.stop,
      stop,
      { continue: false, stopReason: 'enough' },
    ],
    [
      'a denial after a tool',
      'tool.after',
      guards.deny,
      after,
      { decision: 'block', reason: 'not here' },
    ],
    [
      'context for a session',
      'session.start',
      guards.context,
      { ...base, hook_event_name: 'SessionStart', source: 'startup' },
      { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'by the way' } },
    ],
    [
      'a refused permission',
      'tool.permission',
      guards.deny,
      { ...call, hook_event_name: 'PermissionRequest' },
      {
        hookSpecificOutput: {
          hookEventName: 'PermissionRequest',
          decision: { behavior: 'deny', message: 'not here' },
        },
      },
    ],
  ])('at other events, Claude Code is given %s', async (_, point, guard, given, expected) => {
    const { guard: set, relay } = relayBox();
    set({ [point]: guard });
    expect(await relay('claude-code', given)).toMatchObject({ answer: expected, exitCode: 0 });
  });

  test("Claude Code is given another result in the form of the tool's own", async () => {
    const box = relayBox();
    replacesResult(box);
    const { answer } = await box.relay('claude-code', after);
    expect(answer).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PostToolUse',
        updatedToolOutput: {
          stdout: '***',
          stderr: '',
          interrupted: false,
          isImage: false,
          noOutputExpected: false,
        },
      },
    });
  });

  test('what Claude Code cannot be given is reported', async () => {
    const { guard, relay } = relayBox();
    guard({ 'session.end': guards.context });
    const { stdout, stderr, exitCode } = await relay('claude-code', {
      ...base,
      hook_event_name: 'SessionEnd',
      reason: 'other',
    });
    expect(stdout).toBe('');
    expect(stderr).toBe(
      'hookmachine: Claude Code cannot accept this in answer to SessionEnd: context ("by the way")',
    );
    expect(exitCode).toBe(0);
  });
});
