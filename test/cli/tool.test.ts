import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandInProcess, group, project, projectWithHooks } from '../support/project.ts';

const write = JSON.stringify({ file_path: 'a.txt', content: 'hello' });

describe('tool', () => {
  test('tool runs a built-in tool and prints its ToolResult', async () => {
    const cwd = project();
    const { stdout, exitCode } = await commandInProcess([
      'tool',
      'write_file',
      '--input',
      write,
      '--cwd',
      cwd,
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      llmContent: expect.stringContaining('a.txt'),
    });
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('hello');
    expect(exitCode).toBe(0);
  });

  test.each([
    ['ask', 'a question that nobody can be asked'],
    ['defer', 'a call that a hook defers'],
  ])('a tool does not run and the exit status is 3 for %s, %s', async (permissionDecision) => {
    const cwd = project();
    const answer = {
      hookEventName: 'PreToolUse',
      permissionDecision,
      permissionDecisionReason: 'why',
    };
    mkdirSync(join(cwd, '.claude'));
    writeFileSync(
      join(cwd, '.claude/settings.json'),
      JSON.stringify({
        hooks: { PreToolUse: [group(`echo '${JSON.stringify({ hookSpecificOutput: answer })}'`)] },
      }),
    );
    const args = ['tool', 'write_file', '--input', write, '--cwd', cwd, '--trust'];
    const { stdout, exitCode } = await commandInProcess(args);
    expect(stdout).toContain('why');
    expect(existsSync(join(cwd, 'a.txt'))).toBe(false);
    expect(exitCode).toBe(3);
  });

  test('a blocked tool does not run, its result says why, and the exit status is 2 (HOOK-017)', async () => {
    const cwd = projectWithHooks({ BeforeTool: [group('echo no >&2; exit 2')] });
    const { stdout, exitCode } = await commandInProcess([
      'tool',
      'write_file',
      '--input',
      write,
      '--cwd',
      cwd,
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      llmContent: 'no',
      error: { message: 'no' },
    });
    expect(existsSync(join(cwd, 'a.txt'))).toBe(false);
    expect(exitCode).toBe(2);
  });

  test('tool uses the argument that a hook rewrote (HOOK-019)', async () => {
    const cwd = projectWithHooks({
      BeforeTool: [group(`echo '{"hookSpecificOutput":{"tool_input":{"file_path":"b.txt"}}}'`)],
    });
    await commandInProcess(['tool', 'write_file', '--input', '-', '--cwd', cwd], { input: write });
    expect(existsSync(join(cwd, 'a.txt'))).toBe(false);
    expect(readFileSync(join(cwd, 'b.txt'), 'utf8')).toBe('hello');
  });

  test('a stop after the tool keeps the result, reports the reason and exits with 2 (HOOK-028)', async () => {
    const cwd = projectWithHooks({
      AfterTool: [group(`echo '{"continue":false,"stopReason":"enough"}'`)],
    });
    const { stdout, stderr, exitCode } = await commandInProcess([
      'tool',
      'write_file',
      '--input',
      write,
      '--cwd',
      cwd,
    ]);
    expect(JSON.parse(stdout)).not.toHaveProperty('error');
    expect(stderr).toBe('hookmachine: a hook stops the agent: enough');
    expect(exitCode).toBe(2);
  });

  test.each([
    [['tool', 'nope', '--input', '{}'], /there is no tool "nope": use one of read_file/],
    [['tool', 'read_file', '--input', '{'], /--input is not valid JSON/],
    [['tool', 'read_file', '--input', '[]'], /--input must hold one JSON object/],
    [['tool', 'read_file'], /required option '--input <json>' not specified/],
  ])('%j is refused with one clear line', async (args, message) => {
    const { stdout, stderr, exitCode } = await commandInProcess(args);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(exitCode).toBe(1);
  });
});
