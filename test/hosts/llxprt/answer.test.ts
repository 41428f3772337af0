import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../../src/hosts/plain/answer.ts';
import { hookEventNames } from '../../../src/core/protocol/events.ts';
import { exited, printed } from '../../support/answers.ts';
import { cpuTime } from '../../support/cpu-time.ts';

describe('exit 0', () => {
  test('a silent hook decides nothing and has no output (HOOK-065, HOOK-158)', () => {
    for (const stdout of ['', ' \n\t\r\n ', 'null', ' null\n'])
      expect(printed('BeforeTool', stdout)).toMatchObject({
        success: true,
        status: 'ok',
        decision: undefined,
        stop: false,
        exitCode: 0,
        notes: [],
        plainText: false,
      });
    expect(printed('BeforeTool', 'null')).not.toHaveProperty('output');
  });

  test.each([
    ['block', 'deny'],
    ['deny', 'deny'],
    ['allow', 'allow'],
    ['approve', 'allow'],
    ['ask', 'ask'],
    [null, undefined],
  ] as const)('decision %j means %s (HOOK-016b, HOOK-018, HOOK-182, C-31)', (decision, meaning) => {
    const answer = printed('BeforeTool', { decision, reason: 'because' });
    expect(answer.decision).toBe(meaning);
    expect(answer.output).toEqual({ decision, reason: 'because' });
    expect(answer.notes).toEqual([]);
  });

  test.each(['Block', 'DENY', 'blocked', 'no', '', 1, 0, true, false, [], ['deny'], {}])(
    'decision %j is invalid and ignored, and its author is warned (C-31)',
    (decision) => {
      const answer = printed('BeforeTool', { decision, reason: 'kept' });
      expect(answer.decision).toBeUndefined();
      expect(answer.output).not.toHaveProperty('decision', decision);
      expect(answer.output).toMatchObject({ reason: 'kept' });

      expect(answer.notes).toEqual([
        expect.stringMatching(/^"decision" is .* exactly one of block, deny, allow/),
      ]);
    },
  );

  test('only the boolean false stops (C-31)', () => {
    expect(printed('BeforeTool', { continue: false }).stop).toBe(true);
    for (const value of ['false', 0, '', 'no', [], {}]) {
      const answer = printed('BeforeTool', { continue: value });
      expect(answer.stop).toBe(false);
      expect(answer.output).toEqual({});
      expect(answer.notes).toHaveLength(1);
    }
    expect(printed('BeforeTool', { continue: null })).toMatchObject({ stop: false, notes: [] });
    expect(printed('BeforeTool', { continue: true })).toMatchObject({ stop: false, notes: [] });
  });

  test('fields of the wrong type are dropped one by one, and the rest still counts (C-31)', () => {
    const answer = printed('BeforeTool', {
      decision: 'deny',
      reason: 7,
      stopReason: ['x'],
      systemMessage: {},
      suppressOutput: 'true',
      hookSpecificOutput: ['x'],
    });
    expect(answer.decision).toBe('deny');
    expect(answer.output).toEqual({ decision: 'deny' });
    expect(answer.notes).toHaveLength(5);
    expect(answer.notes[0]).toBe('"stopReason" is a list and was ignored: it must be a string');
  });

  test('unknown fields stay in the answer', () => {
    expect(printed('BeforeTool', { decision: 'allow', extra: [1] }).output).toEqual({
      decision: 'allow',
      extra: [1],
    });
  });

  test('white space, line ends and a byte order mark around the JSON are ignored', () => {
    const json = '{"decision":"deny","reason":"no"}';
    for (const stdout of [`\n\n  ${json}\n`, `\r\n${json}\r\n`, `\uFEFF${json}`, `\t${json}\u00A0`])
      expect(printed('BeforeTool', stdout).decision).toBe('deny');
    expect(printed('BeforeTool', '{\n  "decision":\n\t"deny"\n}').decision).toBe('deny');
  });

  test('JSON encoded twice is decoded twice (HOOK-193, HOOK-201)', () => {
    const twice = JSON.stringify(JSON.stringify({ decision: 'block', reason: 'twice' }));
    expect(printed('BeforeTool', twice)).toMatchObject({
      decision: 'deny',
      output: { decision: 'block', reason: 'twice' },
    });
    expect(printed('BeforeTool', JSON.stringify(' {"continue":false}\n')).stop).toBe(true);
    expect(printed('BeforeTool', '"null"')).not.toHaveProperty('output');
  });

  test('output that is not an object after decoding at most twice is plain text (HOOK-064, HOOK-114, HOOK-212, C-30)', () => {
    for (const text of ['42', 'true', '[]', '"text"', '""', 'hello', '"decision" of none'])
      expect(printed('BeforeTool', `${text}\n`)).toMatchObject({
        success: true,
        plainText: true,
        decision: 'allow',
        output: { decision: 'allow', systemMessage: text },
        notes: [],
      });
  });

  test.each([
    ['a sentence before the JSON', 'Checking...\n{"decision":"deny"}'],
    ['a sentence after the JSON', '{"decision":"deny"}\nDone'],
    ['two objects', '{"decision":"deny"}\n{"decision":"allow"}'],
    ['JSON cut short', '{"decision":"deny","reason":"no'],
    ['a trailing comma', '{"decision":"deny",}'],
    ['single quotes', "{'decision':'deny'}"],
    ['a list', '[{"decision":"deny"}]'],
    ['text on both sides', 'Checking...\n{"decision":"deny"}\nDone'],
    ['colours', '\u001B[31m{"decision":"deny"}\u001B[0m'],
    ['a text in UTF-16', '{"decision":"deny"}'.split('').join('\0')],
    ['JSON encoded thrice', JSON.stringify(JSON.stringify(JSON.stringify({ decision: 'deny' })))],
  ])(
    '%s makes the whole output a message, and its author is warned (HOOK-114, I14)',
    (_, stdout) => {
      const answer = printed('BeforeTool', stdout);
      expect(answer).toMatchObject({
        decision: 'allow',
        output: { decision: 'allow', systemMessage: stdout },
      });
      expect(answer.notes).toEqual([
        'a denial was NOT read: its output is not one JSON object, so all of it was taken as a message; print that object alone',
      ]);
    },
  );

  test('stderr is kept for the log and decides nothing (HOOK-069)', () => {
    const answer = readAnswer(
      'BeforeTool',
      exited({ stdout: '{}', stderr: '{"decision":"deny"}' }),
    );
    expect(answer).toMatchObject({ decision: undefined, stderr: '{"decision":"deny"}' });
    expect(answer.output).toEqual({});
  });
});

