import { describe, expect, test } from 'vitest';
import { RegexBudget, RegexUndecidedError } from '../../../src/base/bounded-regex.ts';
import { compileMatcher, matching } from '../../../src/hosts/plain/matcher.ts';
import { hookEventNames, type HookEventName } from '../../../src/core/protocol/events.ts';
import { cpuTime } from '../../support/cpu-time.ts';

/** A budget so large that a matcher is decided on any busy machine. */
const patient = () => new RegexBudget(120_000, 60_000);

/** Whether a matcher matches; throws if that cannot be decided. */
const fits = (matcher: string | undefined, subject: string, event: HookEventName = 'BeforeTool') =>
  compileMatcher(event, matcher, (error) => {
    throw error;
  })(subject, patient());

describe('the matcher of a tool event (HOOK-021, 032)', () => {
  test.each([undefined, '', ' ', '\t\n', '*', ' * '])(
    'the matcher %j matches every tool (HOOK-022, 089)',
    (all) => {
      for (const tool of ['write_file', '', 'mcp__x__y', '工具'])
        expect(fits(all, tool)).toBe(true);
    },
  );

  test.each([
    ['write_file', 'write_file', true],
    ['write_file', 'read_file', false],
    // Unanchored (C-17).
    ['replace', 'mcp_replace_all', true],
    ['^replace$', 'mcp_replace_all', false],
    ['^replace$', 'replace', true],
    // Case-sensitive (C-17).
    ['Write', 'write_file', false],
    ['WRITE_FILE', 'write_file', false],
    // Not a glob: "write", then any number of "_" (C-17).
    ['write_*', 'write_file', true],
    ['write_*', 'overwrite', true],
    ['write_*', 'todo_write', true],
    ['write_*', 'read_file', false],
    ['write_file|replace', 'replace', true],
    ['write_file|replace', 'run_shell_command', false],
    ['(write|edit)_.*', 'edit_file', true],
    ['^(?!read_)', 'write_file', true],
    ['^(?!read_)', 'read_file', false],
    ['mcp__.*__delete', 'mcp__db__delete_row', true],
    ['.', '', false],
    ['.*', '', true],
    ['\\bfile\\b', 'file', true],
    ['工具', '我的工具', true],
    ['^.{2}$', '😀', true],
    ['[éè]', 'café', true],
  ])('the matcher %j matches the tool %j: %j (HOOK-087)', (matcher, tool, expected) => {
    expect(fits(matcher, tool)).toBe(expected);
    expect(fits(matcher, tool, 'AfterTool')).toBe(expected);
  });

  test.each([
    ['**', '**', true],
    ['**', 'write_file', false],
    ['*.ts', 'a.ts', false],
    ['[', '[', true],
    ['[', 'x[', false],
    ['(?i)write', 'write', false],
    ['a(', 'a(', true],
    ['\\', '\\', true],
  ])(
    'the matcher %j, which is not a regular expression, is compared with %j letter by letter: %j (HOOK-088, C-18)',
    (m, tool, expected) => {
      expect(fits(m, tool)).toBe(expected);
    },
  );

  test('a matcher that is asked again answers the same', () => {
    const matcher = compileMatcher('BeforeTool', 'write', () => undefined);
    expect([1, 2, 3].map(() => matcher('write_file'))).toEqual([true, true, true]);
  });
});

describe('the matcher of another event', () => {
  test.each([
    'BeforeModel',
    'AfterModel',
    'BeforeToolSelection',
    'BeforeAgent',
    'AfterAgent',
  ] as const)(
    'the matcher of a %s hook is ignored, whatever it says (HOOK-041, 051, 059; C-19)',
    (event) => {
      for (const matcher of [undefined, '*', 'no_such_tool', '[', '^$'])
        expect(fits(matcher, 'anything', event)).toBe(true);
    },
  );

  test.each(['SessionStart', 'SessionEnd', 'PreCompress', 'Notification'] as const)(
    'the matcher of a %s hook must equal its subject (C-20)',
    (event) => {
      expect(fits('startup', 'startup', event)).toBe(true);
      expect(fits('start', 'startup', event)).toBe(false);
      expect(fits('startup|resume', 'startup', event)).toBe(false);
      expect(fits('.*', 'startup', event)).toBe(false);
      for (const all of [undefined, '', '*']) expect(fits(all, 'startup', event)).toBe(true);
    },
  );

  test('the use of matchers is defined for each event', () => {
    expect(Object.keys(matching)).toEqual(hookEventNames);
  });
});

const catastrophic = [
  ['nested', '^(a+)+$', `${'a'.repeat(60)}!`],
  ['overlapping alternatives', '(a|aa)+$', `${'a'.repeat(60)}!`],
  ['a group that repeats', '(.*a){20}', 'a'.repeat(19) + 'b'.repeat(400)],
  ['polynomial', 'a*a*a*a*b', 'a'.repeat(2_000)],
  ['polynomial with few quantifiers', 'a*a*b', 'a'.repeat(100_000)],
  ['one quantifier on a giant name', 'a*b', 'a'.repeat(2_000_000)],
  ['without any quantifier', `${'(a|[ab])'.repeat(40)}$`, `${'a'.repeat(60)}!`],
  ['a back reference', '^(a*)\\1*\\1*\\1*b', 'a'.repeat(3_000)],
  ['a look-ahead', '^(?=(a+)+$)', `${'a'.repeat(60)}!`],
  ['bounded repetition', 'a{0,500}a{0,500}a{0,500}a{0,500}b', 'a'.repeat(600)],
] as const;

