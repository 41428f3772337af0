import { describe, expect, test } from 'vitest';
import { copilotBox, denial, hooksOf, printing, type CopilotHook } from '../../support/copilot.ts';

const bash = { tool_name: 'run_shell_command', tool_input: { command: 'ls' } } as const;

/** Returns the outcome of hooks before a shell command. */
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
      ['an unknown word', printing({ permissionDecision: 'perhaps' })],
      ['"continue": false', printing({ continue: false, stopReason: 'enough' })],
      ['a lone reason', printing({ permissionDecisionReason: 'because' })],
      ['only lines of progress', `echo '{"type":"progress","message":"Looking"}'`],
      ['flat "updatedInput"', printing({ updatedInput: { command: 'pwd' } })],
    ]),
  )('%s lets the tool run: %s', async (event, _, command) => {
    const { verdict } = await ran(event, command);
    expect(verdict).toMatchObject({ stop: false, changes: {} });
    expect(verdict.decision).toBeUndefined();
  });

  test.each(both)(
    'a hook of %s that exceeds its timeout lets the tool run, although other failures deny',
    async (event) => {
      const { verdict, results } = await ran(event, { bash: 'sleep 60', timeoutSec: 0.3 });
      expect(verdict.decision).toBeUndefined();
      expect(results[0]).toMatchObject({ status: 'timedOut' });
    },
  );
});

describe('what denies a tool', () => {
  test.each(
    inEach([
      ['a denial', no, 'not here'],
      ['a denial without a reason', printing({ permissionDecision: 'deny' }), 'No reason provided'],
      [
        'a denial with a reason of the wrong type',
        printing({ permissionDecision: 'deny', permissionDecisionReason: 42 }),
        '42',
      ],
      [
        'a denial with white space around it',
        `printf '\\n\\n  '; ${no}; printf ' \\n'`,
        'not here',
      ],
      ['a denial after a byte order mark', `printf '\\357\\273\\277'; ${no}`, 'not here'],
      [
        'a denial after lines of progress',
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
  )('%s denies the tool: %s', async (event, _, command, reason) => {
    expect((await ran(event, command)).verdict).toMatchObject({ decision: 'deny', reason });
  });

  test('a hook whose folder or program does not exist denies', async () => {
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
      ['capitals', { permissionDecision: 'DENY', permissionDecisionReason: 'not here' }],
      ['a request for permission', { behavior: 'deny', message: 'not here' }],
    ]),
  )('at %s, a denial in the form of %s still counts, with a note', async (event, _, answer) => {
    const { verdict, notes } = await ran(event, printing(answer));
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
    expect(notes).toContainEqual(
      expect.stringMatching(/^Copilot would ignore this denial: .+; .+/),
    );
  });

  test.each([
    ['text before it', `echo checking; ${no}`],
    ['a list around it', printing([denial])],
    ['another object before it', `echo '{}'; ${no}`],
    ['a code fence around it', `echo '\`\`\`json'; ${no}; echo; echo '\`\`\`'`],
  ])('a denial with %s still counts, with a note', async (_, command) => {
    const { verdict, notes } = await ran('preToolUse', command);
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
    expect(notes).toContainEqual(expect.stringContaining('other text around its answer'));
  });

  test('a denial in "hookSpecificOutput" counts, with a note only in camel case', async () => {
    const [camel, pascal] = await Promise.all(
      both.map((event) => ran(event, printing(own(denial)))),
    );
    expect(camel!.verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
    expect(camel!.notes).toContainEqual(expect.stringContaining('Copilot would ignore'));
    expect(pascal!.verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
    expect(pascal!.notes).toEqual([]);
  });

  test('a denial beside another word in "hookSpecificOutput" still counts, with a note', async () => {
    const answer = { ...denial, ...own({ permissionDecision: 'allow' }) };
    const { verdict, notes } = await ran('PreToolUse', printing(answer));
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
    expect(notes).toContainEqual(expect.stringContaining('Copilot would ignore'));
  });

  test('a denial counts even if a child process holds stdout past the timeout', async () => {
    const { verdict } = await ran('preToolUse', { bash: `${no}; sleep 60 &`, timeoutSec: 5 });
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
  });

  test('a denial after a question counts', async () => {
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
  test.each(inEach([['allow'], ['ask']]))(
    'an answer of %s may decide "%s"',
    async (event, permissionDecision) => {
      const { verdict } = await ran(event, printing({ permissionDecision }));
      expect(verdict.decision).toBe(permissionDecision);
    },
  );

  test('an approval approves, and a question denies if nobody can be asked', async () => {
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
  ])('an answer of %s replaces all arguments: %j', async (event, answer) => {
    const { verdict } = await ran(event, printing(answer));
    expect(verdict.changes).toEqual({ tool_input: { whole: { command: 'pwd' } } });
  });

  test('new arguments are ignored beside a denial, and deny a tool that cannot run with them', async () => {
    const [denied, unfit] = await Promise.all([
      ran('preToolUse', printing({ ...denial, modifiedArgs: { command: 'pwd' } })),
      ran('preToolUse', printing({ modifiedArgs: { cmd: 'pwd' } })),
    ]);
    expect(denied.verdict).toMatchObject({ decision: 'deny', changes: {} });
    expect(unfit.verdict).toMatchObject({ decision: 'deny', changes: {} });
    expect(unfit.verdict.reason).toContain('"command" is missing');
  });

  test.each(both)('an answer of %s may give context beside any decision', async (event) => {
    const { verdict } = await ran(event, printing({ ...denial, additionalContext: 'look' }));
    expect(verdict).toMatchObject({ decision: 'deny', context: 'look' });
  });

  test('a valid answer brings no note', async () => {
    const { notes } = await ran(
      'preToolUse',
      printing({ systemMessage: 'hi', suppressOutput: true, additionalContext: 'look' }),
    );
    expect(notes).toEqual([]);
  });
});

describe('several hooks before a tool', () => {
  test('hooks before a tool run one after another, and a denial ends the series', async () => {
    const { verdict, log } = await ran(
      'preToolUse',
      `${printing({ permissionDecision: 'allow' })}; sleep 0.2; echo one >> log`,
      `${no}; echo two >> log`,
      'echo three >> log',
    );
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
    expect(log).toBe('one\ntwo\n');
  });

  test('each hook before a tool receives what the hooks before it changed', async () => {
    const { log } = await ran(
      'preToolUse',
      printing({ modifiedArgs: { command: 'pwd' } }),
      'cat >> log',
    );
    expect(JSON.parse(log)).toMatchObject({ toolArgs: { command: 'pwd' } });
  });

  test('within one file, hooks in camel case run first', async () => {
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

  test('all hooks run, even two that are the same', async () => {
    const { log } = await ran('preToolUse', 'echo one >> log', 'echo one >> log');
    expect(log).toBe('one\none\n');
  });
});

test('an untrusted hook does not deny by being skipped', async () => {
  const { local, start } = copilotBox();
  local(hooksOf('preToolUse', 'exit 1'));
  const { fire, warnings } = await start({
    verifyTrust: async () => ({ trusted: false, why: 'it has changed', fix: 'look at it' }),
  });
  expect((await fire('BeforeTool', bash)).verdict.decision).toBeUndefined();
  expect(warnings).toContainEqual(expect.stringContaining('was skipped: it has changed'));
});
