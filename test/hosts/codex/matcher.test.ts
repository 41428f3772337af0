import { describe, expect, test } from 'vitest';
import { definition } from '../../support/definition.ts';
import { fromRustRegex } from '../../../src/base/rust-regex.ts';
import { matcherFault, matching } from '../../../src/hosts/codex/matcher.ts';
import type { CodexEventName } from '../../../src/hosts/codex/events.ts';

const ours: Readonly<Record<string, string>> = {
  Bash: 'run_shell_command',
  patch: 'write_file',
  store: 'mcp__memory__store',
};

const fits = (matcher: string | undefined, subject: string, event: CodexEventName = 'PreToolUse') =>
  matching.compileMatcher(
    definition('BeforeTool', { nativeEvent: event, ...(matcher !== undefined && { matcher }) }),
    () => undefined,
  )(ours[subject] ?? subject);

describe('what a matcher matches', () => {
  test.each([
    [undefined, 'Bash'],
    ['', 'Bash'],
    ['*', 'store'],
    ['Bash', 'Bash'],
    ['Edit|Bash', 'Bash'],
    ['apply_patch', 'patch'],
    ['Edit', 'patch'],
    ['Write', 'patch'],
    ['Write', 'replace'],
    ['Edit', 'apply_patch'],
    ['as.?', 'Bash'],
    ['(as)', 'Bash'],
    ['Ba*', 'Bash'],
    ['(?i)bash', 'Bash'],
    ['^(?i:BASH)$', 'Bash'],
    ['mcp__memory__.*', 'store'],
    ['mcp__[[:alpha:]]+__store', 'store'],
    ['(?P<tool>Bash|Read)', 'Bash'],
    ['\\ABash\\z', 'Bash'],
  ])('the matcher %s matches %s', (matcher, subject) => {
    expect(fits(matcher, subject)).toBe(true);
  });

  test.each([
    ['as', 'Bash'],
    ['Edi|as', 'Bash'],
    ['bash', 'Bash'],
    ['mcp__memory', 'store'],
    ['mcp__memory__', 'store'],
    ['Edit, Bash', 'Bash'],
    ['Edit | Bash', 'Bash'],
    ['exec_command', 'Bash'],
    ['run_shell_command', 'Bash'],
    ['MultiEdit', 'patch'],
    ['NotebookEdit', 'patch'],
    ['Bash', 'patch'],
    ['^bash$', 'Bash'],
  ])('the matcher %s does not match %s', (matcher, subject) => {
    expect(fits(matcher, subject)).toBe(false);
  });

  test.each(['(?!Read)', '(?<=B)ash', '(B)\\1', '**', '*ash', '[', '(', 'B{', '\\y'])(
    'the matcher %s, which Codex cannot read, matches everything before a tool and nothing elsewhere',
    (matcher) => {
      expect(fits(matcher, 'Bash')).toBe(true);
      expect(fits(matcher, 'Bash', 'PostToolUse')).toBe(false);
      expect(matcherFault('PreToolUse', matcher)).toContain('Codex would skip its hooks');
      expect(matcherFault('PostToolUse', matcher)).toContain('its hooks are skipped');
    },
  );

  test('sources, triggers and kinds of agents are compared with matchers; prompts and stops are not', () => {
    expect(fits('compact', 'compress', 'SessionStart')).toBe(true);
    expect(fits('startup|resume', 'clear', 'SessionStart')).toBe(false);
    expect(fits('auto', 'manual', 'PreCompact')).toBe(false);
    expect(fits('default', 'default', 'SubagentStop')).toBe(true);
    expect(fits('[', 'anything', 'UserPromptSubmit')).toBe(true);
    expect(matcherFault('Stop', '[')).toBeUndefined();
    expect(
      matching.matcherOf(definition('AfterAgent', { nativeEvent: 'Stop', matcher: 'x' })),
    ).toBeUndefined();
  });
});

describe('regular expressions in Rust’s flavour', () => {
  test.each([
    ['(?i)a[b-d]-', '[aA][b-dB-D]-'],
    ['a(?i)b(?-i)c', 'a[bB]c'],
    ['[]a]', '[\\]a]'],
    ['(?x) a b # both', 'ab'],
    ['\\x41\\u{42}', '\\u0041\\u0042'],
    ['(?s).', '[^]'],
    ['a{2, 3}?', 'a{2,3}?'],
  ])('the Rust expression %s becomes %s', (rust, script) => {
    expect(fromRustRegex(rust)).toBe(script);
  });

  test.each(['a)', '(?<!a)b', '\\8', '[a', '[a&&b]', '+', '(*)', 'a|*', '(?z)a'])(
    'the Rust expression %s is refused',
    (rust) => {
      expect(fromRustRegex(rust)).toBeUndefined();
    },
  );
});