const denial = (exit: { stdout?: string; stderr?: string }, event = 'BeforeTool' as const) =>
  readAnswer(event, exited({ exitCode: 2, ...exit }));

describe('exit 2', () => {
  test.each(hookEventNames)('exit 2 denies in %s (HOOK-066, HOOK-067a)', (event) => {
    expect(readAnswer(event, exited({ exitCode: 2, stderr: 'no\n' }))).toMatchObject({
      status: 'ok',
      success: false,
      exitCode: 2,
      decision: 'deny',
      stop: false,
      output: { decision: 'deny', reason: 'no' },
    });
  });

  test('with exit 2 stderr is the reason, whatever stdout says (HOOK-016a, HOOK-189, C-25)', () => {
    expect(
      denial({
        stdout: '{"decision":"allow","reason":"other","continue":false}',
        stderr: ' \nnot\r\nthis \n',
      }).output,
    ).toEqual({ decision: 'deny', reason: 'not\r\nthis' });
  });

  test('colours and control characters in a reason are kept in the data', () => {
    expect(denial({ stderr: '\u001B[31mred\u001B[0m\n' }).output?.reason).toBe(
      '\u001B[31mred\u001B[0m',
    );
  });

  test.each([
    ['the reason of JSON', '{"decision":"allow","reason":"from json"}', 'from json'],
    ['the reason of JSON encoded twice', '"{\\"reason\\":\\"inner\\"}"', 'inner'],
    ['plain text', 'policy says no\n', 'policy says no'],
    ['JSON that is not an object', '[1]', '[1]'],
    ['nothing', '', 'Blocked by hook'],
    ['only space', ' \n ', 'Blocked by hook'],
    ['null', 'null', 'Blocked by hook'],
    ['JSON without a reason', '{"decision":"allow"}', 'Blocked by hook'],
    ['JSON with an empty reason', '{"reason":" "}', 'Blocked by hook'],
    ['JSON with a reason of the wrong type', '{"reason":5}', 'Blocked by hook'],
    [
      'the compatibility reason',
      '{"hookSpecificOutput":{"permissionDecisionReason":"compat"}}',
      'compat',
    ],
  ])(
    'with exit 2 and no stderr, %s on stdout gives the reason (HOOK-067b, C-25, C-26)',
    (_, stdout, reason) => {
      expect(denial({ stdout, stderr: '\n' }).output).toEqual({ decision: 'deny', reason });
    },
  );

  test('with exit 2 only the reason is taken from stdout (HOOK-066, C-25)', () => {
    const answer = denial({
      stdout:
        '{"continue":false,"systemMessage":"x","hookSpecificOutput":{"tool_input":{"a":1}},"decision":1}',
    });
    expect(answer.output).toEqual({ decision: 'deny', reason: 'Blocked by hook' });
    expect(answer).toMatchObject({ stop: false, notes: [] });
  });
});

