import { describe, expect, test } from 'vitest';
import { copilotBox, denial, hooksOf, printing, type CopilotHook } from '../../support/copilot.ts';

const bash = { tool_name: 'run_shell_command', tool_input: { command: 'ls' } } as const;

/** What hooks before a shell command come to. */
async function ran(event: string, ...hooks: readonly CopilotHook[]) {
  const { local, start, left } = copilotBox();
  local(hooksOf(event, ...hooks));
  const { fire, warnings } = await start();
  const { verdict, results } = await fire('BeforeTool', bash, { canAsk: true });
  return {
    verdict,
    results,
    notes: results.flatMap(({ notes }) => notes),
    warnings,
    log: left('log'),
  };
}

const no = printing(denial);
const own = (fields: object): object => ({ hookSpecificOutput: fields });
const both = ['preToolUse', 'PreToolUse'];
const inEach = <Row extends readonly unknown[]>(rows: readonly Row[]) =>
  both.flatMap((event) => rows.map((row) => [event, ...row] as const));

describe('what lets a tool run', () => {
  test.each(
    inEach([
      ['exit 0', ':'],
      ['plain text', 'echo all is well'],
      ['broken JSON', `printf '{"a'`],
      ['a denial on stderr', `${no} >&2`],
      ['an array', printing([1])],
      ['a word that nobody knows', printing({ permissionDecision: 'perhaps' })],
      ['"continue": false', printing({ continue: false, stopReason: 'enough' })],
      ['a lone reason', printing({ permissionDecisionReason: 'because' })],
      ['lines of progress alone', `echo '{"type":"progress","message":"Looking"}'`],
      ['flat "updatedInput"', printing({ updatedInput: { command: 'pwd' } })],
    ]),
  )('%s: %s', async (event, _, command) => {
    const { verdict } = await ran(event, command);
    expect(verdict).toMatchObject({ stop: false, changes: {} });
    expect(verdict.decision).toBeUndefined();
  });

  test.each(both)('%s: a hook that overran its time, whatever it had printed', async (event) => {
    const { verdict, results } = await ran(event, { bash: `${no}; sleep 60`, timeoutSec: 0.3 });
    expect(verdict.decision).toBeUndefined();
    expect(results[0]).toMatchObject({ status: 'timedOut' });
  });
});

describe('what denies a tool', () => {
  test.each(
    inEach([
      ['a denial', no, 'not here'],
      ['one without a reason', printing({ permissionDecision: 'deny' }), 'No reason provided'],
      [
        'one with a reason of a wrong type',
        printing({ permissionDecision: 'deny', permissionDecisionReason: 42 }),
        '42',
      ],
      ['blanks and blank lines around it', `printf '\\n\\n  '; ${no}; printf ' \\n'`, 'not here'],
      ['a byte order mark', `printf '\\357\\273\\277'; ${no}`, 'not here'],
      [
        'lines of progress before it',
        `echo '{"type":"progress","message":"Looking"}'; echo ' {"type":"progress"} '; ${no}`,
        'not here',
      ],
      ['exit 2', 'echo text; echo why >&2; exit 2', 'hook exited with code 2'],
      ['exit 2 beside a denial', `${no}; echo why >&2; exit 2`, 'not here'],
      [
        'exit 2 beside an approval',
        `${printing({ permissionDecision: 'allow' })}; exit 2`,
        'hook exited with code 2',
      ],
      ['exit 1', 'echo oops >&2; exit 1', expect.stringContaining('hook errored')],
      [
        'exit 1 beside an approval',
        `${printing({ permissionDecision: 'allow' })}; exit 1`,
        expect.stringContaining('hook errored'),
      ],
      ['a command that is not there', 'no-such-command', expect.stringContaining('127')],
      ['a signal', 'kill -KILL $$', expect.stringContaining('SIGKILL')],
      ['a signal after a denial', `${no}; kill -KILL $$`, expect.stringContaining('SIGKILL')],
    ]),
  )('%s: %s', async (event, _, command, reason) => {
    expect((await ran(event, command)).verdict).toMatchObject({ decision: 'deny', reason });
  });

  test('a hook whose folder or shell is not there', async () => {
    const [folder, shell] = await Promise.all([
      ran('preToolUse', { bash: ':', cwd: 'nowhere' }),
      ran('preToolUse', { exec: '/no/such/program' }),
    ]);
    expect(folder.verdict.reason).toContain('hook errored');
    expect(shell.verdict.reason).toContain('hook errored');
  });
});

