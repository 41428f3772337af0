import { describe, expect, test } from 'vitest';
import { denial, settingsOf, specific } from '../../support/claude-code.ts';
import { codexBox } from '../../support/codex.ts';
import { quoted } from '../../support/session.ts';

const command: Readonly<Record<string, unknown>> = { command: 'ls' };

/** Returns the outcome of a hook that runs this before a shell command. */
async function ran(
  hook: string,
  { tool_name = 'run_shell_command', tool_input = command, canAsk = true, timeout = 600 } = {},
) {
  const { local, start } = codexBox();
  local(settingsOf('PreToolUse', { type: 'command', command: hook, timeout }));
  const { fire } = await start();
  const { verdict, results, toolInput } = await fire(
    'BeforeTool',
    { tool_name, tool_input },
    { canAsk },
  );
  const { notes = [], error } = results[0] ?? {};
  return { verdict, notes, error: error?.message, toolInput };
}

const print = (answer: unknown): string =>
  `printf '%s' ${quoted(typeof answer === 'string' ? answer : JSON.stringify(answer))}`;

const before = (fields: object): object => specific('PreToolUse', { ...fields });
const no = denial('not here');
const wouldIgnore = expect.stringMatching(/^Codex would ignore this denial: .+; .+/);

describe('denials that Codex accepts', () => {
  test.each([
    ['deny with a reason', print(no)],
    ['the old block with a reason', print({ decision: 'block', reason: 'not here' })],
    ['blanks around it', `printf '\\n  '; ${print(no)}; printf ' \\n'`],
    ['exit 2 with a reason on stderr', 'echo not here >&2; exit 2'],
    [
      'exit 2 against an approval',
      `${print(before({ permissionDecision: 'allow' }))}; echo not here >&2; exit 2`,
    ],
    [
      'the name of another event',
      print(specific('Stop', { permissionDecision: 'deny', permissionDecisionReason: 'not here' })),
    ],
    ['the new word beside an old approval', print({ decision: 'approve', ...no })],
    ['the new reason beside an old block', print({ decision: 'block', reason: 'other', ...no })],
    [
      'null in fields that may be empty',
      print({ ...no, systemMessage: null, stopReason: null, reason: null }),
    ],
    ['a reason with blanks around it', print(denial('  not here \n'))],
  ])('a denial that Codex accepts counts without a note: %s', async (_, hook) => {
    const { verdict, notes } = await ran(hook);
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
    expect(notes).toEqual([]);
  });

  test('a long reason is kept whole, with its lines', async () => {
    const { verdict } = await ran(
      `{ echo first; head -c 30000 /dev/zero | tr '\\0' x; } >&2; exit 2`,
    );
    expect(verdict.reason).toBe(`first\n${'x'.repeat(30_000)}`);
  });

  test('context beside a denial is delivered', async () => {
    const both = {
      permissionDecision: 'deny',
      permissionDecisionReason: 'no',
      additionalContext: 'why',
    };
    expect((await ran(print(before(both)))).verdict).toMatchObject({
      decision: 'deny',
      context: 'why',
    });
  });
});

