import { describe, expect, test } from 'vitest';
import type { HookEventName } from '../../../src/protocol/events.ts';
import type { HookEventFields } from '../../../src/protocol/input.ts';
import { settingsOf, specific } from '../../support/claude-code.ts';
import { codexBox } from '../../support/codex.ts';
import { print } from '../../support/session.ts';

const tool = { tool_name: 'run_shell_command', tool_input: { command: 'ls' } };
const events = {
  PermissionRequest: ['ToolPermission', tool],
  PostToolUse: [
    'AfterTool',
    { ...tool, tool_response: { llmContent: 'result', returnDisplay: 'result' } },
  ],
  UserPromptSubmit: ['BeforeAgent', { prompt: 'Hi' }],
  SessionStart: ['SessionStart', { source: 'startup' }],
  SessionEnd: ['SessionEnd', { reason: 'exit' }],
  SubagentStart: ['SubagentStart', { agent_id: '1', agent_type: 'default' }],
  SubagentStop: ['SubagentStop', { agent_id: '1', agent_type: 'default', stop_hook_active: false }],
  Stop: ['AfterAgent', { prompt: 'Hi', prompt_response: 'Hello', stop_hook_active: false }],
  PreCompact: ['PreCompress', { trigger: 'auto' }],
  PostCompact: ['PostCompress', { trigger: 'auto' }],
  Interrupt: ['host.Interrupt', {}],
} as const;

/** What hooks of an event come to that run this. */
async function ran(event: keyof typeof events, ...hooks: readonly string[]) {
  const { local, start } = codexBox();
  local({
    hooks: { [event]: [{ hooks: hooks.map((command) => ({ type: 'command', command })) }] },
  });
  const { fire } = await start();
  const [at, fields] = events[event];
  const result = await fire(
    at as HookEventName,
    fields as unknown as HookEventFields[HookEventName],
  );
  const { verdict, results, toolResponse } = result;
  return {
    verdict,
    notes: results[0]?.notes ?? [],
    error: results[0]?.error?.message,
    toolResponse,
  };
}

const exit2 = 'echo because >&2; exit 2';
const block = print({ decision: 'block', reason: 'because' });
const stop = print({ continue: false, stopReason: 'enough' });
const context = (event: string) => print(specific(event, { additionalContext: 'a hint' }));

describe('a prompt', () => {
  test.each([
    ['exit 2', exit2],
    ['block with a reason', block],
  ])('%s forbids it', async (_, hook) => {
    const { verdict, notes } = await ran('UserPromptSubmit', hook);
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'because' });
    expect(notes).toEqual([]);
  });

  test.each([
    ['exit 2 without a word', 'exit 2'],
    ['block without a reason', print({ decision: 'block' })],
    ['block beside an unknown field', print({ decision: 'block', reason: 'because', more: 1 })],
    ['deny', print({ decision: 'deny', reason: 'because' })],
    ['a log line before the block', `echo log; ${block}`],
    ['another exit status', `${block}; exit 1`],
  ])('%s forbids it, with a note', async (_, hook) => {
    const { verdict, notes } = await ran('UserPromptSubmit', hook);
    expect(verdict.decision).toBe('deny');
    expect(notes).toEqual([expect.stringContaining('Codex would ignore this denial: ')]);
  });

  test('plain text and additionalContext are context', async () => {
    expect((await ran('UserPromptSubmit', 'echo a hint')).verdict.context).toBe('a hint');
    const own = await ran('UserPromptSubmit', context('UserPromptSubmit'));
    expect(own.verdict.context).toBe('a hint');
  });

  test('continue false stops, with context and without a word of its own', async () => {
    expect((await ran('UserPromptSubmit', stop)).verdict).toMatchObject({
      stop: true,
      stopReason: 'enough',
    });
    expect((await ran('UserPromptSubmit', print({ continue: false }))).verdict.stop).toBe(true);
  });

  test.each([
    ['suppressOutput', { suppressOutput: true }],
    ['a lone reason', { reason: 'x' }],
    ['a lone stopReason', { stopReason: 'x' }],
  ])('%s is accepted, and does nothing', async (_, answer) => {
    const { verdict, error } = await ran('UserPromptSubmit', print(answer));
    expect([verdict.decision, verdict.stop, error]).toEqual([undefined, false, undefined]);
  });
});