describe('any other exit', () => {
  test.each([1, 3, 126, 127, 130, 137, 255])(
    'exit code %i is a failure that warns and never blocks (HOOK-068, HOOK-070, HOOK-198, HOOK-209)',
    (exitCode) => {
      const answer = readAnswer(
        'BeforeTool',
        exited({ exitCode, stdout: '{"decision":"block","continue":false}', stderr: 'oops\n' }),
      );
      expect(answer).toMatchObject({
        status: 'failed',
        success: false,
        exitCode,
        decision: undefined,
        stop: false,
        output: { decision: 'allow', systemMessage: 'Warning: oops' },
      });
      expect(answer.error?.message).toContain(`Hook exited with code ${exitCode}`);
    },
  );

  test('a failure without stderr has no output (C-27)', () => {
    const answer = readAnswer('BeforeTool', exited({ exitCode: 1, stdout: 'text', stderr: ' \n' }));
    expect(answer).not.toHaveProperty('output');
    expect(answer.decision).toBeUndefined();
  });

  test('a signal counts as a failure with exit code 0 (HOOK-196, C-28)', () => {
    const answer = readAnswer(
      'BeforeTool',
      exited({ exitCode: null, signal: 'SIGKILL', stdout: '{"decision":"deny"}', stderr: 'bye' }),
    );
    expect(answer).toMatchObject({
      status: 'failed',
      success: false,
      exitCode: 0,
      signal: 'SIGKILL',
      decision: undefined,
      output: { decision: 'allow', systemMessage: 'Warning: bye' },
    });
    expect(answer.error?.message).toBe('Hook was killed by SIGKILL');
  });
});

describe('hooks without an exit', () => {
  const exit = { exitCode: 2, signal: null, durationMs: 9, truncated: [] } as const;

  test('a timed-out hook decides nothing, whatever it printed or exited with (HOOK-119, C-35)', () => {
    const answer = readAnswer('BeforeTool', {
      status: 'timedOut',
      timeout: 250,
      exit: { ...exit, stdout: '{"decision":"deny"}', stderr: 'partial' },
    });
    expect(answer).toMatchObject({
      status: 'timedOut',
      timedOut: true,
      success: false,
      decision: undefined,
      stop: false,
      stderr: 'partial',
      durationMs: 9,
    });
    expect(answer).not.toHaveProperty('output');
    expect(answer.error?.message).toBe('Hook timed out after 250ms');
  });

  test('a hook that could not be started decides nothing', () => {
    const answer = readAnswer('BeforeTool', { status: 'failed', error: new Error('ENOENT') });
    expect(answer).toMatchObject({ status: 'failed', success: false, exitCode: null });
    expect(answer).not.toHaveProperty('output');
    expect(answer.error?.message).toBe('ENOENT');
  });

  test('a hook that was cancelled decides nothing (G-02)', () => {
    const answer = readAnswer('BeforeTool', {
      status: 'cancelled',
      reason: 'the user left',
      exit: { ...exit, stdout: '', stderr: '' },
    });
    expect(answer).toMatchObject({ status: 'cancelled', success: false, decision: undefined });
    expect(answer).not.toHaveProperty('output');
    expect(answer.error?.message).toBe('Cancelled: the user left');
  });
});

