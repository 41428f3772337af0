import { readFileSync } from 'node:fs';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { knownDialects } from '../../src/hosts/all/known.ts';
import { main } from '../support/main.ts';
import { commandInProcess, group, project, projectWithHooks } from '../support/project.ts';
import { tempFolder } from '../support/temp-folder.ts';

const write = { tool_name: 'write_file', tool_input: { file_path: 'a.txt', content: 'x' } };

async function fire(cwd: string, args: readonly string[], input: unknown = write, env = {}) {
  const done = await commandInProcess(['fire', ...args, '--cwd', cwd], {
    input: JSON.stringify(input),
    env,
  });
  return { ...done, report: done.stdout === '' ? undefined : JSON.parse(done.stdout) };
}

const reasons = (report: { why: { hook: string; ran: boolean; why: string }[] }) =>
  Object.fromEntries(report.why.map(({ hook, ran, why }) => [hook, `${ran}: ${why}`]));

/** What a user sees after typing the command, and then these lines. */
async function typed(cwd: string, args: readonly string[], lines: string): Promise<string> {
  const script = `
import os, pty, sys
pid, fd = pty.fork()
if pid == 0: os.execvp('node', ['node'] + sys.argv[2:])
os.write(fd, sys.argv[1].encode())
seen = b''
try:
    while True:
        part = os.read(fd, 65536)
        if not part: break
        seen += part
except OSError: pass
sys.stdout.buffer.write(seen)
os.waitpid(pid, 0)`;
  const { stdout } = await execa(
    'python3',
    ['-c', script, `${lines}\n\u0004`, main, 'fire', ...args],
    {
      cwd,
      env: { HOME: tempFolder(), HOOKMACHINE_TRUST: '1' },
    },
  );
  return stdout.replaceAll('\r\n', '\n');
}

describe('fire --sample', () => {
  const names = knownDialects.flatMap(({ name, events }) =>
    Object.keys(events).map((event) => [name, event] as const),
  );

  test.each(names)(
    'fire --sample prints for %s what fire %s takes on stdin',
    async (dialect, event) => {
      const cwd = project();
      const { report: sample } = await fire(cwd, [event, '--dialect', dialect, '--sample'], '');
      expect(Object.keys(sample)).not.toContain('session_id');
      const { report, stderr } = await fire(cwd, [event, '--dialect', dialect], sample);
      expect(stderr).toBe('');
      expect(report.event).toBe(event);
    },
  );

  test('fire --sample spells fields as the dialect does, with a call that the event is for', async () => {
    const cwd = project();
    const of = async (event: string, dialect: string) =>
      (await fire(cwd, [event, '--dialect', dialect, '--sample'])).report;
    expect(await of('before_tool_call', 'kodelet')).toMatchObject({ tool_name: 'bash' });
    expect(await of('preToolUse', 'copilot')).toMatchObject({ toolName: 'bash' });
    expect(await of('beforeReadFile', 'cursor')).toMatchObject({ file_path: `${cwd}/.env` });
    expect(await of('ErrorOccurred', 'copilot')).toMatchObject({ error_context: 'model_call' });
    expect(await of('MessageDisplay', 'qwen-code')).toMatchObject({ displayed_text: 'Hello.' });
    expect(await of('MessageDisplay', 'claude-code')).toMatchObject({ delta: 'Hello.\n' });
  });

  test('fire --sample --hook prints a call that this hook is for, even in an untrusted project', async () => {
    const cwd = projectWithHooks({
      BeforeTool: [group('touch ran', { name: 'writes' }, '^(write_file|replace)$')],
    });
    const { report } = await fire(cwd, ['BeforeTool', '--hook', 'writes', '--sample'], '');
    expect(report).toMatchObject({ tool_name: 'write_file', tool_input: { file_path: '.env' } });
    expect(() => readFileSync(`${cwd}/ran`)).toThrow('ENOENT');
    const { stderr } = await fire(cwd, ['BeforeTool', '--hook', 'write', '--sample'], '');
    expect(stderr).toContain('there is no hook "write": the nearest are "writes"');
  });

  test('fire --sample runs nothing', async () => {
    const cwd = projectWithHooks({ BeforeTool: [group('touch ran')] });
    const { report } = await fire(cwd, ['BeforeTool', '--sample'], '');
    expect(report).toEqual({
      tool_name: 'run_shell_command',
      tool_input: { command: 'rm -rf /' },
    });
    expect(() => readFileSync(`${cwd}/ran`)).toThrow('ENOENT');
  });
});

describe('fire --hook', () => {
  const hooks = {
    BeforeTool: [
      group('echo no >&2; exit 2', { name: 'no-env' }),
      group('touch logged', { name: 'log-calls' }),
    ],
    AfterTool: [group('true', { name: 'after' })],
  };

  test('fire --hook runs the hook of that name, and no other', async () => {
    const cwd = projectWithHooks(hooks);
    const { report, exitCode } = await fire(cwd, ['BeforeTool', '--hook', 'log-calls']);
    expect(report).toMatchObject({ hookCount: 1, decision: 'none' });
    expect(report.hooks).toMatchObject([{ name: 'log-calls' }]);
    expect(exitCode).toBe(0);
  });

  test('fire --hook also finds a hook by its command', async () => {
    const cwd = projectWithHooks(hooks);
    const { report } = await fire(cwd, ['BeforeTool', '--hook', 'echo no >&2; exit 2']);
    expect(report.hooks).toMatchObject([{ name: 'no-env', exitCode: 2 }]);
  });

  test('fire --hook lists the nearest names if there is no such hook', async () => {
    const { stderr, exitCode } = await fire(projectWithHooks(hooks), [
      'BeforeTool',
      '--hook',
      'no-emv',
    ]);
    expect(stderr).toContain('there is no hook "no-emv": the nearest are "no-env"');
    expect(exitCode).toBe(1);
  });

  test('fire --hook says why the hook did not run', async () => {
    const { report, stderr } = await fire(projectWithHooks(hooks), [
      'BeforeTool',
      '--hook',
      'after',
    ]);
    expect(report.hookCount).toBe(0);
    expect(stderr).toBe(
      'hookmachine: hook "after" did not run: it is for another event, AfterTool',
    );
  });

  test('fire --hook does not take the names of disabled hooks for unknown ones', async () => {
    const cwd = project({
      '.llxprt/settings.json': {
        tools: { enableHooks: true },
        hooks,
        hooksConfig: { disabled: ['no-env'] },
      },
    });
    const { stderr } = await fire(cwd, ['BeforeTool', '--hook', 'log-calls']);
    expect(stderr).toBe('');
  });
});

