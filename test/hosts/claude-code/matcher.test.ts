import { beforeAll, describe, expect, test } from 'vitest';
import { claudeCode } from '../../../src/hosts/claude-code/index.ts';
import { claudeEvents, type ClaudeEventName } from '../../../src/hosts/claude-code/events.ts';
import { claudeBox, settingsOf } from '../../support/claude-code.ts';
import { definition } from '../../support/definition.ts';
import { readyToFind } from '../../../src/workbench/matrix/run-as.ts';

beforeAll(() => readyToFind(claudeCode, '/'));

const fits = (
  matcher: string | undefined,
  subject: string,
  nativeEvent: ClaudeEventName = 'PreToolUse',
) =>
  claudeCode.compileMatcher(
    definition(claudeEvents.ours[nativeEvent], {
      nativeEvent,
      ...(matcher !== undefined && { matcher }),
    }),
    () => undefined,
  )(subject);

describe('matchers of tools', () => {
  test.each([
    [undefined, 'run_shell_command'],
    ['', 'run_shell_command'],
    ['*', 'run_shell_command'],
    ['Bash', 'run_shell_command'],
    ['Write|Edit', 'write_file'],
    ['Write|Edit', 'replace'],
    ['Write|Edit|MultiEdit', 'replace'],
    ['MultiEdit', 'replace'],
    [' Write , Edit ', 'write_file'],
    ['Read', 'read_file'],
    ['Glob', 'glob'],
    ['Grep', 'search_file_content'],
    ['LS', 'list_directory'],
    ['Task', 'task'],
    ['Agent', 'task'],
    ['^Task$', 'task'],
    ['mcp__memory__store', 'mcp__memory__store'],
    ['mcp__memory__.*', 'mcp__memory__store'],
    ['mcp__.*__write.*', 'mcp__files__write_file'],
    ['Write.*', 'write_file'],
    ['.*', 'run_shell_command'],
    ['^(?!Bash$)', 'write_file'],
    ['Notebook.*|Edit', 'replace'],
    ['write_file', 'write_file'],
    ['write_.*', 'write_file'],
    ['Write|', 'write_file'],
  ])('the matcher %j matches %s', (matcher, tool) => {
    expect(fits(matcher, tool)).toBe(true);
  });

  test.each([
    ['Bash', 'write_file'],
    ['bash', 'run_shell_command'],
    ['Edit', 'write_file'],
    ['Write|', 'run_shell_command'],
    ['|', 'run_shell_command'],
    ['Bash(touch *)', 'run_shell_command'],
    ['(', 'run_shell_command'],
    ['^(?!Bash$)', 'run_shell_command'],
    ['[^B]ash', 'run_shell_command'],
    ['^Edit$', 'write_file'],
  ])('the matcher %j does not match %s', (matcher, tool) => {
    expect(fits(matcher, tool)).toBe(false);
  });

  test('a matcher that takes too long matches', () => {
    const undecided: Error[] = [];
    const matches = claudeCode.compileMatcher(
      definition('BeforeTool', { nativeEvent: 'PreToolUse', matcher: '^(a+)+$' }),
      (error) => undecided.push(error),
    );
    expect([matches(`${'a'.repeat(40)}b`), undecided.length]).toEqual([true, 1]);
  });
});

