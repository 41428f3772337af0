import { describe, expect, test } from 'vitest';
import type { HookEventName } from '../../../src/core/protocol/events.ts';
import { copilotBox, hooksOf, printing, type CopilotHook } from '../../support/copilot.ts';

/** Returns the outcome of hooks of Copilot's event when one of our events is fired. */
async function ran(
  event: HookEventName,
  fields: object,
  native: string,
  ...hooks: readonly CopilotHook[]
) {
  const { local, start, left } = copilotBox();
  local(hooksOf(native, ...hooks));
  const { fire } = await start();
  const { verdict, results } = await fire(event, fields as never);
  return { verdict, notes: results.flatMap(({ notes }) => notes), log: left('log') };
}

const call = { tool_name: 'run_shell_command', tool_input: { command: 'ls' } };
const block = { decision: 'block', reason: 'not here' };
const context = printing({ additionalContext: 'look' });

const prompted = (native: string, ...hooks: readonly CopilotHook[]) =>
  ran('BeforeAgent', { prompt: 'Hi' }, native, ...hooks);

const requested = (native: string, ...hooks: readonly CopilotHook[]) =>
  ran('ToolPermission', call, native, ...hooks);

describe('after a tool', () => {
  const fields = { ...call, tool_response: { llmContent: 'out', returnDisplay: 'out' } };
  const after = (native: string, ...hooks: readonly CopilotHook[]) =>
    ran('AfterTool', fields, native, ...hooks);

  test.each(['postToolUse', 'PostToolUse'])(
    'a block of %s replaces the result with its reason, even at exit 2, and ends the series',
    async (native) => {
      const replaced = {
        decision: 'deny',
        reason: 'not here',
        changes: { tool_response: { whole: { llmContent: 'Tool result blocked: not here' } } },
      };
      const [plain, two] = await Promise.all([
        after(native, printing(block), 'echo two >> log'),
        after(native, `${printing(block)}; exit 2`),
      ]);
      expect(plain).toMatchObject({ verdict: replaced, log: '' });
      expect(two.verdict).toMatchObject(replaced);
    },
  );

  test.each([
    ['exit 2', 'echo oops >&2; exit 2'],
    ['exit 1 beside a block', `${printing(block)}; exit 1`],
    ['a block without a reason', printing({ decision: 'block' })],
    ['"continue": false', printing({ continue: false })],
    ['a result that is a string', printing({ modifiedResult: 'new' })],
  ])('%s after a tool changes nothing', async (_, command) => {
    const { verdict } = await after('postToolUse', command);
    expect(verdict).toMatchObject({ stop: false, changes: {} });
    expect(verdict.decision).toBeUndefined();
  });

  test.each(['postToolUse', 'PostToolUse'])(
    '"modifiedResult" of %s replaces the result, the next hook receives it, and context is reported',
    async (native) => {
      const answer = {
        modifiedResult: { resultType: 'success', textResultForLlm: 'new' },
        additionalContext: 'look',
      };
      const { verdict, log } = await after(native, printing(answer), 'cat >> log');
      expect(verdict).toMatchObject({
        context: 'look',
        changes: { tool_response: { whole: { llmContent: 'new' } } },
      });
      const received = JSON.parse(log) as Record<string, unknown>;
      expect(received['toolResult'] ?? received['tool_result']).toEqual(
        native === 'postToolUse'
          ? { resultType: 'success', textResultForLlm: 'new' }
          : { result_type: 'success', text_result_for_llm: 'new' },
      );
    },
  );

  test('hooks for failed tools run only when a tool failed, and stderr at exit 2 is reported', async () => {
    const failed = {
      ...call,
      error: 'gone',
      tool_response: { llmContent: 'gone', returnDisplay: 'gone', error: { message: 'gone' } },
    };
    const [received, two, other, not] = await Promise.all([
      ran('ToolFailed', failed, 'postToolUseFailure', `cat > log; ${context}`),
      ran('ToolFailed', failed, 'PostToolUseFailure', 'echo out; echo err >&2; exit 2'),
      ran('AfterTool', failed, 'postToolUse', context),
      after('postToolUseFailure', context),
    ]);
    expect(received.verdict.context).toBe('look');
    expect(JSON.parse(received.log)).toMatchObject({ toolName: 'bash', error: 'gone' });
    expect(two.verdict.context).toBe('err');
    expect(other.verdict.context).toBeUndefined();
    expect(not.verdict.context).toBeUndefined();
  });
});

