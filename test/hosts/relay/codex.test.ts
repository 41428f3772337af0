import { describe, expect, test } from 'vitest';
import type { CodexEventName } from '../../../src/hosts/codex/events.ts';
import { faultOf } from '../../../src/hosts/codex/schema.ts';
import { isRecord } from '../../../src/base/json.ts';
import { guards, relayBox, replacesResult, says } from '../../support/relay.ts';

const base = { session_id: 's1', transcript_path: null, cwd: '/', turn_id: 't', model: 'm', permission_mode: 'default' }; // prettier-ignore
const call = {
  ...base,
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
  tool_use_id: 'u',
};
const after = { ...call, hook_event_name: 'PostToolUse', tool_response: 'secret' };
const permission = { ...call, hook_event_name: 'PermissionRequest' };
const prompt = { ...base, hook_event_name: 'UserPromptSubmit', prompt: 'hi' };
const end = { ...base, hook_event_name: 'Stop', stop_hook_active: false };
const start = { ...base, hook_event_name: 'SessionStart', source: 'startup' };
const compact = { ...base, hook_event_name: 'PreCompact', trigger: 'manual' };
const specific = (hookEventName: string, fields: object) => ({
  hookSpecificOutput: { hookEventName, ...fields },
});
const denied = (permissionDecisionReason: unknown) =>
  specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason });
const lost = (event: string, what: string) =>
  `hookmachine: Codex cannot accept this in answer to ${event}: ${what}`;

describe('the relay for Codex', () => {
  test.each([
    ['nothing if no hook has an opinion', 'tool.before', guards.silence, call, undefined, ''],
    [
      'nothing for an approval, which would void the answer',
      'tool.before',
      guards.allow,
      call,
      undefined,
      lost('PreToolUse', 'an approval ("fine")'),
    ],
    ['a denial', 'tool.before', guards.deny, call, denied('not here'), ''],
    [
      'a denial with some reason if no hook gave one',
      'tool.before',
      guards.silentDenial,
      call,
      denied(expect.stringMatching(/\S/)),
      '',
    ],
    [
      'a denial if nobody can be asked (S-02)',
      'tool.before',
      guards.ask,
      call,
      denied(expect.stringContaining('sure?')),
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
      'other arguments beside "allow"',
      'tool.before',
      says({ hookSpecificOutput: { tool_input: { command: 'pwd' } } }),
      call,
      specific('PreToolUse', { permissionDecision: 'allow', updatedInput: { command: 'pwd' } }),
      '',
    ],
    [
      'other arguments without context, which would void them',
      'tool.before',
      says({ hookSpecificOutput: { tool_input: { command: 'pwd' }, additionalContext: 'x' } }),
      call,
      specific('PreToolUse', { permissionDecision: 'allow', updatedInput: { command: 'pwd' } }),
      lost('PreToolUse', 'context ("x")'),
    ],
    [
      'context',
      'tool.before',
      guards.context,
      call,
      specific('PreToolUse', { additionalContext: 'by the way' }),
      '',
    ],
    [
      'nothing for a hook that hides its output',
      'tool.before',
      guards.hide,
      call,
      undefined,
      lost('PreToolUse', 'a request to hide the output from the user'),
    ],
    ['a message for the user', 'tool.before', guards.message, call, { systemMessage: 'look' }, ''],
    [
      'a refused permission',
      'tool.permission',
      guards.deny,
      permission,
      specific('PermissionRequest', { decision: { behavior: 'deny', message: 'not here' } }),
      '',
    ],
    [
      'nothing for an approval of other arguments, which it does not take there',
      'tool.permission',
      says({ decision: 'allow', hookSpecificOutput: { tool_input: { command: 'pwd' } } }),
      permission,
      undefined,
      [lost('PermissionRequest', 'an approval'), lost('PermissionRequest', 'other arguments')].join(
        '\n',
      ),
    ],
    [
      'a denial after a tool',
      'tool.after',
      guards.deny,
      after,
      { decision: 'block', reason: 'not here' },
      '',
    ],
    [
      'another result as the reason',
      'tool.after',
      replacesResult,
      after,
      { decision: 'block', reason: '***' },
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
      'a stop at the end of a turn',
      'agent.stop',
      guards.stop,
      end,
      { continue: false, stopReason: 'enough' },
      '',
    ],
    [
      'context for a session',
      'session.start',
      guards.context,
      start,
      specific('SessionStart', { additionalContext: 'by the way' }),
      '',
    ],
    [
      'a stop of a compaction',
      'compact.before',
      guards.deny,
      compact,
      { continue: false, stopReason: 'not here' },
      '',
    ],
    [
      'nothing for a denied compaction that it began itself, whose turn would end',
      'compact.before',
      guards.deny,
      { ...compact, trigger: 'auto' },
      undefined,
      lost('PreCompact', 'a denial ("not here")'),
    ],
  ])('Codex is given %s', async (_, point, guard, given, expected, stderr) => {
    const box = relayBox();
    if (guard === replacesResult) replacesResult(box);
    else box.guard({ [point]: guard as string });
    const { answer, ...relayed } = await box.relay('codex', given);
    expect(answer).toEqual(expected);
    expect(relayed).toMatchObject({ stderr, exitCode: 0 });
    // One field too many would void the whole answer.
    if (isRecord(answer))
      expect(faultOf(given.hook_event_name as CodexEventName, answer)).toBeUndefined();
  });
});
