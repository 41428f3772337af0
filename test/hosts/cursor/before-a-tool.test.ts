import { describe, expect, test } from 'vitest';
import { cursorBox, cursorHooks } from '../../support/cursor.ts';
import { print, quoted } from '../../support/session.ts';

const calls = {
  preToolUse: { tool_name: 'run_shell_command', tool_input: { command: 'ls' } },
  beforeShellExecution: { tool_name: 'run_shell_command', tool_input: { command: 'ls' } },
  beforeMCPExecution: { tool_name: 'mcp__memory__store', tool_input: { a: 1 } },
  beforeReadFile: { tool_name: 'read_file', tool_input: { file_path: 'a.txt' } },
};

/** Returns the outcome of hooks of an event before a tool that run this. */
async function ran(
  command: string,
  {
    event = 'preToolUse',
    canAsk = true,
    ...entry
  }: { event?: keyof typeof calls; canAsk?: boolean; failClosed?: boolean; timeout?: number } = {},
) {
  const { local, start } = cursorBox();
  local(cursorHooks(event, { command, ...entry }));
  const { fire } = await start();
  const { verdict, results, toolInput } = await fire('BeforeTool', calls[event], { canAsk });
  const { notes = [], error } = results[0] ?? {};
  return { verdict, notes, error: error?.message, toolInput };
}

const no = { permission: 'deny', user_message: 'not here' };

test('what is almost a denial is reported, and denies if a failure does', async () => {
  const permission = '"permision" is not a field of an answer and was ignored: use "permission"';
  const [typo, foreign, nested, twice, closed, fine] = await Promise.all([
    ran(print({ permision: 'deny' })),
    ran(print({ blocked: true }), { event: 'beforeReadFile' }),
    ran(print({ hookSpecificOutput: { permisionDecision: 'deny' } })),
    ran(`echo '{"permission":"deny","permission":"allow"}'`),
    ran(print({ permision: 'deny' }), { failClosed: true }),
    ran(print({ permission: 'allow', other: 1 })),
  ]);
  expect(typo).toMatchObject({ verdict: {}, notes: [permission] });
  expect(typo.verdict.decision).toBeUndefined();
  expect(foreign.notes).toEqual([
    '"blocked" belongs to the hooks of another host and was ignored: use "permission": "deny"',
  ]);
  expect(nested.notes).toEqual([
    '"hookSpecificOutput.permisionDecision" is not a field of an answer and was ignored: use "permissionDecision"',
  ]);
  expect(twice.notes).toEqual(['"permission" was given more than once: the last one counts']);
  expect(closed.verdict).toMatchObject({
    decision: 'deny',
    reason: expect.stringContaining(permission),
  });
  expect(fine.notes).toEqual([]);
});