describe('denials that Copilot would lose', () => {
  test.each(
    inEach([
      ['"decision": "block"', { decision: 'block', reason: 'not here' }],
      ['"decision": "deny"', { decision: 'deny', reason: 'not here' }],
      ['another case', { permissionDecision: 'DENY', permissionDecisionReason: 'not here' }],
      ['the words of a request for permission', { behavior: 'deny', message: 'not here' }],
    ]),
  )('%s: %s stands, with a note', async (event, _, answer) => {
    const { verdict, notes } = await ran(event, printing(answer));
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
    expect(notes).toContainEqual(
      expect.stringMatching(/^Copilot would ignore this denial: .+; .+/),
    );
  });

  test.each([
    ['text before it', `echo checking; ${no}`],
    ['a list around it', printing([denial])],
    ['two objects', `echo '{}'; ${no}`],
    ['a code fence', `echo '\`\`\`json'; ${no}; echo; echo '\`\`\`'`],
  ])('one with %s stands, with a note', async (_, command) => {
    const { verdict, notes } = await ran('preToolUse', command);
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
    expect(notes).toContainEqual(expect.stringContaining('other text around its answer'));
  });

  test('one in "hookSpecificOutput" stands, with a note in camel case alone', async () => {
    const [camel, pascal] = await Promise.all(
      both.map((event) => ran(event, printing(own(denial)))),
    );
    expect(camel!.verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
    expect(camel!.notes).toContainEqual(expect.stringContaining('Copilot would ignore'));
    expect(pascal!.verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
    expect(pascal!.notes).toEqual([]);
  });

  test('one beside another word in "hookSpecificOutput" stands, with a note', async () => {
    const answer = { ...denial, ...own({ permissionDecision: 'allow' }) };
    const { verdict, notes } = await ran('PreToolUse', printing(answer));
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
    expect(notes).toContainEqual(expect.stringContaining('Copilot would ignore'));
  });

  test('one beside a child that holds stdout past the timeout stands', async () => {
    const { verdict } = await ran('preToolUse', { bash: `${no}; sleep 60 &`, timeoutSec: 5 });
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
  });

  test('one after a question counts', async () => {
    const { verdict, log } = await ran(
      'preToolUse',
      `${printing({ permissionDecision: 'ask' })}; echo one >> log`,
      `${no}; echo two >> log`,
    );
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
    expect(log).toBe('one\ntwo\n');
  });
});

describe('what an answer may ask for before a tool', () => {
  test.each(inEach([['allow'], ['ask']]))('%s: %s', async (event, permissionDecision) => {
    const { verdict } = await ran(event, printing({ permissionDecision }));
    expect(verdict.decision).toBe(permissionDecision);
  });

  test('an approval approves, and a question is a denial where nobody can be asked', async () => {
    const { local, start } = copilotBox();
    local(hooksOf('preToolUse', printing({ permissionDecision: 'allow' })));
    const { fire } = await start();
    expect((await fire('BeforeTool', bash)).verdict.approved).toBe(true);
    const asking = copilotBox();
    asking.local(
      hooksOf(
        'preToolUse',
        printing({ permissionDecision: 'ask', permissionDecisionReason: 'sure?' }),
      ),
    );
    const { verdict } = await (await asking.start()).fire('BeforeTool', bash);
    expect(verdict.decision).toBe('deny');
    expect(verdict.reason).toContain('sure?');
  });

  test.each([
    ['preToolUse', { modifiedArgs: { command: 'pwd' } }],
    ['preToolUse', { modifiedArgs: '{"command":"pwd"}' }],
    ['preToolUse', { modifiedArgs: { command: 'pwd' }, permissionDecision: 'allow' }],
    ['PreToolUse', { modifiedArgs: { command: 'pwd' } }],
    ['PreToolUse', own({ updatedInput: { command: 'pwd' } })],
  ])('%s: %j replaces all arguments', async (event, answer) => {
    const { verdict } = await ran(event, printing(answer));
    expect(verdict.changes).toEqual({ tool_input: { whole: { command: 'pwd' } } });
  });

  test('new arguments count for nothing beside a denial, and deny a tool that cannot run with them', async () => {
    const [denied, unfit] = await Promise.all([
      ran('preToolUse', printing({ ...denial, modifiedArgs: { command: 'pwd' } })),
      ran('preToolUse', printing({ modifiedArgs: { cmd: 'pwd' } })),
    ]);
    expect(denied.verdict).toMatchObject({ decision: 'deny', changes: {} });
    expect(unfit.verdict).toMatchObject({ decision: 'deny', changes: {} });
    expect(unfit.verdict.reason).toContain('"command" is missing');
  });

  test.each(both)('%s: context beside anything', async (event) => {
    const { verdict } = await ran(event, printing({ ...denial, additionalContext: 'look' }));
    expect(verdict).toMatchObject({ decision: 'deny', context: 'look' });
  });

  test('a legal answer brings no note', async () => {
    const { notes } = await ran(
      'preToolUse',
      printing({ systemMessage: 'hi', suppressOutput: true, additionalContext: 'look' }),
    );
    expect(notes).toEqual([]);
  });
});

describe('several hooks before a tool', () => {
  test('run one after another, and a denial ends the row', async () => {
    const { verdict, log } = await ran(
      'preToolUse',
      `${printing({ permissionDecision: 'allow' })}; sleep 0.2; echo one >> log`,
      `${no}; echo two >> log`,
      'echo three >> log',
    );
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
    expect(log).toBe('one\ntwo\n');
  });

  test('each receives what those before it changed', async () => {
    const { log } = await ran(
      'preToolUse',
      printing({ modifiedArgs: { command: 'pwd' } }),
      'cat >> log',
    );
    expect(JSON.parse(log)).toMatchObject({ toolArgs: { command: 'pwd' } });
  });

  test('of one file those in camel case run first', async () => {
    const { local, start, left } = copilotBox();
    local({
      hooks: {
        PreToolUse: [{ bash: 'echo Pascal >> log' }],
        preToolUse: [{ bash: 'echo camel >> log' }],
      },
    });
    await (await start()).fire('BeforeTool', bash);
    expect(left('log')).toBe('camel\nPascal\n');
  });

  test('all of them run, also where one says the same as another', async () => {
    const { log } = await ran('preToolUse', 'echo one >> log', 'echo one >> log');
    expect(log).toBe('one\none\n');
  });
});

test('a hook that nobody trusts denies nothing by that', async () => {
  const { local, start } = copilotBox();
  local(hooksOf('preToolUse', 'exit 1'));
  const { fire, warnings } = await start({
    verifyTrust: async () => ({ trusted: false, why: 'it has changed', fix: 'look at it' }),
  });
  expect((await fire('BeforeTool', bash)).verdict.decision).toBeUndefined();
  expect(warnings).toContainEqual(expect.stringContaining('was skipped: it has changed'));
});
