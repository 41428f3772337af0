import { describe, expect, test } from 'vitest';
import type { HookEventName } from '../../../src/core/points/hook-points.ts';
import type { HookEventFields } from '../../../src/core/protocol/input.ts';
import { claudeBox, settingsOf, specific } from '../../support/claude-code.ts';
import { quoted } from '../../support/session.ts';

const fields = {
  PermissionRequest: [
    'ToolPermission',
    { tool_name: 'run_shell_command', tool_input: { command: 'ls' } },
  ],
  PostToolUse: [
    'AfterTool',
    {
      tool_name: 'run_shell_command',
      tool_input: { command: 'ls' },
      tool_response: {
        llmContent: 'Command: ls\nDirectory: (root)\nStdout: a\nStderr: (empty)\nExit Code: 0',
        returnDisplay: 'a',
      },
    },
  ],
  PostToolUseFailure: [
    'ToolFailed',
    {
      error: 'no',
      tool_name: 'glob',
      tool_input: {},
      tool_response: { llmContent: 'no', returnDisplay: 'no', error: { message: 'no' } },
    },
  ],
  UserPromptSubmit: ['BeforeAgent', { prompt: 'Hi' }],
  Stop: ['AfterAgent', { prompt: 'Hi', prompt_response: 'Hello', stop_hook_active: false }],
  SubagentStop: ['SubagentStop', { agent_id: 'a', agent_type: 'b', stop_hook_active: false }],
  SubagentStart: ['SubagentStart', { agent_id: 'a', agent_type: 'b' }],
  SessionStart: ['SessionStart', { source: 'startup' }],
  SessionEnd: ['SessionEnd', { reason: 'exit' }],
  PreCompact: ['PreCompress', { trigger: 'auto' }],
  Notification: ['Notification', { notification_type: 'x', message: 'y', details: {} }],
  TaskCompleted: ['host.TaskCompleted', { task_id: '1' }],
} as const;

type Native = keyof typeof fields;

/** Returns the outcome of one hook of an event that runs this. */
async function ran(native: Native, command: string, hook: object = {}) {
  const { local, start } = claudeBox();
  local(settingsOf(native, { type: 'command', command, ...hook }));
  const { fire } = await start();
  const [event, given] = fields[native];
  const result = await fire(
    event as HookEventName,
    given as unknown as HookEventFields[HookEventName],
  );
  return { ...result.verdict, notes: result.results[0]?.notes ?? [] };
}

const print = (answer: unknown): string =>
  `printf '%s' ${quoted(typeof answer === 'string' ? answer : JSON.stringify(answer))}`;
const block = print({ decision: 'block', reason: 'why' });

const replaced = (value: unknown): string =>
  print(specific('PostToolUse', { updatedToolOutput: value }));
const answered = (decision: object): string => print(specific('PermissionRequest', { decision }));

describe('events that can be blocked', () => {
  test.each([
    'PostToolUse',
    'PostToolUseFailure',
    'UserPromptSubmit',
    'Stop',
    'SubagentStop',
    'PreCompact',
    'TaskCompleted',
  ] as const)('a block, and exit 2 with its stderr, deny at %s', async (native) => {
    expect(await ran(native, block)).toMatchObject({ decision: 'deny', reason: 'why' });
    expect(await ran(native, 'echo why >&2; exit 2')).toMatchObject({
      decision: 'deny',
      reason: 'why',
    });
    expect((await ran(native, 'exit 1')).decision).toBeUndefined();
  });

  test.each([
    'PermissionRequest',
    'SessionStart',
    'SessionEnd',
    'SubagentStart',
    'Notification',
  ] as const)('neither a block nor exit 2 denies at %s', async (native) => {
    expect((await ran(native, block)).decision).toBeUndefined();
    expect((await ran(native, 'echo why >&2; exit 2')).decision).toBeUndefined();
  });
});

describe('what the model receives', () => {
  test.each(['UserPromptSubmit', 'SessionStart', 'PreCompact'] as const)(
    'at %s, plain text is context at exit 0, even broken JSON, but not at exit 1',
    async (native) => {
      expect(await ran(native, 'echo "  the date  "')).toMatchObject({ context: 'the date' });
      expect(await ran(native, `echo '{"a'`)).toMatchObject({ context: '{"a' });
      expect((await ran(native, 'echo text; exit 1')).context).toBeUndefined();
    },
  );

  test('the answer of a hook is ignored if its first line says that the hook is asynchronous', async () => {
    const { context, decision } = await ran(
      'UserPromptSubmit',
      `echo '{"async":true,"asyncTimeout":5}'; echo text; exit 2`,
    );
    expect([context, decision]).toEqual([undefined, undefined]);
  });

  test.each(['PostToolUse', 'Notification'] as const)(
    'plain text is not context at %s',
    async (native) => {
      expect((await ran(native, 'echo text')).context).toBeUndefined();
    },
  );

  test.each([
    'PostToolUse',
    'PostToolUseFailure',
    'UserPromptSubmit',
    'SessionStart',
    'SubagentStart',
    'Notification',
  ] as const)('additionalContext is context at %s', async (native) => {
    const answer = specific(native, { additionalContext: 'look' });
    expect(await ran(native, print(answer))).toMatchObject({ context: 'look' });
  });
});

