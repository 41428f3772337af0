import { describe, expect, test, vi } from 'vitest';
import { runToolCall, type Confirm } from '../../../src/core/calls/run-tool-call.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { claudeBox, settingsOf, specific } from '../../support/claude-code.ts';
import { hookAt } from '../../support/own-hooks.ts';
import { sandbox } from '../../support/sandbox.ts';
import { print } from '../../support/session.ts';

const request = { id: '1', name: 'write_file', input: { file_path: 'a' } };

/** One call with our own hooks on the permission question. */
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
  test('ToolPermission hooks that approve answer in the user’s place', async () => {
    const { ran, asked } = await called(permission({ decision: 'allow' }), () => false);
    expect([ran.length, asked]).toEqual([1, 0]);
  });

  test('the call is refused if one ToolPermission hook denies it', async () => {
    const { ran, asked, toolResult, outcome } = await called(
      permission({ decision: 'allow' }, denial),
    );
    expect([ran.length, asked]).toEqual([0, 0]);
    expect(outcome.status).toBe('blocked');
    expect(toolResult.llmContent).toBe('not here');
  });

  test('the user is asked if ToolPermission hooks give no decision', async () => {
    expect(await called(permission({}), () => false)).toMatchObject({
      asked: 1,
      outcome: { status: 'refused', by: 'user' },
    });
  });

  test('ToolPermission hooks do not run if nobody would be asked', async () => {
    const { ran, permission: judged } = await called(permission(denial), null);
    expect([ran.length, judged]).toEqual([1, undefined]);
  });

  test('ToolPermission hooks do not run if a BeforeTool hook has approved', async () => {
    const hooks = permission(denial).hooks;
    const { ran } = await called({
      hooks: { ...hooks, ...hookAt('tool.before', print({ decision: 'allow' })).hooks },
    });
    expect(ran).toHaveLength(1);
  });

  test('ToolPermission hooks do not replace a question that a BeforeTool hook wants', async () => {
    const hooks = permission({ decision: 'allow' }).hooks;
    const { asked } = await called({
      hooks: { ...hooks, ...hookAt('tool.before', print({ decision: 'ask' })).hooks },
    });
    expect(asked).toBe(1);
  });

  test('a ToolPermission hook can change the arguments that the user is then asked about', async () => {
    const change = { hookSpecificOutput: { tool_input: { file_path: 'b' } } };
    const { ran } = await called(permission(change), ({ input }) => input['file_path'] === 'b');
    expect(ran[0]?.[0]).toEqual({ file_path: 'b' });
  });

  test('a ToolPermission hook can stop the agent, and the tool does not run', async () => {
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
  test('a PermissionRequest hook can allow the call with other arguments', async () => {
    const updatedInput = { file_path: '/other', content: 'x' };
    const { asked: questions, ran } = await requested({ behavior: 'allow', updatedInput });
    expect(questions).toBe(0);
    expect(ran[0]?.[0]).toMatchObject({ content: 'x' });
  });

  test('a PermissionRequest hook can deny with a message and stop the agent', async () => {
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