describe('denials before a tool', () => {
  test.each([
    'preToolUse',
    'beforeShellExecution',
    'beforeMCPExecution',
    'beforeReadFile',
  ] as const)('permission deny and exit 2 deny at %s', async (event) => {
    const said = await ran(print(no), { event });
    expect(said.verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
    expect(said.notes).toEqual([]);
    const ended = await ran('echo not here >&2; exit 2', { event });
    expect(ended.verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
  });

  test.each([
    ['exit 2 with text on stdout', 'echo not here; exit 2', 'not here'],
    ['exit 2 with an answer on stdout', `${print(no)}; exit 2`, 'not here'],
    ['exit 2 against an approval', `${print({ permission: 'allow' })}; exit 2`, 'Blocked by hook'],
    ['exit 2 without a word', 'exit 2', 'Blocked by hook'],
    ['text before the answer', `echo log '{x}'; ${print(no)}`, 'not here'],
    [
      'the messages for the agent and for the user',
      print({ permission: 'deny', agent_message: 'a', user_message: 'b' }),
      'a\nb',
    ],
    ['a denial without a message', print({ permission: 'deny' }), 'Blocked by hook'],
    ['an unknown field beside the denial', print({ ...no, other: 1 }), 'not here'],
  ])('a hook before a tool denies with %s', async (_, command, reason) => {
    expect((await ran(command)).verdict).toMatchObject({ decision: 'deny', reason });
  });

  test.each([
    ['exit 1 after the denial', `${print(no)}; exit 1`],
    ['text after the denial', `${print(no)}; echo done`],
    ['a wrong type beside the denial', print({ ...no, continue: 'no' })],
    ['capitals', print({ permission: 'DENY', user_message: 'not here' })],
    ['the old words of Claude Code', print({ decision: 'block', reason: 'not here' })],
    ['the words of Gemini CLI', print({ decision: 'deny', reason: 'not here' })],
    [
      'the words of Claude Code and Codex',
      print({
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'not here',
        },
      }),
    ],
    ['continue false', print({ continue: false, user_message: 'not here' })],
  ])('a hook before a tool denies with a note on %s', async (_, command) => {
    const { verdict, notes } = await ran(command);
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
    expect(notes).toEqual([
      expect.stringMatching(/^Cursor would (?:ignore this denial|deny for another reason): .+/),
    ]);
  });

  test.each([
    ['plain text', 'echo all is well'],
    ['a broken object', 'echo \'{"permission": "allow"\''],
    ['an unknown permission', print({ permission: 'maybe' })],
    ['a wrong type', print({ permission: 'allow', user_message: 1 })],
  ])('%s denies at a gate, as in Cursor', async (_, command) => {
    expect((await ran(command)).verdict.decision).toBe('deny');
  });
});

describe('what is not a denial', () => {
  test.each([
    ['nothing', ':'],
    ['exit 1', 'echo no >&2; exit 1'],
    ['exit 3', 'exit 3'],
    ['a command that is not there', 'no-such-command-anywhere'],
    ['a signal', 'kill -KILL $$'],
    ['an empty object', print({})],
  ])(
    '%s lets the call pass, but with failClosed only if the hook printed something',
    async (_, command) => {
      expect((await ran(command)).verdict.decision).toBeUndefined();
      const closed = await ran(command, { failClosed: true });
      expect(closed.verdict.decision).toBe(command.startsWith('printf') ? undefined : 'deny');
    },
  );

  test('a timeout lets the call pass, and with failClosed it denies', async () => {
    expect((await ran('sleep 30', { timeout: 0.3 })).verdict.decision).toBeUndefined();
    expect((await ran('sleep 30', { timeout: 0.3, failClosed: true })).verdict.decision).toBe(
      'deny',
    );
  });

  test('allow approves, and ask asks the user or denies if nobody can be asked', async () => {
    expect((await ran(print({ permission: 'allow' }))).verdict).toMatchObject({
      decision: 'allow',
      approved: true,
    });
    const ask = print({ permission: 'ask', user_message: 'sure?' });
    const event = 'beforeShellExecution';
    expect((await ran(ask, { event })).verdict).toMatchObject({ decision: 'ask', reason: 'sure?' });
    expect((await ran(ask, { event, canAsk: false })).verdict.decision).toBe('deny');
  });
});

describe('new arguments', () => {
  test('updated_input replaces all arguments, even without a permission', async () => {
    const { toolInput, verdict } = await ran(
      print({ updated_input: { command: 'id', working_directory: 'src' } }),
    );
    expect(verdict.decision).toBeUndefined();
    expect(toolInput).toEqual({ command: 'id', directory: 'src' });
  });

  test('updated_input has no effect at other events, nor beside a denial', async () => {
    const elsewhere = await ran(print({ permission: 'allow', updated_input: {} }), {
      event: 'beforeShellExecution',
    });
    expect(elsewhere.toolInput).toBeUndefined();
    expect(elsewhere.notes).toEqual([expect.stringContaining('"updated_input" has no effect')]);
    expect((await ran(print({ ...no, updated_input: {} }))).toolInput).toBeUndefined();
  });
});

const touched = async (
  entries: Record<string, { matcher?: string }>,
  call: { tool_name: string; tool_input: object },
) => {
  const { local, start, left } = cursorBox();
  local({
    version: 1,
    hooks: Object.fromEntries(
      Object.entries(entries).map(([event, entry]) => [
        event,
        [{ ...entry, command: `echo ${event} >> log` }],
      ]),
    ),
  });
  const { fire } = await start();
  await fire('BeforeTool', { ...call, tool_input: call.tool_input as Record<string, unknown> });
  return left('log').split('\n').filter(Boolean).toSorted();
};

describe('which hooks apply to a call', () => {
  const all = {
    preToolUse: {},
    beforeShellExecution: {},
    beforeMCPExecution: {},
    beforeReadFile: {},
  };

  test('one call is several Cursor events, and the hooks of all of them run', async () => {
    const { beforeShellExecution, beforeMCPExecution, beforeReadFile } = calls;
    expect(await touched(all, beforeShellExecution)).toEqual([
      'beforeShellExecution',
      'preToolUse',
    ]);
    expect(await touched(all, beforeMCPExecution)).toEqual(['beforeMCPExecution', 'preToolUse']);
    expect(await touched(all, beforeReadFile)).toEqual(['beforeReadFile', 'preToolUse']);
    expect(await touched(all, { tool_name: 'glob', tool_input: {} })).toEqual(['preToolUse']);
  });

  test.each([
    ['Shell', 'preToolUse', 'preToolUse', true],
    ['^S.*l$', 'preToolUse', 'preToolUse', true],
    ['*', 'preToolUse', 'preToolUse', true],
    ['', 'preToolUse', 'preToolUse', true],
    ['Bash', 'preToolUse', 'preToolUse', false],
    ['shell', 'preToolUse', 'preToolUse', false],
    ['MCP:store', 'preToolUse', 'beforeMCPExecution', true],
    ['MCP:', 'beforeMCPExecution', 'beforeMCPExecution', true],
    ['Read', 'beforeReadFile', 'beforeReadFile', true],
    ['^ls', 'beforeShellExecution', 'beforeShellExecution', true],
    ['Shell', 'beforeShellExecution', 'beforeShellExecution', false],
  ] as const)(
    'whether the matcher %s at %s applies to the call of %s is %s',
    async (matcher, event, call, isFor) => {
      expect(await touched({ [event]: { matcher } }, calls[call])).toEqual(isFor ? [event] : []);
    },
  );
});

test('the strictest of several hooks decides, and the reasons of all are given', async () => {
  const { local, global, start } = cursorBox();
  local(cursorHooks('preToolUse', print({ permission: 'allow' }), print(no)));
  global(
    cursorHooks(
      'beforeShellExecution',
      print({ permission: 'ask' }),
      `printf %s ${quoted(JSON.stringify({ permission: 'deny', user_message: 'mine' }))}`,
    ),
  );
  const { fire } = await start();
  const { verdict } = await fire('BeforeTool', calls.preToolUse);
  expect(verdict).toMatchObject({ decision: 'deny', reason: 'not here\nmine' });
});