describe('at a prompt', () => {
  test.each(['userPromptSubmitted', 'UserPromptSubmit'])(
    'a block of %s rejects the prompt, even at exit 2',
    async (native) => {
      const [plain, two] = await Promise.all([
        prompted(native, printing(block)),
        prompted(native, `${printing(block)}; exit 2`),
      ]);
      expect(plain.verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
      expect(plain.notes).toEqual([]);
      expect(two.verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
    },
  );

  test.each([
    ['exit 2', 'echo no >&2; exit 2'],
    ['exit 1', 'exit 1'],
    ['plain text', 'echo text'],
    ['"continue": false', printing({ continue: false })],
  ])('%s at a prompt does nothing', async (_, command) => {
    const { verdict } = await prompted('userPromptSubmitted', command);
    expect(verdict).toMatchObject({ stop: false });
    expect(verdict.decision).toBeUndefined();
    expect(verdict.context).toBeUndefined();
  });

  test.each([
    ['without a reason', printing({ decision: 'block' })],
    ['with a reason of the wrong type', printing({ decision: 'block', reason: 42 })],
    ['in another case', printing({ decision: 'Block', reason: 'no' })],
    ['in other words', printing({ permissionDecision: 'deny' })],
    ['at exit 1', `${printing(block)}; exit 1`],
    ['with text around it', `echo so; ${printing(block)}`],
  ])('a block of a prompt %s still counts, with a note', async (_, command) => {
    const { verdict, notes } = await prompted('userPromptSubmitted', command);
    expect(verdict.decision).toBe('deny');
    expect(notes).toContainEqual(expect.stringContaining('Copilot would ignore this denial'));
  });

  test('context at a prompt is passed on, and the last of several modified prompts counts', async () => {
    const { verdict, log } = await prompted(
      'userPromptSubmitted',
      printing({ modifiedPrompt: 'one', additionalContext: 'look' }),
      `cat > log; ${printing({ modifiedPrompt: 'two' })}`,
    );
    expect(verdict).toMatchObject({ context: 'look', own: { modifiedPrompt: 'two' } });
    expect(JSON.parse(log)).toMatchObject({ prompt: 'Hi' });
  });
});

describe('requests for permission', () => {
  test.each(
    ['permissionRequest', 'PermissionRequest'].flatMap((native) =>
      (
        [
          ['a denial', printing({ behavior: 'deny', message: 'no' }), 'no'],
          [
            'a denial without a message',
            printing({ behavior: 'deny' }),
            'Permission denied by hook.',
          ],
          ['exit 2', 'echo why >&2; exit 2', 'Permission denied by hook.'],
          [
            'exit 2 beside an approval',
            `${printing({ behavior: 'allow' })}; exit 2`,
            'Permission denied by hook.',
          ],
          [
            'exit 2 with a message',
            `${printing({ behavior: 'deny', message: 'no' })}; exit 2`,
            'no',
          ],
          [
            'exit 1 beside an approval',
            `${printing({ behavior: 'allow' })}; exit 1`,
            expect.stringContaining('hook errored'),
          ],
          [
            'a denial in "hookSpecificOutput"',
            printing({ hookSpecificOutput: { decision: { behavior: 'deny', message: 'no' } } }),
            'no',
          ],
        ] as const
      ).map((row) => [native, ...row] as const),
    ),
  )('at %s, %s denies', async (native, _, command, reason) => {
    expect((await requested(native, command)).verdict).toMatchObject({ decision: 'deny', reason });
  });

  test('an approval allows, a denial takes precedence over it, and a denial that interrupts stops the agent', async () => {
    const [allowed, denied, stopped] = await Promise.all([
      requested('permissionRequest', printing({ behavior: 'allow' })),
      requested(
        'permissionRequest',
        printing({ behavior: 'deny', message: 'no' }),
        printing({ behavior: 'allow' }),
      ),
      requested('permissionRequest', printing({ behavior: 'deny', interrupt: true })),
    ]);
    expect(allowed.verdict.decision).toBe('allow');
    expect(denied.verdict).toMatchObject({ decision: 'deny', reason: 'no' });
    expect(stopped.verdict).toMatchObject({ decision: 'deny', stop: true });
  });
});

describe('the end of a turn', () => {
  const fields = { prompt: 'Hi', prompt_response: 'Done', stop_hook_active: false };
  const ended = (native: string, ...hooks: readonly CopilotHook[]) =>
    ran('AfterAgent', fields, native, ...hooks);

  test.each(['agentStop', 'Stop'])(
    'a block of %s makes the agent continue, even at exit 2',
    async (native) => {
      const [plain, two] = await Promise.all([
        ended(native, printing(block)),
        ended(native, `${printing(block)}; exit 2`),
      ]);
      expect(plain.verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
      expect(two.verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
    },
  );

  test.each([
    ['exit 2', 'echo on >&2; exit 2'],
    ['exit 1 beside a block', `${printing(block)}; exit 1`],
    ['a block without a reason', printing({ decision: 'block' })],
    ['context', context],
    ['"decision": "allow"', printing({ decision: 'allow' })],
  ])('%s lets the turn end', async (_, command) => {
    const { verdict } = await ended('agentStop', command);
    expect(verdict.decision).toBeUndefined();
    expect(verdict.context).toBeUndefined();
  });
});

test.each([
  ['context is passed on when a session starts', 'SessionStart', 'sessionStart', context, 'look'],
  ['context is passed on at exit 2', 'SessionStart', 'SessionStart', `${context}; exit 2`, 'look'],
  [
    'context is not passed on at exit 1',
    'SessionStart',
    'sessionStart',
    `${context}; exit 1`,
    undefined,
  ],
  ['plain text is not passed on', 'SessionStart', 'sessionStart', 'echo text', undefined],
  ['nothing is passed on when a session ends', 'SessionEnd', 'sessionEnd', context, undefined],
] as const)('%s at %s', async (_, event, native, command, received) => {
  const fields = event === 'SessionStart' ? { source: 'startup' } : { reason: 'exit' };
  expect((await ran(event, fields, native, command)).verdict.context).toBe(received);
});

test('an error, which only Copilot reports, reaches hooks in both forms', async () => {
  const { local, start, left } = copilotBox();
  local({
    hooks: {
      errorOccurred: [{ bash: 'cat > camel' }],
      ErrorOccurred: [{ bash: 'cat > pascal' }],
    },
  });
  const { fire } = await start();
  await fire('host.errorOccurred', { errorContext: 'model_call', recoverable: true });
  expect(JSON.parse(left('camel'))).toMatchObject({
    errorContext: 'model_call',
    recoverable: true,
  });
  expect(JSON.parse(left('pascal'))).toMatchObject({
    hook_event_name: 'ErrorOccurred',
    error_context: 'model_call',
  });
});
