import { describe, expect, test } from 'vitest';
import { hookAt, sessionIn } from '../../support/own-hooks.ts';
import { sandbox } from '../../support/sandbox.ts';
import { someFields } from '../../support/session.ts';

const guard = (more: object) => ({ type: 'command', command: 'echo no >&2; exit 2', ...more });

const shell = (command: string) => ({
  tool_name: 'run_shell_command',
  tool_input: { command },
});

const ran = async (session: ReturnType<typeof sessionIn>) =>
  (await session.fire('BeforeTool', someFields.BeforeTool)).results.length;

const program = (file: string) => ({ type: 'command', command: 'bash', args: ['-c', file] });

describe('a hook with a rule', () => {
  const write = { tool_name: 'write_file', tool_input: { file_path: 'src/a.ts', content: '' } };

  test.each([
    ['Bash(git push *)', shell('git push origin'), true],
    ['Bash(git push *)', shell('git status'), false],
    ['Bash(git push *)', shell('make && git push'), true],
    ['Bash(git push *)', shell('echo "$(git push -f)"'), true],
    ['Bash(git push *)', shell('echo "unfinished'), true],
    ['run_shell_command(git push *)', shell('git push'), true],
    ['run_shell_command', write, false],
    ['write_file(src/**)', write, true],
    ['Write(docs/**)', write, false],
    ['not a rule (', write, true],
  ])('a hook with the rule %s for the call %j runs: %s', async (rule, fields, runs) => {
    const box = sandbox();
    box.write(box.own.user, hookAt('tool.before', guard({ if: rule })));
    const { fire } = sessionIn(box);
    const { results } = await fire('BeforeTool', fields);
    expect(results.length > 0).toBe(runs);
  });

  test.each([
    ['tool.before', 'not a rule (', 'is "not a rule (", which is not a rule, so the hook runs'],
    [
      'prompt.submit',
      'Bash(ls)',
      'applies only to tool calls, and this event has none, so the hook runs',
    ],
  ])('a rule that has no effect is reported: at %s, %s', async (event, rule, why) => {
    const box = sandbox();
    box.write(box.own.user, hookAt(event, guard({ if: rule })));
    const { config, warnings } = sessionIn(box);
    await config.getHookSystem()!.initialize();
    expect(warnings).toEqual([
      expect.stringContaining(`${box.own.user} hooks.${event}[0].hooks[0].if: ${why}`),
    ]);
  });

  test('a hook with a rule runs at an event without a call', async () => {
    const box = sandbox();
    box.write(box.own.user, hookAt('prompt.submit', guard({ if: 'Bash(git push *)' })));
    const { fire } = sessionIn(box);
    expect((await fire('BeforeAgent', someFields.BeforeAgent)).verdict.decision).toBe('deny');
  });
});

describe('a hook with "once"', () => {
  test('a hook with "once" runs once per session, across processes', async () => {
    const box = sandbox();
    box.write(box.own.user, hookAt('tool.before', guard({ once: true })));
    const first = sessionIn(box, { sessionId: 'one' });
    expect([await ran(first), await ran(first)]).toEqual([1, 0]);
    expect(await ran(sessionIn(box, { sessionId: 'one' }))).toBe(0);
    expect(await ran(sessionIn(box, { sessionId: 'two' }))).toBe(1);
  });
});

test('two programs that differ only in their arguments are two hooks', async () => {
  const box = sandbox();
  box.write(box.own.user, {
    hooks: { 'tool.before': [{ hooks: [program('true'), program('exit 2')] }] },
  });
  const { fire } = sessionIn(box);
  expect((await fire('BeforeTool', someFields.BeforeTool)).results).toHaveLength(2);
});