describe('denials that Codex would lose', () => {
  test.each([
    ['exit 2 without a word', 'exit 2', 'Blocked by hook'],
    ['exit 2 with blanks on stderr', 'echo "  " >&2; exit 2', 'Blocked by hook'],
    ['exit 2 with the reason on stdout', 'echo not here; exit 2', 'not here'],
    ['exit 2 with the answer on stdout', `${print(no)}; exit 2`, 'not here'],
    ['exit 1', `${print(no)}; exit 1`, 'not here'],
    ['exit 3', `${print(no)}; exit 3`, 'not here'],
    ['deny without a reason', print(before({ permissionDecision: 'deny' })), 'Blocked by hook'],
    ['deny with a blank reason', print(denial('  ')), 'Blocked by hook'],
    [
      'a reason at the top only',
      print({ reason: 'not here', ...before({ permissionDecision: 'deny' }) }),
      'not here',
    ],
    ['the old block without a reason', print({ decision: 'block' }), 'Blocked by hook'],
    ['an unknown field at the top', print({ ...no, note: 1 }), 'not here'],
    [
      'an unknown field inside',
      print(before({ permissionDecision: 'deny', permissionDecisionReason: 'not here', extra: 1 })),
      'not here',
    ],
    ['continue false', print({ ...no, continue: false }), 'not here'],
    ['continue null', print({ ...no, continue: null }), 'not here'],
    ['stopReason', print({ ...no, stopReason: 'enough' }), 'not here'],
    ['suppressOutput', print({ ...no, suppressOutput: true }), 'not here'],
    ['a wrong type elsewhere', print({ ...no, systemMessage: 1 }), 'not here'],
    [
      'a number as its reason',
      print(before({ permissionDecision: 'deny', permissionDecisionReason: 7 })),
      'Blocked by hook',
    ],
    [
      'new arguments',
      print(
        before({
          permissionDecision: 'deny',
          permissionDecisionReason: 'not here',
          updatedInput: command,
        }),
      ),
      'not here',
    ],
    [
      'an old block beside a new approval',
      print({ decision: 'block', reason: 'not here', ...before({ permissionDecision: 'allow' }) }),
      'not here',
    ],
    [
      'capitals',
      print(before({ permissionDecision: 'DENY', permissionDecisionReason: 'not here' })),
      'not here',
    ],
    ['deny as the old word', print({ decision: 'deny', reason: 'not here' }), 'not here'],
    [
      'no hookEventName',
      print({
        hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'not here' },
      }),
      'not here',
    ],
    ['a log line before it', `echo checking; ${print(no)}`, 'not here'],
    ['a log line in brackets before it', `echo '[info] checking'; ${print(no)}`, 'not here'],
    ['a log line after it', `${print(no)}; echo; echo done`, 'not here'],
    ['a byte order mark', `printf '\\357\\273\\277'; ${print(no)}`, 'not here'],
  ])('a denial that Codex would lose still counts, with a note: %s', async (_, hook, reason) => {
    const { verdict, notes } = await ran(hook);
    expect(verdict).toMatchObject({ decision: 'deny', reason });
    expect(notes).toEqual([wouldIgnore]);
  });

  test('a background child that holds stdout does not make the denial disappear', async () => {
    const { verdict } = await ran(`${print(no)}; sleep 30 &`, { timeout: 2 });
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
  });

  test('"ask" asks the user, or denies if nobody can be asked', async () => {
    const ask = print(before({ permissionDecision: 'ask', permissionDecisionReason: 'sure?' }));
    expect((await ran(ask)).verdict).toMatchObject({ decision: 'ask', reason: 'sure?' });
    expect((await ran(ask, { canAsk: false })).verdict).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('sure?'),
    });
  });
});