describe('matchers of other events', () => {
  test.each([
    ['SessionStart', 'startup|resume', 'startup', true],
    ['SessionStart', 'compact', 'compress', true],
    ['SessionStart', 'clear', 'startup', false],
    ['SessionEnd', 'other', 'exit', true],
    ['PreCompact', 'auto', 'manual', false],
    ['Notification', 'permission_prompt', 'ToolPermission', true],
    ['SubagentStart', 'Explore', 'Explore', true],
    ['UserPromptSubmit', 'never', 'anything', true],
    ['Stop', 'never', 'anything', true],
  ] as const)(
    'at %s, comparing the matcher %j with %s gives %s',
    (event, matcher, subject, expected) => {
      expect(fits(matcher, subject, event)).toBe(expected);
    },
  );

  test('matchers work at events that exist only in Claude Code', async () => {
    const { local, start, left } = claudeBox();
    local({
      hooks: {
        ConfigChange: [
          { matcher: 'user_settings', hooks: [{ type: 'command', command: 'echo yes >> log' }] },
          { matcher: 'skills', hooks: [{ type: 'command', command: 'echo no >> log' }] },
        ],
        FileChanged: [
          { matcher: '.envrc|.env', hooks: [{ type: 'command', command: 'echo file >> log' }] },
        ],
      },
    });
    const { fire } = await start();
    await fire('host.ConfigChange', { source: 'user_settings' });
    await fire('host.FileChanged', { file_path: '/a/b/.env', event: 'change' });
    await fire('host.FileChanged', { file_path: '/a/b/.envx', event: 'change' });
    expect(left('log')).toBe('yes\nfile\n');
  });
});

const ran = async (rule: string, tool_name: string, tool_input: Record<string, unknown>) => {
  const { local, start, left } = claudeBox();
  local(
    settingsOf('PreToolUse', { type: 'command', command: 'touch ran; echo x > ran', if: rule }),
  );
  const { fire } = await start();
  await fire('BeforeTool', { tool_name, tool_input });
  return left('ran') !== '';
};
const shell = (rule: string, command: string) => ran(rule, 'run_shell_command', { command });

describe('rules in "if"', () => {
  test.each([
    ['Bash', 'ls'],
    ['Bash(git push *)', 'git push origin main'],
    ['Bash(git push *)', 'git push'],
    ['Bash(git push:*)', 'git push --force'],
    ['Bash(ls)', 'ls'],
    ['Bash(git push *)', 'cd x && git push a'],
    ['Bash(rm *)', 'find . | xargs rm -rf'],
    ['Bash(git push *)', 'GIT_DIR=x git push a > log'],
    ['Bash(id *)', 'echo "$(id -u)"'],
    ['Bash(git * main)', 'git checkout main'],
    ['Bash(git push *)', 'echo "unterminated'],
    ['Bash(git push *)', ''],
    ['Bash(git', 'ls'],
    ['Bash(a *)|Bash(b *)', 'ls'],
  ])('the rule %s applies to %s', async (rule, command) => {
    expect(await shell(rule, command)).toBe(true);
  });

  test.each([
    ['Write', 'ls'],
    ['Bash(git push *)', 'git status'],
    ['Bash(git push:*)', 'git pushover'],
    ['Bash(ls)', 'ls -l'],
    ['Bash(git push *)', 'echo "git push now"'],
  ])('the rule %s does not apply to %s', async (rule, command) => {
    expect(await shell(rule, command)).toBe(false);
  });

  test.each([
    ['Write(*.txt)', 'write_file', 'notes/a.txt', true],
    ['Write(src/**)', 'write_file', 'src/deep/a.ts', true],
    ['Write(src/**)', 'write_file', 'lib/a.ts', false],
    ['Edit(*.txt)', 'write_file', 'a.txt', false],
    ['Edit(src/**/*.ts)', 'replace', 'src/a.ts', true],
    ['Read(.env)', 'read_file', 'config/.env', true],
    ['Read(//etc/**)', 'read_file', '/etc/hosts', true],
    ['mcp__memory', 'mcp__memory__store', 'a', true],
  ])(
    'comparing the rule %s with a call of %s on %s gives %s',
    async (rule, tool, file_path, expected) => {
      expect(await ran(rule, tool, { file_path })).toBe(expected);
    },
  );

  test('a rule that cannot be parsed, or that belongs to an event without tools, is reported', async () => {
    const { local, start } = claudeBox();
    const hook = { type: 'command', command: 'x' };
    local({
      hooks: {
        PreToolUse: [{ hooks: [{ ...hook, if: 'Bash(a *)|Bash(b *)' }] }],
        Stop: [{ hooks: [{ ...hook, if: 'Bash' }] }],
      },
    });
    const { system } = await start();
    expect(system.getRegistry().problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('Claude Code would never run it'),
      expect.stringContaining('never runs'),
    ]);
  });
});
