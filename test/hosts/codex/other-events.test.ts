import { describe, expect, test } from 'vitest';
import type { HookEventName } from '../../../src/core/protocol/events.ts';
import type { HookEventFields } from '../../../src/core/protocol/input.ts';
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

/** Returns the outcome of hooks of an event that run this. */
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

describe('prompts', () => {
  test.each([
    ['exit 2', exit2],
    ['block with a reason', block],
  ])('%s blocks the prompt', async (_, hook) => {
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
  ])('%s blocks the prompt, with a note', async (_, hook) => {
    const { verdict, notes } = await ran('UserPromptSubmit', hook);
    expect(verdict.decision).toBe('deny');
    expect(notes).toEqual([expect.stringContaining('Codex would ignore this denial: ')]);
  });

  test('plain text and additionalContext are context at a prompt', async () => {
    expect((await ran('UserPromptSubmit', 'echo a hint')).verdict.context).toBe('a hint');
    const own = await ran('UserPromptSubmit', context('UserPromptSubmit'));
    expect(own.verdict.context).toBe('a hint');
  });

  test('"continue": false at a prompt stops the agent, with or without a reason', async () => {
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
  ])('%s in answer to a prompt is accepted and does nothing', async (_, answer) => {
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

describe('permissions', () => {
  test('allow, deny with and without a message, and exit 2 decide on a permission', async () => {
    expect(await decided(decide({ behavior: 'allow' }))).toEqual(['allow', undefined]);
    expect(await decided(decide({ behavior: 'deny', message: 'no' }))).toEqual(['deny', 'no']);
    expect(await decided(decide({ behavior: 'deny' }))).toEqual(['deny', 'Blocked by hook']);
    expect(await decided(exit2)).toEqual(['deny', 'because']);
  });

  test('deny takes precedence over allow at a permission request', async () => {
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
  ])('the user is still asked for permission after %s', async (_, hook) => {
    expect((await ran('PermissionRequest', hook)).verdict.decision).toBeUndefined();
  });
});

describe('results', () => {
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
  ])('%s replaces the result with its text, and the turn goes on', async (_, hook, text) => {
    const { verdict, toolResponse } = await ran('PostToolUse', hook);
    expect(toolResponse).toEqual({ llmContent: text, returnDisplay: text });
    expect(verdict.stop).toBe(false);
  });

  test('the texts of several hooks that replace a result are joined by a blank line', async () => {
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
  ])('%s leaves the result unchanged', async (_, hook) => {
    const { verdict, toolResponse } = await ran('PostToolUse', hook);
    expect([verdict.decision, verdict.stop, toolResponse]).toEqual([undefined, false, undefined]);
  });

  test('a replacement of the result that Codex refuses is reported', async () => {
    const { error } = await ran(
      'PostToolUse',
      print(specific('PostToolUse', { updatedMCPToolOutput: 'clean' })),
    );
    expect(error).toBe(
      'its answer is not valid for Codex: it rejects "updatedMCPToolOutput" here; remove that field',
    );
  });

  test('no PostToolUse hook runs for a tool that failed on its own', async () => {
    const { local, start, left } = codexBox();
    local(settingsOf('PostToolUse', 'echo ran > ran'));
    const { fire } = await start();
    const error = { message: 'no such tool' };
    await fire('AfterTool', { ...tool, tool_response: { llmContent: '', error } });
    expect(left('ran')).toBe('');
  });

  test('context after a tool is delivered beside the result', async () => {
    expect((await ran('PostToolUse', context('PostToolUse'))).verdict.context).toBe('a hint');
  });
});

describe('the end of a turn', () => {
  test.each(['Stop', 'SubagentStop'] as const)(
    'block and exit 2 make the agent continue at %s',
    async (event) => {
      expect((await ran(event, block)).verdict).toMatchObject({
        decision: 'deny',
        reason: 'because',
      });
      const { verdict } = await ran(event, exit2, block);
      expect(verdict.reason).toBe('because\n\nbecause');
    },
  );

  test('"continue": false takes precedence over block, within one answer and among several hooks', async () => {
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
  ])('%s lets the turn end', async (_, hook) => {
    expect((await ran('Stop', hook)).verdict.decision).toBeUndefined();
  });
});

describe('sessions, subagents and compaction', () => {
  test.each(['SessionStart', 'SubagentStart'] as const)(
    'additionalContext is context at %s',
    async (event) => {
      expect((await ran(event, context(event))).verdict.context).toBe('a hint');
    },
  );

  test('plain text at the start of a session or a subagent is context, and "continue": false ends the session', async () => {
    for (const event of ['SessionStart', 'SubagentStart'] as const)
      expect((await ran(event, 'echo a hint')).verdict.context).toBe('a hint');
    expect((await ran('SessionStart', stop)).verdict.stop).toBe(true);
  });

  test('exit 2 and a decision are failures at events that cannot be blocked', async () => {
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

  test('"continue": false before a compaction blocks it', async () => {
    expect((await ran('PreCompact', stop)).verdict).toMatchObject({
      decision: 'deny',
      reason: 'enough',
    });
    expect((await ran('PostCompact', stop)).verdict).toMatchObject({ stop: false });
  });
});

test('a reason that replaces the result is given to the model only once', async () => {
  const { executeToolWithHooks } = await import('../../../src/index.ts');
  const { local, start } = codexBox();
  local(settingsOf('PostToolUse', exit2));
  const { config } = await start();
  const { llmContent } = await executeToolWithHooks(config, 'read_file', {}, () =>
    Promise.resolve({ llmContent: 'secret', returnDisplay: 'secret' }),
  );
  expect(llmContent).toBe('because');
});