describe('fire --why', () => {
  test('fire --why says for every hook why it ran or did not', async () => {
    const cwd = project({
      '.hookmachine/settings.json': {
        hooks: {
          BeforeTool: [
            {
              matcher: 'read_file',
              hooks: [{ type: 'command', command: 'true', name: 'reads' }],
            },
            group('echo {}', { name: 'runs' }),
            group('echo {}', { name: 'double' }),
            group('echo off', { name: 'not-now' }),
            group('echo rm', { name: 'removes', if: 'Bash(rm *)' }),
            group('echo once', { name: 'first', once: true }),
            group('true', { name: 'later', async: true }),
          ],
          AfterTool: [group('echo after', { name: 'after' })],
        },
        hooksConfig: { disabled: ['not-now'] },
      },
      '.llxprt/settings.json': { hooks: { BeforeTool: [group('true', { name: 'switchless' })] } },
    });
    const env = { XDG_STATE_HOME: tempFolder() };
    const args = ['BeforeTool', '--why', '--session-id', 'one'];
    await fire(cwd, args, write, env);
    const { report } = await fire(cwd, args, write, env);
    expect(reasons(report)).toEqual({
      reads: 'false: its matcher "read_file" does not match "write_file"',
      runs: 'true: it ran',
      double: expect.stringMatching(/^false: it is hidden: a duplicate, .*, takes precedence$/),
      'not-now': expect.stringContaining('false: it is disabled'),
      removes: 'false: its "if", Bash(rm *), does not match this call',
      first: 'false: it runs once per session, and has already run in this one',
      later: 'true: it was started, and is not waited for (async)',
      after: 'false: it is for another event, AfterTool',
      switchless: 'false: hooks of its level are switched off in the settings',
    });
  });

  test('fire --why says that a sequence ended before a hook', async () => {
    const cwd = projectWithHooks({
      BeforeTool: [
        { sequential: true, hooks: [{ type: 'command', command: 'exit 2', name: 'guard' }] },
        group('true', { name: 'after-it' }),
      ],
    });
    const { report } = await fire(cwd, ['BeforeTool', '--why']);
    expect(reasons(report)).toEqual({
      guard: 'true: it ran',
      'after-it':
        'false: a hook before it in the sequence denied or stopped, which ended the sequence',
    });
  });

  test('fire --why names the hooks of an untrusted project, and says what to do', async () => {
    const cwd = projectWithHooks({ BeforeTool: [group('touch ran', { name: 'theirs' })] });
    const { report } = await fire(cwd, ['BeforeTool', '--why'], write, { HOOKMACHINE_TRUST: '' });
    expect(reasons(report)['theirs']).toMatch(/^false: it is not trusted: .*hookmachine trust/);
  });

  test('fire --why says that --no-hooks keeps a hook from running', async () => {
    const cwd = projectWithHooks({ BeforeTool: [group('true', { name: 'mine' })] });
    const { report } = await fire(cwd, ['BeforeTool', '--why', '--no-hooks']);
    expect(reasons(report)['mine']).toBe(
      "false: --no-hooks keeps all hooks except the system's from running",
    );
  });
});

describe('fire on a terminal', () => {
  test('on a terminal, fire says that it waits for stdin, and shows decision, reason, changes and hooks in lines', async () => {
    const cwd = projectWithHooks({
      BeforeTool: [
        group(`echo '{"hookSpecificOutput":{"tool_input":{"file_path":"b.txt"}}}'`, {
          name: 'rename',
        }),
      ],
    });
    const seen = await typed(cwd, ['BeforeTool', '--why'], JSON.stringify(write));
    expect(seen).toContain('waiting for the fields of BeforeTool as JSON on stdin');
    expect(seen).toContain('BeforeTool: goes on');
    expect(seen).toContain('-   "file_path": "a.txt"');
    expect(seen).toContain('+   "file_path": "b.txt"');
    expect(seen).toContain('• rename: it ran');
    expect(seen).toMatch(/✓ rename {2}\(llxprt, project\) {2}exit 0, \d+ ms/);
  });

  test('on a terminal, fire shows a denial and its reason, escaped', async () => {
    const cwd = projectWithHooks({
      BeforeTool: [group(String.raw`printf 'no \033[2J way' >&2; exit 2`, { name: 'guard' })],
    });
    const seen = await typed(cwd, ['BeforeTool'], JSON.stringify(write));
    expect(seen).toContain('BeforeTool: denied');
    expect(seen).toContain('reason');
    expect(seen).not.toContain('\u001B[2J');
    expect(seen).toMatch(/✗ guard {2}\(llxprt, project\) {2}exit 2/);
  });
});