const decide = (decision: object, more: object = {}) =>
  print({ ...specific('PermissionRequest', { decision }), ...more });

const decided = async (hook: string) => {
  const { decision, reason } = (await ran('PermissionRequest', hook)).verdict;
  return [decision, reason];
};

describe('a permission', () => {
  test('allow, deny with a message, deny without one and exit 2 decide', async () => {
    expect(await decided(decide({ behavior: 'allow' }))).toEqual(['allow', undefined]);
    expect(await decided(decide({ behavior: 'deny', message: 'no' }))).toEqual(['deny', 'no']);
    expect(await decided(decide({ behavior: 'deny' }))).toEqual(['deny', 'Blocked by hook']);
    expect(await decided(exit2)).toEqual(['deny', 'because']);
  });

  test('deny goes before allow', async () => {
    const { verdict } = await ran('PermissionRequest', decide({ behavior: 'allow' }), exit2);
    expect(verdict.decision).toBe('deny');
  });

  test.each([
    ['exit 2 without a word', 'exit 2'],
    ['an unknown field', decide({ behavior: 'deny' }, { more: 1 })],
    ['updatedInput', decide({ behavior: 'allow', updatedInput: {} })],
    ['updatedPermissions', decide({ behavior: 'allow', updatedPermissions: [] })],
    ['interrupt', decide({ behavior: 'deny', interrupt: true })],
    ['continue false', decide({ behavior: 'deny' }, { continue: false })],
    ['suppressOutput', decide({ behavior: 'allow' }, { suppressOutput: true })],
    ['the decision of other events', block],
    ['permissionDecision', print(specific('PermissionRequest', { permissionDecision: 'deny' }))],
    ['plain text', 'echo text'],
  ])('with %s the user is asked', async (_, hook) => {
    expect((await ran('PermissionRequest', hook)).verdict.decision).toBeUndefined();
  });
});

describe('a result', () => {
  test.each([
    ['exit 2', exit2, 'because'],
    ['block', block, 'because'],
    ['continue false', stop, 'enough'],
    ['continue false without a reason', print({ continue: false }), 'A hook stopped the agent.'],
    [
      'block and continue false',
      print({ decision: 'block', reason: 'because', continue: false, stopReason: 'enough' }),
      'because',
    ],
  ])('%s puts its text in the result’s place, and the turn goes on', async (_, hook, text) => {
    const { verdict, toolResponse } = await ran('PostToolUse', hook);
    expect(toolResponse).toEqual({ llmContent: text, returnDisplay: text });
    expect(verdict.stop).toBe(false);
  });

  test('of several the texts are joined by a blank line', async () => {
    const { toolResponse } = await ran(
      'PostToolUse',
      'echo one >&2; exit 2',
      'echo two >&2; exit 2',
    );
    expect(toolResponse?.['llmContent']).toBe('one\n\ntwo');
  });

  test.each([
    ['updatedToolOutput', print(specific('PostToolUse', { updatedToolOutput: 'clean' }))],
    ['updatedMCPToolOutput', print(specific('PostToolUse', { updatedMCPToolOutput: 'clean' }))],
    ['block without a reason', print({ decision: 'block' })],
    ['block beside an unknown field', print({ decision: 'block', reason: 'x', more: 1 })],
    ['suppressOutput', print({ suppressOutput: true })],
    ['exit 2 without a word', 'exit 2'],
    ['a log line before the block', `echo log; ${block}`],
    ['stopReason alone', print({ stopReason: 'x' })],
  ])('%s leaves it as it is', async (_, hook) => {
    const { verdict, toolResponse } = await ran('PostToolUse', hook);
    expect([verdict.decision, verdict.stop, toolResponse]).toEqual([undefined, false, undefined]);
  });

  test('it is reported that a cleaner cleans nothing', async () => {
    const { error } = await ran(
      'PostToolUse',
      print(specific('PostToolUse', { updatedMCPToolOutput: 'clean' })),
    );
    expect(error).toBe(
      'its answer is not valid for Codex: it refuses "updatedMCPToolOutput" here; leave that field out',
    );
  });

  test('a tool that failed by itself has none', async () => {
    const { local, start, left } = codexBox();
    local(settingsOf('PostToolUse', 'echo ran > ran'));
    const { fire } = await start();
    const error = { message: 'no such tool' };
    await fire('AfterTool', { ...tool, tool_response: { llmContent: '', error } });
    expect(left('ran')).toBe('');
  });

  test('context goes beside it', async () => {
    expect((await ran('PostToolUse', context('PostToolUse'))).verdict.context).toBe('a hint');
  });
});

