import { describe, expect, test } from 'vitest';
import { claudeBox, denial, settingsOf, specific } from '../../support/claude-code.ts';
import { quoted } from '../../support/session.ts';

const bash = { tool_name: 'run_shell_command', tool_input: { command: 'ls' } } as const;

/** Returns the outcome of a hook that runs this before a shell command. */
async function ran(
  command: string,
  hook: Readonly<Record<string, unknown>> = {},
  input: Readonly<Record<string, unknown>> = bash.tool_input,
) {
  const { local, start } = claudeBox();
  local(settingsOf('PreToolUse', { type: 'command', command, ...hook }));
  const { fire, warnings } = await start();
  const { verdict, results } = await fire(
    'BeforeTool',
    { ...bash, tool_input: input },
    { canAsk: true },
  );
  return { verdict, notes: results[0]?.notes ?? [], error: results[0]?.error?.message, warnings };
}

const print = (answer: unknown): string =>
  `printf '%s' ${quoted(typeof answer === 'string' ? answer : JSON.stringify(answer))}`;

const allow = specific('PreToolUse', { permissionDecision: 'allow' });
const no = print(denial('not here'));

describe('exit codes, stdout and stderr before a tool', () => {
  test.each([
    ['exit 0 without output', ':'],
    ['exit 0 with plain text', 'echo all is well'],
    ['exit 0 with a denial on stderr', `${no} >&2`],
    ['exit 1', 'echo oops >&2; exit 1'],
    ['exit 3 with plain text', 'echo text; exit 3'],
    ['a command that is not there', 'no-such-command-anywhere'],
    ['a signal', 'kill -KILL $$'],
    ['an empty object', print({})],
    ['a lone reason', print({ reason: 'because' })],
    ['"continue": true', print({ continue: true })],
    ['an array', print([1])],
    ['a JSON string', print('"deny"')],
  ])('%s decides nothing', async (_, command) => {
    const { verdict } = await ran(command);
    expect(verdict).toMatchObject({ stop: false, changes: {} });
    expect(verdict.decision).toBeUndefined();
  });

  test.each([
    ['exit 0', no],
    ['exit 1', `${no}; exit 1`],
    ['exit 3', `${no}; exit 3`],
    ['a signal', `${no}; kill -KILL $$`],
    ['exit 2, beside stderr', `${no}; echo other >&2; exit 2`],
    ['blanks and blank lines around it', `printf '\\n\\n  '; ${no}; printf ' \\n\\n'`],
    ['a byte order mark', `printf '\\357\\273\\277'; ${no}`],
    ['a background child that holds stdout', `${no}; sleep 60 &`],
    ['the old words', print({ decision: 'block', reason: 'not here' })],
    [
      'the old words beside an approval in the new ones',
      print({ decision: 'block', reason: 'not here', ...allow }),
    ],
    [
      'the new words beside an approval in the old ones',
      print({ decision: 'approve', ...denial('not here') }),
    ],
    ['an unknown field', print({ ...denial('not here'), other: 1 })],
  ])('a printed denial before a tool counts: %s', async (_, command) => {
    expect((await ran(command)).verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
  });

  test.each([
    ['without output', 'exit 2', 'Blocked by hook'],
    ['with stderr of two lines', 'echo one >&2; echo two >&2; exit 2', 'one\ntwo'],
    ['with plain text', 'echo text; exit 2', 'Blocked by hook'],
    ['with plain text and stderr', 'echo text; echo why >&2; exit 2', 'why'],
    ['with an approval', `${print(allow)}; echo why >&2; exit 2`, 'why'],
    [
      'with a question',
      `${print(specific('PreToolUse', { permissionDecision: 'ask' }))}; echo why >&2; exit 2`,
      'why',
    ],
    ['with {}', `echo '{}'; echo why >&2; exit 2`, 'why'],
    ['with broken JSON', `echo '{"a'; echo why >&2; exit 2`, 'why'],
    ['with JSON of the wrong form', `${print({ reason: 42 })}; echo why >&2; exit 2`, 'why'],
    ['a syntax error of the shell', 'if then', expect.stringContaining('yntax error')],
  ])('exit 2 before a tool denies: %s', async (_, command, reason) => {
    expect((await ran(command)).verdict).toMatchObject({ decision: 'deny', reason });
  });
});

describe('what an answer may ask for before a tool', () => {
  test.each(['allow', 'ask', 'defer'] as const)(
    'an answer before a tool may decide "%s"',
    async (permissionDecision) => {
      const answer = specific('PreToolUse', {
        permissionDecision,
        permissionDecisionReason: 'why',
      });
      const { verdict } = await ran(print(answer));
      expect(verdict).toMatchObject({ decision: permissionDecision, reason: 'why' });
    },
  );

  test('"decision": "approve" approves the call', async () => {
    expect((await ran(print({ decision: 'approve' }))).verdict).toMatchObject({
      decision: 'allow',
      approved: true,
    });
  });

  test('context counts beside any decision, and beside exit 2', async () => {
    const answer = print(specific('PreToolUse', { additionalContext: 'look' }));
    expect((await ran(answer)).verdict).toMatchObject({ context: 'look' });
    expect((await ran(`${answer}; echo no >&2; exit 2`)).verdict).toMatchObject({
      decision: 'deny',
      reason: 'no',
      context: 'look',
    });
  });

  test('new arguments replace all of the old ones, even without a decision and at exit 1', async () => {
    const command = print(specific('PreToolUse', { updatedInput: { command: 'pwd' } }));
    const input = { command: 'ls', description: 'List' };
    const whole = { changes: { tool_input: { whole: { command: 'pwd' } } } };
    expect((await ran(command, {}, input)).verdict).toMatchObject(whole);
    expect((await ran(`${command}; exit 1`, {}, input)).verdict).toMatchObject(whole);
  });

  test('new arguments are ignored beside a denial', async () => {
    const answer = specific('PreToolUse', {
      permissionDecision: 'deny',
      updatedInput: { command: 'pwd' },
    });
    expect((await ran(print(answer))).verdict).toMatchObject({ decision: 'deny', changes: {} });
  });

  test.each([{}, { cmd: 'pwd' }, { command: 7 }])(
    'new arguments %j with which the tool cannot run deny the call',
    async (updatedInput) => {
      const { verdict } = await ran(print(specific('PreToolUse', { updatedInput })));
      expect(verdict).toMatchObject({ decision: 'deny', changes: {} });
      expect(verdict.reason).toContain('"command"');
    },
  );

  test('a stop keeps the tool from running, and a note says that Claude Code would run it', async () => {
    const { verdict, notes } = await ran(print({ continue: false, stopReason: 'enough' }));
    expect(verdict).toMatchObject({ stop: true, stopReason: 'enough' });
    expect(notes).toEqual([expect.stringContaining('Claude Code would ignore this stop')]);
  });

  test.each([
    ['a reason that is a number', { reason: 42, ...allow }],
    ['"continue": "yes"', { continue: 'yes', ...allow }],
    ['a systemMessage that is null', { systemMessage: null, ...allow }],
    ['new arguments that are a string', specific('PreToolUse', { updatedInput: 'pwd' })],
    ['no event name', { hookSpecificOutput: { permissionDecision: 'allow' } }],
    ['the name of another event', specific('PostToolUse', { permissionDecision: 'allow' })],
    ['an unknown word', specific('PreToolUse', { permissionDecision: 'forbid' })],
  ])('an answer with %s is ignored entirely and reported', async (_, answer) => {
    const { verdict, error } = await ran(print(answer));
    expect(verdict).toMatchObject({ stop: false, changes: {} });
    expect(verdict.decision).toBeUndefined();
    expect(error).toContain('its answer is not valid');
  });

  test.each([
    ['decision: deny at the top', { decision: 'deny' }],
    ['permissionDecision at the top', { permissionDecision: 'deny' }],
    ['permission at the top', { permission: 'deny' }],
    ['updatedInput at the top', { updatedInput: { command: 'pwd' } }],
    ["LLxprt's tool_input", specific('PreToolUse', { tool_input: { command: 'pwd' } })],
  ])('%s is not read, and a note or an error says so', async (_, answer) => {
    const { verdict, notes, error } = await ran(print(answer));
    expect([verdict.decision, verdict.changes]).toEqual([undefined, {}]);
    expect([...notes, error].filter(Boolean)).not.toEqual([]);
  });
});

describe('denials that Claude Code would lose still count, with a note', () => {
  test.each([
    ['a wrong field beside it', { reason: 42, ...denial('not here') }],
    [
      'no event name',
      { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'not here' } },
    ],
    [
      'its word in another case',
      specific('PreToolUse', { permissionDecision: 'Deny', permissionDecisionReason: 'not here' }),
    ],
    ['the old word in another case', { decision: 'BLOCK', reason: 'not here' }],
    ['text before it', `checking…\n${JSON.stringify(denial('not here'))}`],
    ['text after it', `${JSON.stringify(denial('not here'))}\ndone`],
    ['a code fence around it', `\`\`\`json\n${JSON.stringify(denial('not here'))}\n\`\`\``],
    ['another object before it', `{}\n${JSON.stringify(denial('not here'))}`],
  ])('a denial with %s still counts, with a note', async (_, answer) => {
    const { verdict, notes } = await ran(print(answer));
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
    expect(notes).toContainEqual(expect.stringContaining('Claude Code would ignore this denial'));
  });
});

describe('onFailure: "block" before a tool', () => {
  test.each([
    ['exit 1', 'echo oops >&2; exit 1'],
    ['a command that is not there', 'no-such-command-anywhere'],
    ['a signal', 'kill -KILL $$'],
    ['JSON of the wrong form', print({ reason: 42 })],
    ['exit 1 with an approval', `${print(allow)}; exit 1`],
    ['exit 1 with context', `${print(specific('PreToolUse', { additionalContext: 'x' }))}; exit 1`],
  ])('onFailure "block" makes %s deny', async (_, command) => {
    expect((await ran(command, { onFailure: 'block' })).verdict).toMatchObject({
      decision: 'deny',
    });
  });

  test.each([
    ['silence', ':'],
    ['plain text', 'echo fine'],
    ['broken JSON', `echo '{"a'`],
    ['two objects', `echo '{} {}'`],
  ])('%s is not a failure, even with onFailure "block"', async (_, command) => {
    expect((await ran(command, { onFailure: 'block' })).verdict.decision).toBeUndefined();
  });
});
