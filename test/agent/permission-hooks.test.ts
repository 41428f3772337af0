import { describe, expect, test, vi } from 'vitest';
import { runToolCall, type Confirm } from '../../src/agent/run-tool-call.ts';
import { createConfig } from '../../src/hooks/create-config.ts';
import { claudeBox, settingsOf, specific } from '../support/claude-code.ts';
import { hookAt } from '../support/own-hooks.ts';
import { sandbox } from '../support/sandbox.ts';
import { print } from '../support/session.ts';

const request = { id: '1', name: 'write_file', input: { file_path: 'a' } };

/** One call with hooks of our own where the user would be asked. */
async function called(hooks: object, confirm: Confirm | null = () => true) {
  const box = sandbox();
  box.write(box.own.user, hooks);
  const config = createConfig({
    cwd: box.project,
    systemFolder: box.systemFolder,
    isTrustedFolder: () => true,
  });
  const tool = vi.fn(async (_input: object) => ({ llmContent: 'done', returnDisplay: 'done' }));
  const asked = confirm ? vi.fn(confirm) : undefined;
  const ended = await runToolCall(config, request, tool, { confirm: asked });
  return { ...ended, ran: tool.mock.calls as unknown[][], asked: asked?.mock.calls.length };
}

const permission = (...answers: object[]) => ({
  hooks: {
    'tool.permission': [
      { hooks: answers.map((answer) => ({ type: 'command', command: print(answer) })) },
    ],
  },
});

const denial = { decision: 'deny', reason: 'not here' };

describe('ToolPermission hooks', () => {
  test('answer in the user’s place where they approve', async () => {
    const { ran, asked } = await called(permission({ decision: 'allow' }), () => false);
    expect([ran.length, asked]).toEqual([1, 0]);
  });

  test('refuse the call where one of them denies', async () => {
    const { ran, asked, toolResult, outcome } = await called(
      permission({ decision: 'allow' }, denial),
    );
    expect([ran.length, asked]).toEqual([0, 0]);
    expect(outcome.status).toBe('blocked');
    expect(toolResult.llmContent).toBe('not here');
  });

  test('leave the question to the user where they say nothing', async () => {
    expect(await called(permission({}), () => false)).toMatchObject({
      asked: 1,
      outcome: { status: 'refused', by: 'user' },
    });
  });

  test('are not run where nobody would be asked', async () => {
    const { ran, permission: judged } = await called(permission(denial), null);
    expect([ran.length, judged]).toEqual([1, undefined]);
  });

  test('are not run where a hook before the tool has approved', async () => {
    const hooks = permission(denial).hooks;
    const { ran } = await called({
      hooks: { ...hooks, ...hookAt('tool.before', print({ decision: 'allow' })).hooks },
    });
    expect(ran).toHaveLength(1);
  });

  test('do not spare a question that a hook before the tool wants', async () => {
    const hooks = permission({ decision: 'allow' }).hooks;
    const { asked } = await called({
      hooks: { ...hooks, ...hookAt('tool.before', print({ decision: 'ask' })).hooks },
    });
    expect(asked).toBe(1);
  });

  test('may change the arguments, which the user is then asked about', async () => {
    const change = { hookSpecificOutput: { tool_input: { file_path: 'b' } } };
    const { ran } = await called(permission(change), ({ input }) => input['file_path'] === 'b');
    expect(ran[0]?.[0]).toEqual({ file_path: 'b' });
  });

  test('stop the agent, without the tool', async () => {
    const { ran, stop, asked } = await called(
      permission({ continue: false, stopReason: 'enough' }),
    );
    expect([ran.length, asked, stop]).toEqual([0, 0, { reason: 'enough' }]);
  });
});

/** One call with a PermissionRequest hook that decides this. */
async function requested(decision: object) {
  const { local, project, dialect } = claudeBox();
  const answer = print(specific('PermissionRequest', { decision }));
  local(settingsOf('PermissionRequest', { type: 'command', command: answer }));
  const config = createConfig({
    cwd: project,
    isTrustedFolder: () => true,
    dialects: [dialect],
  });
  const confirm = vi.fn(() => false);
  const tool = vi.fn(async () => ({ llmContent: 'done', returnDisplay: 'done' }));
  const { toolResult, stop } = await runToolCall(config, request, tool, { confirm });
  return {
    asked: confirm.mock.calls.length,
    ran: tool.mock.calls as unknown[][],
    toolResult,
    stop,
  };
}

describe('PermissionRequest hooks of Claude Code', () => {
  test('allow with other arguments', async () => {
    const updatedInput = { file_path: '/other', content: 'x' };
    const { asked: questions, ran } = await requested({ behavior: 'allow', updatedInput });
    expect(questions).toBe(0);
    expect(ran[0]?.[0]).toMatchObject({ content: 'x' });
  });

  test('deny with a message, and end the agent', async () => {
    const {
      asked: questions,
      ran,
      toolResult,
      stop,
    } = await requested({
      behavior: 'deny',
      message: 'never',
      interrupt: true,
    });
    expect([questions, ran.length]).toEqual([0, 0]);
    expect(toolResult.llmContent).toBe('never');
    expect(stop).toBeDefined();
  });
});