describe('a catastrophically backtracking matcher', () => {
  test.each(catastrophic)(
    'a catastrophic matcher (%s) is bounded, and the hook runs',
    (_, matcher, tool) => {
      const undecided: string[] = [];
      const start = cpuTime();
      const fit = compileMatcher('BeforeTool', matcher, ({ message }) => undecided.push(message))(
        tool,
        new RegexBudget(60_000),
      );
      expect(cpuTime() - start).toBeLessThan(3_000);
      expect(fit).toBe(true);
      expect(undecided).toEqual([`/${matcher}/: took more than 50 ms`]);
    },
  );

  test.each(catastrophic)('a catastrophic matcher (%s) still decides easy names', (_, matcher) => {
    expect(fits(matcher, '')).toBe(new RegExp(matcher).test(''));
    expect(fits(matcher, 'read')).toBe(new RegExp(matcher).test('read'));
  });

  test('a catastrophic matcher throws RegexUndecidedError', () => {
    expect(() => new RegexBudget().test('^(a+)+$', `${'a'.repeat(60)}!`)).toThrow(
      RegexUndecidedError,
    );
  });
});

test('a test with the watchdog has the same outcome as a plain test', () => {
  for (const source of ['^(?:ab)+$', '(a|b)*c', '(x{2}){2}', 'mcp__.*__(read|write)+.*', '(?:)*'])
    for (const text of ['', 'abab', 'aba', 'abc', 'xxxx', 'mcp__a__readwrite_x'])
      expect(patient().test(source, text), `${source} ${text}`).toBe(new RegExp(source).test(text));
});

/** Returns the outcome of each of these expressions with one shared budget. */
function outcomes(sources: readonly string[], text: string, limit?: number): unknown[] {
  const budget = new RegexBudget(limit);
  return sources.map((source) => {
    try {
      return budget.test(source, text);
    } catch (error) {
      return (error as Error).message.replace(/^.*\/: /, '');
    }
  });
}

describe('expressions that share a budget (S-16)', () => {
  const name = `${'a'.repeat(60)}!`;
  const evil = Array.from({ length: 120 }, (_, index) => `^(a+)+${index}$`);

  test('expressions use up their shared budget: the remaining ones are undecided without being tried', () => {
    const all = outcomes(evil, name);
    const tried = all.filter((why) => /^took more than \d+ ms$/.test(String(why)));
    expect(tried.length).toBeGreaterThan(0);
    expect(tried.length).toBeLessThan(10);
    expect(
      all.filter((why) => why === 'no time was left of the 100 ms for all expressions'),
    ).toHaveLength(120 - tried.length);
  });

  test('the same expression is tried only once per budget', () => {
    const same = Array.from({ length: 10_000 }, () => '^(a+)+$');
    expect(new Set(outcomes(same, name, 60_000)).size).toBe(1);
  });

  test('quick expressions are decided even when no time is left', () => {
    const quick = ['^aaa', 'write_file|replace', '^read', '['];
    expect(outcomes([...evil, ...quick], name).slice(-4)).toEqual([true, false, false, false]);
  });

  test('hundreds of ordinary expressions are decided within one budget', () => {
    const usual = Array.from({ length: 1_000 }, (_, index) => `^(?:tool_${index}|other_.*)$`);
    const found = outcomes(usual, 'tool_500', 60_000);
    expect(found.filter((one) => one === true)).toHaveLength(1);
    expect(found.filter((one) => one === false)).toHaveLength(999);
  });
});

describe('an expression that takes V8 long to compile', () => {
  test.each([
    ['a?', 5_000],
    ['(a|b)', 2_000],
    ['(?:a{1,3}b?)', 5_000],
    ['[a-z]?', 2_000],
    ['a', 100_000],
    ['(?:a?|b?)', 40],
    ['(?:|a)', 60],
  ])(
    'an expression that takes long to compile, such as %s %d times, is not tried and matches',
    (part, times) => {
      expect(outcomes([part.repeat(times)], 'read_file')).toEqual(['is too large']);
      expect(compileMatcher('BeforeTool', part.repeat(times), () => undefined)('read_file')).toBe(
        true,
      );
    },
  );

  test('a list of names, however many, is not considered too large', () => {
    const names = Array.from({ length: 500 }, (_, index) => `mcp__server__tool_${index}`);
    for (const source of [names.join('|'), `^(?:${names.join('|')})$`, `${names.join('|')}|x__.*`])
      expect(outcomes([source, `${source}|read`], 'read_file')).toEqual([false, true]);
  });
});

test('an ordinary matcher is fast even on a very long name', () => {
  const tool = `${'x'.repeat(1_000_000)}write_file`;
  const start = cpuTime();
  expect(fits('write_file|replace', tool)).toBe(true);
  expect(fits('^read', tool)).toBe(false);
  expect(cpuTime() - start).toBeLessThan(2_000);
});
