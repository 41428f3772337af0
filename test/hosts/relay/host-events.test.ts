import { describe, expect, test } from 'vitest';
import { knownDialects } from '../../../src/hosts/all/known.ts';
import { sampleStdin } from '../../../src/workbench/matrix/sample-stdin.ts';
import { guards, relayBox } from '../../support/relay.ts';

const hosts = knownDialects.filter(
  (one) =>
    one.speak &&
    one.name !== 'kodelet-strict' &&
    Object.values(one.events).some((at) => at.startsWith('host.')),
);

describe('an event that only one host has', () => {
  test.each(hosts)('of $name runs our hooks, and the host or the user is told', async (host) => {
    const box = relayBox();
    const names = Object.keys(host.events)
      .filter((name) => host.events[name]!.startsWith('host.'))
      .slice(0, 4);
    box.guard(Object.fromEntries(names.map((name) => [host.events[name]!, guards.deny])));
    for (const name of names) {
      const given = await sampleStdin(host, name, box.project);
      const named = { hook_event_name: name, event: name, session_id: 's', ...given };
      const { stdout, stderr } = await box.relay(host.name, named, { event: name });
      const told = [stdout, stderr].filter((text) => text.includes('not here'));
      expect([name, told.length]).toEqual([name, 1]);
    }
  });

  test.each([
    ['claude-code', 'PostToolBatch', { decision: 'block', reason: 'not here' }],
    ['claude-code', 'UserPromptExpansion', { decision: 'block', reason: 'not here' }],
    [
      'claude-code',
      'PreModelSwitch',
      {
        hookSpecificOutput: {
          hookEventName: 'PreModelSwitch',
          permissionDecision: 'deny',
          permissionDecisionReason: 'not here',
        },
      },
    ],
    ['qwen-code', 'PostToolBatch', { decision: 'block', reason: 'not here' }],
    ['qwen-code', 'UserPromptExpansion', { decision: 'block', reason: 'not here' }],
    ['qwen-code', 'TodoCreated', { decision: 'block', reason: 'not here' }],
    [
      'cursor',
      'beforeTabFileRead',
      { permission: 'deny', user_message: 'not here', agent_message: 'not here' },
    ],
  ])('of %s, %s, is denied in that host’s form', async (name, event, expected) => {
    const host = knownDialects.find((one) => one.name === name)!;
    const box = relayBox();
    box.guard({ [host.events[event]!]: guards.deny });
    const given = await sampleStdin(host, event, box.project);
    const named = { hook_event_name: event, session_id: 's', ...given };
    const { answer, stderr } = await box.relay(name, named);
    expect([answer, stderr]).toEqual([expected, '']);
  });
});

test('context before Claude Code makes a summary is plain text, unless it looks like an answer', async () => {
  const { guard, relay } = relayBox();
  const given = { hook_event_name: 'PreCompact', session_id: 's', trigger: 'manual' };
  guard({ 'compact.before': guards.context });
  expect((await relay('claude-code', given)).stdout).toBe('by the way');
  const json = { hookSpecificOutput: { additionalContext: '{"decision":"block"}' } };
  guard({ 'compact.before': `echo '${JSON.stringify(json)}'` });
  const { stdout, stderr } = await relay('claude-code', given);
  expect([stdout, stderr]).toEqual(['', expect.stringContaining('cannot accept this')]);
});
