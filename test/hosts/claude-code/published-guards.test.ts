import { cpSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { claudeBox } from '../../support/claude-code.ts';
import { inProcess } from '../../support/in-process.ts';

const example = new URL('../../../examples/claude-code-project/', import.meta.url);

/** Returns a project with the hooks of the example. */
function guarded() {
  const box = claudeBox();
  cpSync(example, box.project, { recursive: true });
  return box;
}

const push = (command: string) => ({ tool_name: 'run_shell_command', tool_input: { command } });

describe('the hooks of the example guard our tools', () => {
  test.each(['write_file', 'replace'])(
    'the example’s hooks keep %s from writing a file of secrets',
    async (tool_name) => {
      const { fire } = await guarded().start();
      const write = (file_path: string) =>
        fire('BeforeTool', {
          tool_name,
          tool_input: { file_path, old_string: 'a', new_string: 'b' },
        });
      expect((await write('config/.env')).verdict).toMatchObject({
        decision: 'deny',
        reason: expect.stringContaining('config/.env holds secrets'),
      });
      expect((await write('config/env.ts')).verdict.decision).toBeUndefined();
    },
  );

  test('the example’s hooks ask about a push, deny a forced one, and ignore other commands', async () => {
    const { fire } = await guarded().start();
    const decide = async (command: string) =>
      (await fire('BeforeTool', push(command), { canAsk: true })).verdict.decision;
    expect(await decide('git add . && git push')).toBe('ask');
    expect(await decide('git push --force')).toBe('deny');
    expect(await decide('ls')).toBeUndefined();
  });

  test('the example’s hooks hide tokens in a command’s output', async () => {
    const { fire } = await guarded().start();
    const llmContent =
      'Command: env\nDirectory: (root)\nStdout: TOKEN=ghp_abc123\nStderr: (empty)\nExit Code: 0';
    const { toolResponse } = await fire('AfterTool', {
      ...push('env'),
      tool_response: { llmContent, returnDisplay: '' },
    });
    expect(toolResponse?.['llmContent']).toBe('TOKEN=[hidden]');
  });

  test('the example’s hooks add context to a prompt', async () => {
    const { fire } = await guarded().start();
    const { verdict } = await fire('BeforeAgent', { prompt: 'Hi' });
    expect(verdict.context).toBe('The branch is main.');
  });
});

const fired = async (event: string, fields: object) => {
  const box = guarded();
  const { stdout, exitCode } = await inProcess(
    { project: box.project, env: box.env },
    ['fire', '--dialect', 'claude-code', event],
    JSON.stringify(fields),
  );
  return { report: JSON.parse(stdout) as Record<string, unknown>, exitCode };
};

describe('hookmachine fire --dialect claude-code', () => {
  test('fire accepts and reports Claude Code’s names', async () => {
    const { report, exitCode } = await fired('PostToolUse', {
      tool_name: 'Bash',
      tool_input: { command: 'env' },
      tool_use_id: 'toolu_1',
      tool_response: { stdout: 'ghp_a1', stderr: '', interrupted: false, isImage: false },
    });
    expect([exitCode, report]).toEqual([
      0,
      expect.objectContaining({
        event: 'PostToolUse',
        decision: 'none',
        toolOutput: { stdout: '[hidden]', stderr: '', interrupted: false, isImage: false },
      }),
    ]);
  });

  test.each([
    [{ command: 'git push -f' }, 'deny', 2],
    [{ command: 'git push' }, 'ask', 3],
    [{ command: 'ls' }, 'none', 0],
  ])(
    'for %j, fire reports the decision %s and exits with %i',
    async (tool_input, decision, status) => {
      const { report, exitCode } = await fired('PreToolUse', { tool_name: 'Bash', tool_input });
      expect([report['decision'], exitCode]).toEqual([decision, status]);
    },
  );

  test('LLxprt’s own event reaches the same hooks', async () => {
    const box = guarded();
    const { exitCode } = await inProcess(
      { project: box.project, env: box.env },
      ['fire', 'BeforeTool'],
      JSON.stringify({ tool_name: 'write_file', tool_input: { file_path: '.env', content: '' } }),
    );
    expect(exitCode).toBe(2);
  });

  test('fire accepts an event that exists only in Claude Code', async () => {
    const { report, exitCode } = await fired('TaskCreated', { task_id: '1' });
    expect([report['event'], report['hookCount'], exitCode]).toEqual(['TaskCreated', 0, 0]);
  });
});
