import { describe, expect, test } from 'vitest';
import { quoted } from '../support/session.ts';
import { group } from '../support/project.ts';
import { inProcess } from '../support/in-process.ts';
import { sandbox } from '../support/sandbox.ts';

/**
 * Escape sequences that clear the screen, move the cursor, rename the window, write to the clipboard, and
 * reverse text.
 */
const tricks =
  '\u001B[2J\u001B[1A\u001B]0;title\u0007\u001B]52;c;cm0=\u0007\u009B31m\u0085\r\u202Emr\u2066';
const trick =
  // oxlint-disable-next-line no-control-regex -- these are what must not reach a terminal
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

const denying = (reason: string) =>
  `printf '%s' ${quoted(JSON.stringify({ decision: 'deny', reason }))}`;
const stopping = (stopReason: string) =>
  `printf '%s' ${quoted(JSON.stringify({ continue: false, stopReason }))}`;
const failing = (said: string) => `printf '%s' ${quoted(said)} >&2; exit 1`;

/** A project with these hooks around every tool. */
function projectWith(command: string, event = 'BeforeTool') {
  const box = sandbox();
  box.write(box.files.project, {
    enableHooks: true,
    hooks: { [event]: [group(command, { name: `hook ${tricks}` })] },
  });
  return box;
}

const input = JSON.stringify({ tool_name: 'write_file', tool_input: {} });
const toolArguments = ['tool', 'write_file', '--input', '{"file_path":"a.txt","content":"a"}'];

describe.each([
  ['a reason to block', denying(tricks)],
  ['a reason to stop', stopping(tricks)],
  ['the stderr of a failing hook', failing(tricks)],
])('%s plays no tricks on a terminal', (_, command) => {
  test('hostile text that fire shows plays no tricks on a terminal', async () => {
    const { stdout, stderr } = await inProcess(projectWith(command), ['fire', 'BeforeTool'], input);
    expect(stderr).not.toMatch(trick);
    expect(stdout).not.toMatch(trick);
    expect(JSON.parse(stdout)).toHaveProperty('event', 'BeforeTool');
  });

  test('hostile text that tool shows plays no tricks on a terminal', async () => {
    const { stdout, stderr } = await inProcess(projectWith(command), toolArguments);
    expect(stderr).not.toMatch(trick);
    expect(stdout).not.toMatch(trick);
  });

  test('hostile text that run shows, for people and as JSON, plays no tricks on a terminal', async () => {
    for (const more of [[], ['--json']]) {
      const box = projectWith(command);
      const model = box.write(
        'session.yaml',
        '- calls: [{ name: write_file, args: { file_path: a.txt, content: a } }]\n- text: Done.\n',
      );
      const { stdout, stderr } = await inProcess(box, [
        'run',
        'Hi',
        '--model',
        `scripted:${model}`,
        ...more,
      ]);
      expect(stdout).toContain('write_file');
      expect(stderr).not.toMatch(trick);
      expect(stdout).not.toMatch(trick);
    }
  });
});

test('output of the model and results of tools play no tricks on a terminal', async () => {
  for (const more of [[], ['--json']]) {
    const box = sandbox();
    box.write('project/evil.txt', `${tricks}\n`);
    const calls = [
      { name: `no_such_tool${tricks}`, args: { a: tricks } },
      { name: 'run_shell_command', args: { command: `cat evil.txt # ${tricks}` } },
      { name: 'read_file', args: { file_path: `evil.txt${tricks}` } },
    ];
    const model = box.write('session.yaml', [{ text: tricks, calls }, { text: tricks }]);
    const { stdout, stderr } = await inProcess(box, [
      'run',
      'Hi',
      '--model',
      `scripted:${model}`,
      ...more,
    ]);
    expect(stdout).toContain('no_such_tool');
    expect(stderr).not.toMatch(trick);
    expect(stdout).not.toMatch(trick);
  }
});

test('settings and file names of strangers play no tricks on a terminal through list, trust and warnings', async () => {
  const box = projectWith(`true # ${tricks}`);
  box.write(box.files.user, { [`enableHooks`]: tricks, hooks: { [`No${tricks}`]: [] } });
  for (const args of [
    ['list'],
    ['list', '--json'],
    ['trust', '--show'],
    ['trust', '--show', '--json'],
    ['fire', 'BeforeTool'],
  ]) {
    const { stdout, stderr } = await inProcess(box, args, input);
    expect(stdout, args.join(' ')).not.toMatch(trick);
    expect(stderr, args.join(' ')).not.toMatch(trick);
  }
});

describe('the debug log has one line per record and plays no tricks', () => {
  test.each([
    ['a reason to block', denying(`${tricks}\nsecond\u2028third`)],
    ['the stderr of a failing hook', failing(`${tricks}\nsecond\rthird`)],
    ['output that is not JSON', `printf '%s' ${quoted(`{"a": ${tricks}\nsecond`)}`],
  ])('the debug log has one harmless line per record with %s', async (_, command) => {
    const box = projectWith(command);
    const env = { ...box.env, DEBUG: 'llxprt:core:hooks:*', DEBUG_COLORS: 'no' };
    const tricky = JSON.stringify({ tool_name: `no${tricks}\nsecond`, tool_input: { a: tricks } });
    const { stderr } = await inProcess({ ...box, env }, ['fire', 'BeforeTool'], tricky);
    expect(stderr).not.toMatch(trick);
    expect(stderr).not.toMatch(/[\u2028\u2029]/);
    const lines = stderr.split('\n').filter((line) => !line.startsWith('hookmachine: '));
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect(line).toMatch(/llxprt:core:hooks:/);
  });
});

test('a recording that is explained, for people and as JSON, plays no tricks on a terminal', async () => {
  const box = projectWith(denying(tricks));
  const file = `${box.folder}/r.jsonl`;
  await inProcess(box, ['fire', 'BeforeTool', '--record', file, '--record-payloads'], input);
  for (const args of [[file], [file, '--json'], [file, '1'], [file, '1', '--json']]) {
    const { stdout, stderr } = await inProcess(box, ['explain', ...args]);
    expect(stdout).toContain('BeforeTool');
    expect(stdout).not.toMatch(trick);
    expect(stderr).not.toMatch(trick);
  }
});