describe('too much output', () => {
  test('stdout over the limit is a failure, because half an answer is not an answer (G-01)', () => {
    const answer = readAnswer(
      'BeforeTool',
      exited({ stdout: '{"decision":"allow"}', truncated: ['stdout'] }),
    );
    expect(answer).toMatchObject({ status: 'failed', success: false, decision: undefined });
    expect(answer).not.toHaveProperty('output');
    expect(answer.error?.message).toContain('10 MiB');
  });

  test('stderr over the limit only adds a note', () => {
    const answer = readAnswer(
      'BeforeTool',
      exited({ stdout: '{"decision":"deny"}', stderr: 'x', truncated: ['stderr'] }),
    );
    expect(answer).toMatchObject({ status: 'ok', decision: 'deny' });
    expect(answer.notes).toEqual(['stderr went over 10 MiB; the rest was dropped']);
  });

  test('exit 2 denies even if stdout and stderr went over the limit', () => {
    const answer = readAnswer(
      'BeforeTool',
      exited({ exitCode: 2, stderr: 'no', truncated: ['stdout', 'stderr'] }),
    );
    expect(answer).toMatchObject({ decision: 'deny', output: { reason: 'no' } });
    expect(answer.notes).toHaveLength(2);
  });
});

test('left background processes are reported, and the answer counts (design: process supervision)', () => {
  const answer = readAnswer('BeforeTool', exited({ stdout: '{"decision":"deny"}' }, true));
  expect(answer).toMatchObject({ status: 'ok', decision: 'deny' });
  expect(answer.notes).toEqual(['left background processes; they were ended']);
});

describe('hostile output', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

  test('fields that are nested too deep are dropped, and a denial next to them counts', () => {
    const answer = printed(
      'BeforeTool',
      `{"decision":"deny","reason":${deep},"hookSpecificOutput":{"tool_input":{"a":${deep}},"kept":1},"x":${deep}}`,
    );
    expect(answer.decision).toBe('deny');
    expect(answer.output).toEqual({ decision: 'deny', hookSpecificOutput: { kept: 1 } });
    expect(answer.notes).toHaveLength(3);
    expect(printed('BeforeTool', `{"decision":${deep}}`).decision).toBeUndefined();
    expect(printed('BeforeTool', deep)).toMatchObject({ plainText: true });
  });

  test('an answer with two hundred thousand keys is read in reasonable time', () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, key) => [`k${key}`, key]));
    const before = cpuTime();
    const answer = printed('BeforeTool', {
      ...many,
      decision: 'deny',
      hookSpecificOutput: { many },
    });
    expect(answer.decision).toBe('deny');
    expect(cpuTime() - before).toBeLessThan(10_000);
  });

  test('names like __proto__ in an answer are data and pollute nothing', () => {
    const answer = printed(
      'BeforeTool',
      '{"__proto__":{"decision":"deny","polluted":1},"constructor":{"prototype":{"polluted":1}},"hookSpecificOutput":{"__proto__":{"tool_input":{"x":1}},"toString":1}}',
    );
    expect(answer.decision).toBeUndefined();
    expect(answer.output?.hookSpecificOutput?.['tool_input']).toBeUndefined();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('a thousand faults in an answer are reported in ten notes', () => {
    const answer = printed('BeforeModel', {
      hookSpecificOutput: { llm_request: { messages: Array.from({ length: 1_000 }, () => 7) } },
    });
    expect(answer.notes).toHaveLength(11);
    expect(answer.notes.at(-1)).toMatch(/^\d+ more things were not understood$/);
  });
});
