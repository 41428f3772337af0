import { describe, expect, test } from 'vitest';
import type { HookEventName } from '../../../src/core/protocol/events.ts';
import { cursorBox, cursorHooks } from '../../support/cursor.ts';
import { print } from '../../support/session.ts';

const shell = { tool_name: 'run_shell_command', tool_input: { command: 'ls' } };
const result = (llmContent: string, more: object = {}) => ({
  tool_response: { llmContent, returnDisplay: llmContent, ...more },
});
const events = {
  postToolUse: ['AfterTool', { ...shell, ...result('a') }],
  beforeSubmitPrompt: ['BeforeAgent', { prompt: 'Hi' }],
  stop: ['AfterAgent', { prompt: 'Hi', prompt_response: 'Hello', stop_hook_active: false }],
  subagentStart: ['SubagentStart', { agent_id: '1', agent_type: 'explore' }],
  subagentStop: ['SubagentStop', { agent_id: '1', agent_type: 'explore', stop_hook_active: false }],
  sessionStart: ['SessionStart', { source: 'startup' }],
  sessionEnd: ['SessionEnd', { reason: 'exit' }],
  preCompact: ['PreCompress', { trigger: 'auto' }],
  afterAgentResponse: ['host.afterAgentResponse', { text: 'Hello' }],
  workspaceOpen: ['host.workspaceOpen', {}],
} as const;

/** Returns the outcome of the hooks of an event. */
async function ran(
  event: keyof typeof events,
  entries: readonly (string | object)[],
  fields: object = {},
) {
  const { local, start } = cursorBox();
  local(cursorHooks(event, ...entries));
  const { fire } = await start();
  const [at, own] = events[event];
  const fired = await fire(at as HookEventName, { ...own, ...fields });
  const { verdict, results, toolResponse, followUps } = fired;
  return {
    verdict,
    notes: results[0]?.notes ?? [],
    error: results[0]?.error?.message,
    toolResponse,
    followUps,
  };
}

describe('prompts', () => {
  test.each([
    ['continue false', print({ continue: false, user_message: 'no' })],
    ['exit 2', 'echo no >&2; exit 2'],
  ])('%s keeps the prompt from being sent', async (_, command) => {
    const { verdict, notes } = await ran('beforeSubmitPrompt', [command]);
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'no' });
    expect(notes).toEqual([]);
  });

  test.each([
    ['permission deny', print({ permission: 'deny', user_message: 'no' })],
    ['the words of other hosts', print({ decision: 'block', reason: 'no' })],
    ['exit 1 after the answer', `${print({ continue: false, user_message: 'no' })}; exit 1`],
    ['text after the answer', `${print({ continue: false, user_message: 'no' })}; echo done`],
  ])('%s keeps the prompt from being sent, with a note', async (_, command) => {
    const { verdict, notes } = await ran('beforeSubmitPrompt', [command]);
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'no' });
    expect(notes).toEqual([expect.stringContaining('Cursor would ignore this denial')]);
  });

  test.each([
    ['nothing', ':'],
    ['plain text', 'echo text'],
    ['continue true', print({ continue: true })],
    ['exit 1', 'exit 1'],
  ])('%s lets the prompt be sent', async (_, command) => {
    expect((await ran('beforeSubmitPrompt', [command])).verdict.decision).toBeUndefined();
  });

  test('failClosed keeps the prompt from being sent if the hook fails', async () => {
    const { verdict } = await ran('beforeSubmitPrompt', [{ command: 'exit 1', failClosed: true }]);
    expect(verdict.decision).toBe('deny');
  });

  test('a matcher at a prompt is compared with UserPromptSubmit', async () => {
    const deny = 'exit 2';
    const decided = async (matcher: string) =>
      (await ran('beforeSubmitPrompt', [{ command: deny, matcher }])).verdict.decision;
    expect(await decided('UserPrompt')).toBe('deny');
    expect(await decided('Shell')).toBeUndefined();
  });
});

const context = (text: string) => print({ additional_context: text });