describe('answers that decide nothing, as in Codex', () => {
  test.each([
    ['exit 0 without a word', ':'],
    ['plain text', 'echo all is well'],
    ['a JSON string', print('"deny"')],
    ['a number', 'echo 1'],
    ['JSON in JSON', print(JSON.stringify(JSON.stringify(no)))],
    ['a denial on stderr', `${print(no)} >&2`],
    ['a broken object', print(JSON.stringify(no).slice(0, -1))],
    ['a list', print([no])],
    ['bytes that are not text before it', `printf '\\377'; ${print(no)}`],
    ['exit 1', 'echo no >&2; exit 1'],
    ['exit 3', 'echo no >&2; exit 3'],
    ['a command that is not there', 'no-such-command-anywhere'],
    ['a signal', 'kill -KILL $$'],
    ['an approval alone', print(before({ permissionDecision: 'allow' }))],
    ['an old approval', print({ decision: 'approve' })],
    [
      'an approval with context',
      print(before({ permissionDecision: 'allow', additionalContext: 'lost' })),
    ],
    [
      'an approval with null for arguments',
      print(before({ permissionDecision: 'allow', updatedInput: null })),
    ],
    ['new arguments without an approval', print(before({ updatedInput: { command: 'id' } }))],
    ['defer', print(before({ permissionDecision: 'defer' }))],
    ['continue false', print({ continue: false, stopReason: 'enough' })],
    ['stopReason alone', print({ stopReason: 'enough' })],
    ['suppressOutput alone', print({ suppressOutput: true })],
    ['a lone reason', print({ reason: 'because' })],
    ['a lone permissionDecisionReason', print(before({ permissionDecisionReason: 'because' }))],
    [
      'context beside an unknown field',
      print({ ...before({ additionalContext: 'lost' }), other: 1 }),
    ],
    ['an empty object', print({})],
  ])('an answer before a tool decides nothing, as in Codex: %s', async (_, hook) => {
    const { verdict } = await ran(hook);
    expect(verdict).toMatchObject({ stop: false, changes: {} });
    expect([verdict.decision, verdict.context]).toEqual([undefined, undefined]);
  });

  test('a hook that is not awaited denies nothing, and its context arrives with the next turn', async () => {
    const answer = before({
      permissionDecision: 'deny',
      permissionDecisionReason: 'no',
      additionalContext: 'later',
    });
    const { local, start } = codexBox();
    local(settingsOf('PreToolUse', { type: 'command', command: print(answer), async: true }));
    const { fire } = await start();
    const call = { tool_name: 'run_shell_command', tool_input: command };
    expect((await fire('BeforeTool', call)).verdict.decision).toBeUndefined();
    await expect
      .poll(async () => (await fire('BeforeAgent', { prompt: 'Hi' })).verdict.context)
      .toBe('later');
  });
});

const updated = (updatedInput: unknown) =>
  print(before({ permissionDecision: 'allow', permissionDecisionReason: 'safer', updatedInput }));

describe('context, messages and new arguments', () => {
  test('context and a message before a tool are delivered', async () => {
    const answer = { ...before({ additionalContext: 'a hint' }), systemMessage: 'hello' };
    expect((await ran(print(answer))).verdict).toMatchObject({
      context: 'a hint',
      notice: 'hello',
    });
  });

  test('an approval with arguments replaces the command and approves nothing', async () => {
    const { verdict, toolInput } = await ran(updated({ command: 'ls -l', other: 1 }), {
      tool_input: { command: 'ls', directory: 'src' },
    });
    expect(verdict.decision).toBeUndefined();
    expect(toolInput).toEqual({ command: 'ls -l', directory: 'src' });
  });

  test('the arguments of other tools are replaced as a whole', async () => {
    const tool = { tool_name: 'mcp__memory__store', tool_input: { a: 1, b: 2 } };
    expect((await ran(updated({ a: 3 }), tool)).toolInput).toEqual({ a: 3 });
  });

  test.each([
    ['a shell command without its text', { cmd: 'id' }, 'run_shell_command'],
    ['a shell command that is a number', { command: 1 }, 'run_shell_command'],
    ['something other than an object for a server’s tool', 'text', 'mcp__memory__store'],
  ])('a call is denied if a hook replaces its arguments with %s', async (_, input, tool_name) => {
    const { verdict } = await ran(updated(input), { tool_name });
    expect(verdict).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('A hook gave arguments that the tool cannot run with: '),
    });
  });

  test('the last of several hooks in plan order sets the arguments, and the reasons of all are given', async () => {
    const { local, global, start } = codexBox();
    global(settingsOf('PreToolUse', `${updated({ command: 'user' })}; sleep 0.2`));
    local(settingsOf('PreToolUse', updated({ command: 'project' })));
    const { fire } = await start();
    const bash = { tool_name: 'run_shell_command', tool_input: command };
    expect((await fire('BeforeTool', bash)).toolInput).toEqual({ command: 'project' });
    global(settingsOf('PreToolUse', print(denial('user'))));
    local(settingsOf('PreToolUse', print(denial('project'))));
    const again = await start();
    expect((await again.fire('BeforeTool', bash)).verdict.reason).toBe('user\nproject');
  });
});