describe('the end of a turn', () => {
  test.each(['Stop', 'SubagentStop'] as const)(
    '%s: block and exit 2 have the agent go on',
    async (event) => {
      expect((await ran(event, block)).verdict).toMatchObject({
        decision: 'deny',
        reason: 'because',
      });
      const { verdict } = await ran(event, exit2, block);
      expect(verdict.reason).toBe('because\n\nbecause');
    },
  );

  test('continue false goes before block, in one answer and of several hooks', async () => {
    const both = print({ decision: 'block', reason: 'because', continue: false });
    for (const hooks of [[both], [block, stop], [exit2, stop]]) {
      const { verdict } = await ran('Stop', ...hooks);
      expect([verdict.decision, verdict.stop]).toEqual([undefined, true]);
    }
  });

  test.each([
    ['exit 2 without a word', 'exit 2'],
    ['block without a reason', print({ decision: 'block' })],
    ['plain text', 'echo text'],
    ['text before JSON', `echo log; ${block}`],
    ['hookSpecificOutput', context('Stop')],
  ])('%s lets it end', async (_, hook) => {
    expect((await ran('Stop', hook)).verdict.decision).toBeUndefined();
  });
});

describe('sessions, subagents and compaction', () => {
  test.each(['SessionStart', 'SubagentStart'] as const)(
    '%s: additionalContext is context',
    async (event) => {
      expect((await ran(event, context(event))).verdict.context).toBe('a hint');
    },
  );

  test('plain text at a session’s start is context, and continue false ends it', async () => {
    expect((await ran('SessionStart', 'echo a hint')).verdict.context).toBe('a hint');
    expect((await ran('SessionStart', stop)).verdict.stop).toBe(true);
  });

  test('exit 2 and a decision fail where there is nothing to forbid', async () => {
    for (const event of [
      'SessionStart',
      'PreCompact',
      'PostCompact',
      'SubagentStart',
      'SessionEnd',
      'Interrupt',
    ] as const)
      for (const hook of [exit2, block]) {
        const { verdict, error } = await ran(event, hook);
        expect([verdict.decision, error === undefined]).toEqual([undefined, false]);
      }
  });

  test('continue false before a compaction forbids it', async () => {
    expect((await ran('PreCompact', stop)).verdict).toMatchObject({
      decision: 'deny',
      reason: 'enough',
    });
    expect((await ran('PostCompact', stop)).verdict).toMatchObject({ stop: false });
  });
});

test('a reason in the result’s place is not given twice to the model', async () => {
  const { executeToolWithHooks } = await import('../../../src/index.ts');
  const { local, start } = codexBox();
  local(settingsOf('PostToolUse', exit2));
  const { config } = await start();
  const { llmContent } = await executeToolWithHooks(config, 'read_file', {}, () =>
    Promise.resolve({ llmContent: 'secret', returnDisplay: 'secret' }),
  );
  expect(llmContent).toBe('because');
});
