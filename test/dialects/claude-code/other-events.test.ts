import { describe, expect, test } from 'vitest';
import type { HookEventName } from '../../../src/hook-points.ts';
import type { HookEventFields } from '../../../src/protocol/input.ts';
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

/** What one hook of an event comes to that runs this. */
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

describe('events that hold something up', () => {
  test.each([
    'PostToolUse',
    'PostToolUseFailure',
    'UserPromptSubmit',
    'Stop',
    'SubagentStop',
    'PreCompact',
    'TaskCompleted',
  ] as const)('%s: a block, and exit 2 with its stderr', async (native) => {
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
  ] as const)('%s: neither', async (native) => {
    expect((await ran(native, block)).decision).toBeUndefined();
    expect((await ran(native, 'echo why >&2; exit 2')).decision).toBeUndefined();
  });
});

describe('what is for the model', () => {
  test.each(['UserPromptSubmit', 'SessionStart', 'PreCompact'] as const)(
    '%s: plain text at exit 0, broken JSON too, and nothing of it at exit 1',
    async (native) => {
      expect(await ran(native, 'echo "  the date  "')).toMatchObject({ context: 'the date' });
      expect(await ran(native, `echo '{"a'`)).toMatchObject({ context: '{"a' });
      expect((await ran(native, 'echo text; exit 1')).context).toBeUndefined();
    },
  );

  test('nothing of a hook that says in its first line that it is not to be waited for', async () => {
    const { context, decision } = await ran(
      'UserPromptSubmit',
      `echo '{"async":true,"asyncTimeout":5}'; echo text; exit 2`,
    );
    expect([context, decision]).toEqual([undefined, undefined]);
  });

  test.each(['PostToolUse', 'Notification'] as const)('%s: no plain text', async (native) => {
    expect((await ran(native, 'echo text')).context).toBeUndefined();
  });

  test.each([
    'PostToolUse',
    'PostToolUseFailure',
    'UserPromptSubmit',
    'SessionStart',
    'SubagentStart',
    'Notification',
  ] as const)('%s: additionalContext', async (native) => {
    const answer = specific(native, { additionalContext: 'look' });
    expect(await ran(native, print(answer))).toMatchObject({ context: 'look' });
  });
});

describe('stops', () => {
  test.each(['PostToolUse', 'UserPromptSubmit', 'Stop', 'PermissionRequest'] as const)(
    '%s: "continue": false ends the agent',
    async (native) => {
      expect(await ran(native, print({ continue: false, stopReason: 'enough' }))).toMatchObject({
        stop: true,
        stopReason: 'enough',
      });
    },
  );

  test('SessionStart: it does not, and a note says so', async () => {
    const { stop, notes } = await ran('SessionStart', print({ continue: false }));
    expect([stop, notes]).toEqual([false, [expect.stringContaining('no effect')]]);
  });

  test('Stop: it goes before a block', async () => {
    const verdict = await ran('Stop', print({ continue: false, decision: 'block', reason: 'on' }));
    expect([verdict.decision, verdict.stop]).toEqual([undefined, true]);
  });
});

describe('Stop and SubagentStop', () => {
  test.each(['Stop', 'SubagentStop'] as const)('%s: the agent goes on', async (native) => {
    expect(await ran(native, 'exit 2')).toMatchObject({ decision: 'deny' });
    expect(await ran(native, print({ decision: 'block' }))).toMatchObject({ decision: 'deny' });
    expect(
      await ran(native, print(specific(native, { additionalContext: 'run the tests' }))),
    ).toMatchObject({ decision: 'deny', reason: 'run the tests' });
  });

  test('a failure never has it go on, whatever the hook says', async () => {
    expect((await ran('Stop', 'exit 1', { onFailure: 'block' })).decision).toBeUndefined();
  });

  test('approval and plain text end it', async () => {
    expect((await ran('Stop', print({ decision: 'approve' }))).decision).toBeUndefined();
    expect((await ran('Stop', 'echo done')).decision).toBeUndefined();
  });
});

describe('PostToolUse', () => {
  const whole = { stdout: 'hidden', stderr: '', interrupted: false, isImage: false };

  test('a result of the tool’s own form takes its place, beside a block too', async () => {
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
    '%j does not, and a note says why',
    async (value) => {
      const { changes, notes } = await ran('PostToolUse', replaced(value));
      expect([changes, notes]).toEqual([{}, [expect.stringContaining('whole form')]]);
    },
  );

  test('a permission decision says nothing', async () => {
    const answer = specific('PostToolUse', { permissionDecision: 'deny' });
    expect((await ran('PostToolUse', print(answer))).decision).toBeUndefined();
  });
});

describe('PermissionRequest', () => {
  test('allows, with other arguments if it wants', async () => {
    expect(
      await ran(
        'PermissionRequest',
        answered({ behavior: 'allow', updatedInput: { command: 'pwd' } }),
      ),
    ).toMatchObject({ decision: 'allow', changes: { tool_input: { whole: { command: 'pwd' } } } });
  });

  test('denies with a message, at exit 1 too, and may end the agent', async () => {
    const no = answered({ behavior: 'deny', message: 'why', interrupt: true });
    expect(await ran('PermissionRequest', `${no}; exit 1`)).toMatchObject({
      decision: 'deny',
      reason: 'why',
      stop: true,
    });
  });

  test('a denial with a wrong field beside it stands, with a note', async () => {
    const { decision, notes } = await ran(
      'PermissionRequest',
      print({ reason: 5, hookSpecificOutput: { decision: { behavior: 'deny' } } }),
    );
    expect([decision, notes]).toEqual(['deny', [expect.stringContaining('would ignore')]]);
  });

  test('a failure denies where the hook says so', async () => {
    expect(await ran('PermissionRequest', 'exit 1', { onFailure: 'block' })).toMatchObject({
      decision: 'deny',
    });
  });
});

describe('UserPromptSubmit', () => {
  test('a block between other text stands, with a note, and nothing of the text is passed on', async () => {
    const { decision, reason, context, notes } = await ran(
      'UserPromptSubmit',
      `echo checking; ${block}`,
    );
    expect([decision, reason, context]).toEqual(['deny', 'why', undefined]);
    expect(notes).toEqual([expect.stringContaining('would ignore')]);
  });

  test('a permission decision says nothing', async () => {
    const answer = specific('UserPromptSubmit', { permissionDecision: 'deny' });
    expect((await ran('UserPromptSubmit', print(answer))).decision).toBeUndefined();
  });
});