describe('results and context', () => {
  test('contexts are separated by a line of hyphens, and one that is too long is dropped', async () => {
    const { verdict } = await ran('postToolUse', [context('one'), context('two')]);
    expect(verdict.context).toBe('one\n\n---\n\ntwo');
    const long = await ran('postToolUse', [context('x'.repeat(10_001))]);
    expect([long.verdict.context, long.notes.length]).toEqual([undefined, 1]);
    expect((await ran('sessionStart', [context('start')])).verdict.context).toBe('start');
  });

  test('only the result of a server’s tool can be replaced', async () => {
    const hook = print({ updated_mcp_tool_output: { output: 'clean' } });
    const mcp = await ran('postToolUse', [hook], { tool_name: 'mcp__a__b', tool_input: {} });
    expect(mcp.toolResponse?.['llmContent']).toBe('clean');
    const { toolResponse, notes } = await ran('postToolUse', [hook]);
    expect([toolResponse, notes.length]).toEqual([undefined, 1]);
  });

  test('exit 2 and invalid JSON after a tool decide nothing', async () => {
    for (const hook of ['echo no >&2; exit 2', 'echo text', print({ permission: 'deny' })])
      expect((await ran('postToolUse', [hook])).verdict.decision).toBeUndefined();
  });

  test('variables from sessionStart reach the later hooks', async () => {
    const { local, start, left } = cursorBox();
    local({
      version: 1,
      hooks: {
        sessionStart: [{ command: print({ env: { FROM_START: 'yes' } }) }],
        preToolUse: [
          { command: 'echo "$FROM_START $CURSOR_PROJECT_DIR $CLAUDE_PROJECT_DIR" > vars' },
        ],
      },
    });
    const { fire, folder } = await start();
    await fire('SessionStart', { source: 'startup' });
    await fire('BeforeTool', shell);
    expect(left('vars')).toBe(`yes ${folder} ${folder}\n`);
  });

  test('variables from a project’s sessionStart do not reach the user’s hooks', async () => {
    const { local, global, start, left } = cursorBox();
    local({
      version: 1,
      hooks: { sessionStart: [{ command: print({ env: { FROM_START: 'yes' } }) }] },
    });
    global(cursorHooks('preToolUse', 'echo "vars: $FROM_START" > "$CURSOR_PROJECT_DIR/vars"'));
    const { fire } = await start();
    await fire('SessionStart', { source: 'startup' });
    await fire('BeforeTool', shell);
    expect(left('vars')).toBe('vars: \n');
  });
});

describe('continuing', () => {
  const more = print({ followup_message: 'and now?' });

  test('followup_message makes the agent continue, as often as loop_limit allows', async () => {
    expect((await ran('stop', [more])).followUps).toEqual(['and now?']);
    expect((await ran('subagentStop', [more])).followUps).toEqual(['and now?']);
    const at = async (loop_count: number, limit: object = {}) => {
      const { followUps, notes } = await ran('stop', [{ command: more, ...limit }], { loop_count });
      return [followUps, ...notes];
    };
    const ignored = '"followup_message" was ignored: hooks have already made the agent continue';
    expect(await at(4)).toEqual([['and now?']]);
    expect(await at(5)).toEqual([undefined, `${ignored} 5 times`]);
    expect(await at(1, { loop_limit: 1 })).toEqual([undefined, `${ignored} once`]);
    expect(await at(50, { loop_limit: null })).toEqual([['and now?']]);
  });

  test('the rounds of a turn are counted if the agent does not report them', async () => {
    const { local, start } = cursorBox();
    local(cursorHooks('stop', { command: more, loop_limit: 2 }));
    const { fire } = await start();
    const round = async (stop_hook_active: boolean) =>
      (await fire('AfterAgent', { prompt: '', prompt_response: '', stop_hook_active }))
        .followUps !== undefined;
    const rounds = [await round(false), await round(true), await round(true), await round(false)];
    expect(rounds).toEqual([true, true, false, true]);
  });

  test('exit 2 and an unsuccessful end do not make the agent continue', async () => {
    const ended = await ran('stop', ['echo no >&2; exit 2']);
    expect([ended.verdict.decision, ended.followUps]).toEqual([undefined, undefined]);
    expect((await ran('stop', [more], { status: 'aborted' })).followUps).toBeUndefined();
  });
});

describe('other events', () => {
  test('a subagent can be refused, and matched by its kind', async () => {
    const deny = print({ permission: 'deny', user_message: 'no' });
    expect(
      (await ran('subagentStart', [{ command: deny, matcher: 'expl' }])).verdict,
    ).toMatchObject({ decision: 'deny', reason: 'no' });
    expect(
      (await ran('subagentStart', [{ command: deny, matcher: 'shell' }])).verdict.decision,
    ).toBeUndefined();
  });

  test('a message before a compaction is passed on, and Cursor’s own events reach their hooks', async () => {
    expect((await ran('preCompact', [print({ user_message: 'soon' })])).verdict.notice).toBe(
      'soon',
    );
    for (const event of ['afterAgentResponse', 'workspaceOpen', 'sessionEnd'] as const)
      expect((await ran(event, ['exit 2'])).error).toBe('Hook exited with code 2');
  });
});
