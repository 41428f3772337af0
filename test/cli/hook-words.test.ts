import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandInProcess, group, projectWithHooks } from '../support/project.ts';

const call = JSON.stringify({ tool_name: 'write_file', tool_input: { file_path: 'a.txt' } });
const write = JSON.stringify({ file_path: 'a.txt', content: 'sesame' });

const nearMiss = `echo '{"descision":"deny"}'`;
const lost = `echo 'checking'; echo '{"decision":"deny"}'`;

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

describe('a hook’s output that is not read as an answer', () => {
  test.each([
    ['a near miss', nearMiss, '"decision"'],
    ['a denial with text around it', lost, 'a denial was NOT read: '],
  ])(
    'fire reports what it does not read as an answer, on stderr and in hooks[].notes: %s',
    async (_, command, named) => {
      for (const onFailure of ['allow', 'block']) {
        const cwd = projectWithHooks({
          BeforeTool: [group(command, { name: 'guard', onFailure })],
        });
        const { stdout, stderr, exitCode } = await commandInProcess(
          ['fire', 'BeforeTool', '--cwd', cwd],
          {
            input: call,
          },
        );
        const report = JSON.parse(stdout);
        expect([exitCode, report.blocked]).toEqual(onFailure === 'block' ? [2, true] : [0, false]);
        const [hook] = report.hooks;
        expect([...(hook.notes ?? []), hook.error ?? ''].join('\n')).toContain(named);
        expect(lines(stderr).join('\n')).toContain(`hook "guard" (BeforeTool)`);
        expect(stderr).toContain(named);
      }
    },
  );

  test('tool and run report an unknown field of an answer on stderr, and explain reports it from a recording', async () => {
    const cwd = projectWithHooks(
      { BeforeTool: [group(nearMiss, { name: 'guard' })] },
      { 'session.yaml': session },
    );
    const record = join(cwd, 'record.jsonl');
    const tool = await commandInProcess([
      'tool',
      'write_file',
      '--input',
      write,
      '--cwd',
      cwd,
      '--record',
      record,
      '--record-payloads',
    ]);
    expect(tool.stderr).toContain('hook "guard" (BeforeTool): "descision" is not a field');
    const explained = await commandInProcess(['explain', record, '1']);
    expect(explained.stdout).toContain('note: "descision" is not a field');
    const run = await commandInProcess([
      'run',
      'Go',
      '--model',
      `scripted:${join(cwd, 'session.yaml')}`,
      '--cwd',
      cwd,
      '--json',
    ]);
    expect(run.stderr).toContain('hook "guard" (BeforeTool): "descision" is not a field');
    const reports = lines(run.stdout).map((line) => JSON.parse(line));
    expect(reports.find(({ event }) => event === 'BeforeTool').hooks[0].notes).toEqual([
      expect.stringContaining('"descision"'),
    ]);
  });
});

const session = `- calls: [{ name: write_file, args: { file_path: a.txt, content: sesame } }]
- text: Done.
`;

describe('a hook that changes a call', () => {
  const rewrite = `echo '{"hookSpecificOutput":{"tool_input":{"file_path":"b.txt","content":"sesame"}}}'`;

  test('tool names a hook that changes a call on stderr, with the changed arguments but not their values', async () => {
    const cwd = projectWithHooks({ BeforeTool: [group(rewrite, { name: 'mover' })] });
    const { stderr } = await commandInProcess([
      'tool',
      'write_file',
      '--input',
      write,
      '--cwd',
      cwd,
    ]);
    expect(lines(stderr)).toEqual([
      'hookmachine: hook "mover" rewrote the arguments of write_file: "file_path"',
    ]);
    expect(readFileSync(join(cwd, 'b.txt'), 'utf8')).toBe('sesame');
  });

  test('run names a hook that changes a call on stderr, with and without --json', async () => {
    for (const more of [[], ['--json']]) {
      const cwd = projectWithHooks(
        { BeforeTool: [group(rewrite, { name: 'mover' })] },
        { 'session.yaml': session },
      );
      const { stderr, stdout } = await commandInProcess([
        'run',
        'Go',
        '--model',
        `scripted:${join(cwd, 'session.yaml')}`,
        '--cwd',
        cwd,
        ...more,
      ]);
      expect(lines(stderr)).toEqual([
        'hookmachine: hook "mover" rewrote the arguments of write_file: "file_path"',
      ]);
      if (more.length > 0)
        expect(stdout).toContain(
          '"changes":[{"hook":"mover","tool":"write_file","of":"arguments","keys":["file_path"]}]',
        );
    }
  });

  test('tool names no hook on stderr if it changed nothing, or the call was blocked', async () => {
    const repeat = `jq -c '{hookSpecificOutput: {tool_input}}'`;
    for (const hooks of [[group(repeat)], [group(rewrite), group('echo no >&2; exit 2')]]) {
      const cwd = projectWithHooks({ BeforeTool: hooks });
      const { stderr } = await commandInProcess([
        'tool',
        'write_file',
        '--input',
        write,
        '--cwd',
        cwd,
      ]);
      expect(stderr).toBe('');
    }
  });
});

describe('a hook that a signal ended (S-26)', () => {
  test('a hook that a signal ended has no exit code in fire, in a recording and in run --json (HOOK-196)', async () => {
    const cwd = projectWithHooks(
      { BeforeTool: [group('kill -9 $$', { name: 'dies' })] },
      { 'session.yaml': session },
    );
    const ended = { exitCode: null, signal: 'SIGKILL' };
    const record = join(cwd, 'record.jsonl');
    const fired = await commandInProcess(['fire', 'BeforeTool', '--cwd', cwd, '--record', record], {
      input: call,
    });
    expect(JSON.parse(fired.stdout).hooks).toMatchObject([{ ...ended, success: false }]);
    const entries = lines(readFileSync(record, 'utf8')).map((line) => JSON.parse(line));
    expect(entries.find(({ kind }) => kind === 'answered')).toMatchObject(ended);
    const explained = await commandInProcess(['explain', record, '1', '--json']);
    expect(JSON.parse(explained.stdout)[0].events[0].hooks[0].answer).toMatchObject(ended);
    expect((await commandInProcess(['explain', record, '1'])).stdout).toContain('(SIGKILL, ');
    const { stdout } = await commandInProcess([
      'run',
      'Go',
      '--model',
      `scripted:${join(cwd, 'session.yaml')}`,
      '--cwd',
      cwd,
      '--json',
    ]);
    const reports = lines(stdout).map((line) => JSON.parse(line));
    expect(reports.find(({ event }) => event === 'BeforeTool').hooks).toMatchObject([ended]);
  });
});