describe('stops', () => {
  test.each(['PostToolUse', 'UserPromptSubmit', 'Stop', 'PermissionRequest'] as const)(
    '"continue": false ends the agent at %s',
    async (native) => {
      expect(await ran(native, print({ continue: false, stopReason: 'enough' }))).toMatchObject({
        stop: true,
        stopReason: 'enough',
      });
    },
  );

  test('"continue": false does not end the agent at SessionStart, and a note says so', async () => {
    const { stop, notes } = await ran('SessionStart', print({ continue: false }));
    expect([stop, notes]).toEqual([false, [expect.stringContaining('no effect')]]);
  });

  test('a stop takes precedence over a block at Stop', async () => {
    const verdict = await ran('Stop', print({ continue: false, decision: 'block', reason: 'on' }));
    expect([verdict.decision, verdict.stop]).toEqual([undefined, true]);
  });
});

describe('Stop and SubagentStop', () => {
  test.each(['Stop', 'SubagentStop'] as const)(
    'a block, exit 2 and context make the agent continue at %s',
    async (native) => {
      expect(await ran(native, 'exit 2')).toMatchObject({ decision: 'deny' });
      expect(await ran(native, print({ decision: 'block' }))).toMatchObject({ decision: 'deny' });
      expect(
        await ran(native, print(specific(native, { additionalContext: 'run the tests' }))),
      ).toMatchObject({ decision: 'deny', reason: 'run the tests' });
    },
  );

  test('a failure at Stop never makes the agent continue, whatever the hook says', async () => {
    expect((await ran('Stop', 'exit 1', { onFailure: 'block' })).decision).toBeUndefined();
  });

  test('an approval or plain text at Stop lets the agent end', async () => {
    expect((await ran('Stop', print({ decision: 'approve' }))).decision).toBeUndefined();
    expect((await ran('Stop', 'echo done')).decision).toBeUndefined();
  });
});

describe('PostToolUse', () => {
  const whole = { stdout: 'hidden', stderr: '', interrupted: false, isImage: false };

  test('a result in the tool’s own form replaces the tool’s result, even beside a block', async () => {
    expect((await ran('PostToolUse', replaced(whole))).changes.tool_response).toEqual({
      whole: { llmContent: 'hidden', returnDisplay: 'hidden' },
    });
    const both = {
      decision: 'block',
      reason: 'why',
      ...specific('PostToolUse', { updatedToolOutput: whole }),
    };
    expect(await ran('PostToolUse', print(both))).toMatchObject({
      decision: 'deny',
      changes: { tool_response: { whole: { llmContent: 'hidden' } } },
    });
  });

  test.each(['hidden', { stdout: 'hidden' }, 5])(
    '%j does not replace the tool’s result, and a note says why',
    async (value) => {
      const { changes, notes } = await ran('PostToolUse', replaced(value));
      expect([changes, notes]).toEqual([{}, [expect.stringContaining('the same form as')]]);
    },
  );

  test('a permission decision has no effect at PostToolUse', async () => {
    const answer = specific('PostToolUse', { permissionDecision: 'deny' });
    expect((await ran('PostToolUse', print(answer))).decision).toBeUndefined();
  });
});

describe('PermissionRequest', () => {
  test('a PermissionRequest hook may allow a call, with other arguments if it wants', async () => {
    expect(
      await ran(
        'PermissionRequest',
        answered({ behavior: 'allow', updatedInput: { command: 'pwd' } }),
      ),
    ).toMatchObject({ decision: 'allow', changes: { tool_input: { whole: { command: 'pwd' } } } });
  });

  test('a PermissionRequest hook may deny with a message, even at exit 1, and may end the agent', async () => {
    const no = answered({ behavior: 'deny', message: 'why', interrupt: true });
    expect(await ran('PermissionRequest', `${no}; exit 1`)).toMatchObject({
      decision: 'deny',
      reason: 'why',
      stop: true,
    });
  });

  test('a PermissionRequest denial with a wrong field beside it still counts, with a note', async () => {
    const { decision, notes } = await ran(
      'PermissionRequest',
      print({ reason: 5, hookSpecificOutput: { decision: { behavior: 'deny' } } }),
    );
    expect([decision, notes]).toEqual(['deny', [expect.stringContaining('would ignore')]]);
  });

  test('a PermissionRequest hook that fails denies if its onFailure is "block"', async () => {
    expect(await ran('PermissionRequest', 'exit 1', { onFailure: 'block' })).toMatchObject({
      decision: 'deny',
    });
  });
});

describe('UserPromptSubmit', () => {
  test('a block with other text around it still counts, with a note, and the text is not passed on', async () => {
    const { decision, reason, context, notes } = await ran(
      'UserPromptSubmit',
      `echo checking; ${block}`,
    );
    expect([decision, reason, context]).toEqual(['deny', 'why', undefined]);
    expect(notes).toEqual([expect.stringContaining('would ignore')]);
  });

  test('a permission decision has no effect at UserPromptSubmit', async () => {
    const answer = specific('UserPromptSubmit', { permissionDecision: 'deny' });
    expect((await ran('UserPromptSubmit', print(answer))).decision).toBeUndefined();
  });
});
