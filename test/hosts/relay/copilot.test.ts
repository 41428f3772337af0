import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProcess } from '../../support/in-process.ts';
import { guards, relayBox, replacesResult, says } from '../../support/relay.ts';

const base = { sessionId: 's1', timestamp: 1_700_000_000_000, cwd: '/' };
const call = { ...base, toolName: 'bash', toolArgs: { command: 'ls', description: 'List' } };
const after = { ...call, toolResult: { resultType: 'success', textResultForLlm: 'secret' } };
const lost = (event: string, what: string) =>
  `hookmachine: Copilot cannot accept this in answer to ${event}: ${what}`;
const denied = (permissionDecisionReason: unknown) => ({
  permissionDecision: 'deny',
  permissionDecisionReason,
});

const denying = (reason: string) => ({
  hooks: {
    PreToolUse: [{ hooks: [{ type: 'command', command: `echo ${reason} >&2; exit 2` }] }],
  },
});

describe('the relay for Copilot', () => {
  test.each([
    [
      'nothing if no hook has an opinion',
      'preToolUse',
      'tool.before',
      guards.silence,
      call,
      undefined,
      '',
    ],
    [
      'an approval',
      'preToolUse',
      'tool.before',
      guards.allow,
      call,
      { permissionDecision: 'allow', permissionDecisionReason: 'fine' },
      '',
    ],
    ['a denial', 'preToolUse', 'tool.before', guards.deny, call, denied('not here'), ''],
    [
      'a question for the user',
      'preToolUse',
      'tool.before',
      guards.ask,
      call,
      { permissionDecision: 'ask', permissionDecisionReason: 'sure?' },
      '',
    ],
    [
      'a denial for a stop (S-06)',
      'preToolUse',
      'tool.before',
      guards.stop,
      call,
      denied('enough'),
      lost('preToolUse', 'a request to stop the agent ("enough")'),
    ],
    [
      'all arguments if one was changed',
      'preToolUse',
      'tool.before',
      says({ hookSpecificOutput: { tool_input: { command: 'pwd' } } }),
      call,
      { modifiedArgs: { command: 'pwd', description: 'List' } },
      '',
    ],
    [
      'context',
      'preToolUse',
      'tool.before',
      guards.context,
      call,
      { additionalContext: 'by the way' },
      '',
    ],
    [
      'nothing for a message to the user',
      'preToolUse',
      'tool.before',
      guards.message,
      call,
      undefined,
      lost('preToolUse', 'a message ("look")'),
    ],
    [
      'a refused permission',
      'permissionRequest',
      'tool.permission',
      guards.deny,
      call,
      { behavior: 'deny', message: 'not here' },
      '',
    ],
    [
      'nothing for an approval of other arguments, which it does not take there',
      'permissionRequest',
      'tool.permission',
      says({ decision: 'allow', hookSpecificOutput: { tool_input: { command: 'pwd' } } }),
      call,
      undefined,
      [lost('permissionRequest', 'an approval'), lost('permissionRequest', 'other arguments')].join(
        '\n',
      ),
    ],
    [
      'another result',
      'postToolUse',
      'tool.after',
      replacesResult,
      after,
      { modifiedResult: { resultType: 'success', textResultForLlm: '***' } },
      '',
    ],
    [
      'a denial after a tool',
      'postToolUse',
      'tool.after',
      guards.deny,
      after,
      { decision: 'block', reason: 'not here' },
      '',
    ],
    [
      'a block of a prompt',
      'userPromptSubmitted',
      'prompt.submit',
      guards.deny,
      { ...base, prompt: 'hi' },
      { decision: 'block', reason: 'not here' },
      '',
    ],
    [
      'a reason to continue',
      'agentStop',
      'agent.stop',
      guards.deny,
      { ...base, stopReason: 'end_turn' },
      { decision: 'block', reason: 'not here' },
      '',
    ],
    [
      'context for a session',
      'sessionStart',
      'session.start',
      guards.context,
      { ...base, source: 'new' },
      { additionalContext: 'by the way' },
      '',
    ],
  ])('Copilot is given %s', async (_, event, point, guard, given, expected, stderr) => {
    const box = relayBox();
    if (guard === replacesResult) replacesResult(box);
    else box.guard({ [point]: guard as string });
    const relayed = await box.relay('copilot', given, { event });
    expect({ ...relayed, stdout: '' }).toEqual({
      answer: expected,
      stdout: '',
      stderr,
      exitCode: 0,
    });
  });

  test('Copilot is given the same in its other form, whose input names the event', async () => {
    const { guard, relay } = relayBox();
    guard({ 'tool.before': guards.deny });
    const { answer } = await relay('copilot', {
      hook_event_name: 'PreToolUse',
      session_id: 's1',
      timestamp: '2026-11-22T10:00:00.000Z',
      cwd: '/',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
    });
    expect(answer).toEqual(denied('not here'));
  });

  test("Copilot is given nothing by hooks of Claude Code's files in the project, which it runs itself (S-14)", async () => {
    const box = relayBox();
    box.write(join(box.project, '.claude/settings.json'), denying('project'));
    box.write(join(box.home, '.claude/settings.json'), denying('user'));
    expect((await box.relay('copilot', call, { event: 'preToolUse' })).answer).toEqual(
      denied('user'),
    );
  });
});

describe("a relay in Claude Code's file that Copilot runs", () => {
  const given = {
    hook_event_name: 'PreToolUse',
    session_id: 's1',
    timestamp: '2026-11-22T10:00:00.000Z',
    cwd: '/',
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
  };
  const env = { COPILOT_CLI: '1' };

  test("a relay in Claude Code's file answers in the form that Copilot obeys", async () => {
    const { guard, relay } = relayBox();
    guard({ 'tool.before': guards.deny });
    expect((await relay('claude-code', given, { env })).answer).toEqual(denied('not here'));
  });

  test("a relay in Claude Code's file says nothing if Copilot calls a relay of its own, so that guards run once", async () => {
    const box = relayBox();
    box.guard({ 'tool.before': 'touch ran; exit 2' });
    await inProcess(box, ['install', 'copilot']);
    expect(await box.relay('claude-code', given, { env })).toMatchObject({
      stdout: '',
      exitCode: 0,
    });
    expect(existsSync(join(box.project, 'ran'))).toBe(false);
  });

  test.each([
    ['in a project that the user does not trust', 'preToolUse', { HOOKMACHINE_TRUST: '' }],
    ['at another event', 'sessionEnd', {}],
  ])(
    "a relay in Claude Code's file answers if Copilot calls a relay of its own %s",
    async (_, event, more) => {
      const box = relayBox();
      box.write(join(box.project, '.github/hooks/hookmachine.json'), {
        version: 1,
        hooks: { [event]: [{ type: 'command', bash: `hookmachine relay copilot ${event}` }] },
      });
      box.write(box.own.user, {
        hooks: { 'tool.before': [{ hooks: [{ type: 'command', command: guards.deny }] }] },
      });
      const relayed = await box.relay('claude-code', given, { env: { ...env, ...more } });
      expect(relayed.answer).toEqual(denied('not here'));
    },
  );

  test("a relay in Claude Code's file answers Claude Code if Copilot started it", async () => {
    const { guard, relay } = relayBox();
    guard({ 'tool.before': guards.deny });
    const { timestamp: _, ...own } = given;
    expect((await relay('claude-code', own, { env })).answer).toHaveProperty('hookSpecificOutput');
  });
});
