import { appendFileSync, existsSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { main } from '../support/main.ts';
import { commandInProcess, group, project } from '../support/project.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { waitUntil } from '../support/until.ts';

const trusted = { HOOKMACHINE_TRUST: '1' };

const claude = (block: object, more: object = {}) =>
  JSON.stringify({
    type: 'assistant',
    sessionId: 'one',
    cwd: '/elsewhere/project',
    message: { role: 'assistant', content: [{ type: 'tool_use', id: 't', ...block }] },
    ...more,
  });
const writes = (path: string, content = 'KEY=1') =>
  claude({ name: 'Write', input: { file_path: path, content } });
const runs = (command: string) => claude({ name: 'Bash', input: { command } });

const guard = `#!/bin/sh
if grep -q '"file_path":"[^"]*[.]env"'; then
  echo "Secrets stay out of .env files." >&2
  exit 2
fi`;
const asking = `grep -q 'rm -r' && echo '{"decision":"ask","reason":"Deletes."}'; exit 0`;

/** A project with guards, and sessions of several agents beside it. */
function guarded(hooks: object = {}) {
  const folder = project({
    'guard.sh': guard,
    '.hookmachine/settings.json': {
      hooks: {
        BeforeTool: [
          group('./guard.sh', { name: 'no-env' }, 'write_file'),
          group(asking, { name: 'no-rm' }, 'run_shell_command'),
        ],
        ...hooks,
      },
    },
    'on/claude/s.jsonl': [
      runs('ls'),
      writes('/elsewhere/project/.env'),
      'torn',
      runs('rm -r x'),
    ].join('\n'),
    'on/codex/rollout-1.jsonl': [
      { type: 'session_meta', payload: { id: 'two', cwd: '/elsewhere/project' } },
      {
        type: 'response_item',
        payload: {
          type: 'custom_tool_call',
          name: 'apply_patch',
          call_id: 'c',
          input: '*** Begin Patch\n*** Add File: sub/.env\n+KEY=1\n*** End Patch\n',
        },
      },
    ]
      .map((record) => JSON.stringify(record))
      .join('\n'),
    'on/gemini/chats/session-1.json': {
      sessionId: 'three',
      projectHash: 'h',
      messages: [
        {
          id: '1',
          type: 'gemini',
          content: '',
          toolCalls: [{ id: 'w', name: 'write_file', args: { file_path: 'a.txt', content: '' } }],
        },
      ],
    },
    'on/notes.jsonl': '{"display":"something else"}',
  });
  const backtest = (named: string, ...args: string[]) =>
    commandInProcess(['backtest', named, '--cwd', folder, '--jobs', '1', ...args], {
      env: trusted,
    });
  return { folder, on: join(folder, 'on'), backtest };
}

describe('backtest', () => {
  test('backtest shows what guards would have done in sessions of all agents, and where', async () => {
    const { folder, on, backtest } = guarded();
    const settings = join(folder, '.hookmachine/settings.json');
    const { exitCode, stdout } = await backtest(settings, '--on', on);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('5 events in 3 files  (Claude Code 1, Codex 1, Gemini CLI 1)');
    expect(stdout).toContain('Hooks ran for 5: denied 2, asked 1, and let 2 go on.');
    expect(stdout).toContain(`denied   ${on}/claude/s.jsonl:2
           Write {"file_path":"/elsewhere/project/.env","content":"KEY=1"}
           → Secrets stay out of .env files.`);
    expect(stdout).toMatch(/denied {3}.*\/codex\/rollout-1\.jsonl:2\n +apply_patch /);
    expect(stdout).toMatch(/asked {4}.*s\.jsonl:4\n +Bash .*rm -r x.*\n +→ Deletes\./);
    expect(stdout).toContain('s.jsonl:3 is not valid JSON');
    expect(stdout).toContain('notes.jsonl a file is neither a recording');
  });

  test('backtest --since leaves out older events, by the time in the file, or else by the age of the file', async () => {
    const { folder, on, backtest } = guarded();
    const day = 24 * 60 * 60 * 1000;
    const ago = (days: number): string => new Date(Date.now() - days * day).toISOString();
    const call = { name: 'Write', input: { file_path: '.env', content: '' } };
    const records = [claude(call, { timestamp: ago(40) }), claude(call), claude(call, { timestamp: ago(2) })]; // prettier-ignore
    appendFileSync(join(on, 'claude/timed.jsonl'), records.join('\n'));
    const old = new Date(Date.now() - 60 * day);
    utimesSync(join(on, 'codex/rollout-1.jsonl'), old, old);
    const counted = async (...args: string[]): Promise<unknown> => {
      const { events, files } = JSON.parse(
        (await backtest(folder, '--on', on, '--json', ...args)).stdout,
      );
      return [events.BeforeTool, files];
    };
    const recent = { 'Claude Code': 2, 'Gemini CLI': 1 };
    expect(await counted()).toEqual([8, { ...recent, Codex: 1 }]);
    expect(await counted('--since', '30d')).toEqual([5, recent]);
    expect(await counted('--since', ago(41).slice(0, 10))).toEqual([7, recent]);
    for (const [given, said] of [
      ['soon', 'give a date, such as 2026-11-01, or an age, such as 30d or 12h'],
      ['2026-02-31', 'give a date, such as 2026-11-01, or an age, such as 30d or 12h'],
      ['2999-01-01', 'that is in the future'],
    ] as const)
      expect((await backtest(folder, '--on', on, '--since', given)).stderr).toContain(
        `--since ${given}: ${said}`,
      );
  });

  test('backtest --json reports the same, also for each hook', async () => {
    const { on, folder, backtest } = guarded();
    const { stdout } = await backtest(folder, '--on', on, '--json', '--examples', '1');
    const { hooks, ...all } = JSON.parse(stdout);
    expect(all).toMatchObject({
      events: { BeforeTool: 5 },
      together: { denied: 2, asked: 1, stopped: 0, changed: 0, failed: 0 },
      isComplete: true,
    });
    expect(hooks).toMatchObject([
      { hook: 'no-env', runs: 3, counts: { denied: 2 }, examples: [{ line: 2, session: 'one' }] },
      { hook: 'no-rm', runs: 2, counts: { asked: 1 } },
    ]);
    expect(hooks[0].p50).toBeGreaterThan(0);
  });

  test('backtest runs a single hook, a separate settings file, or a script', async () => {
    const { folder, on, backtest } = guarded();
    const ran = async (named: string): Promise<unknown> =>
      JSON.parse((await backtest(named, '--on', on, '--json')).stdout).hooks.map(
        ({ hook, runs: count }: { hook: string; runs: number }) => [hook, count],
      );
    expect(await ran('no-rm')).toEqual([['no-rm', 2]]);
    const policy = project({
      'policy.json': { hooks: { 'tool.before': [group('./guard.sh', { name: 'policy' })] } },
    });
    expect(await ran(join(policy, 'policy.json'))).toEqual([['policy', 6]]);
    const script = join(folder, 'guard.sh');
    expect(await ran(script)).toEqual([[script, 6]]);
  });

  test('backtest runs nothing of an untrusted project', async () => {
    const { folder, on } = guarded({ BeforeTool: [group('touch ran')] });
    for (const named of [folder, join(folder, '.hookmachine/settings.json')]) {
      const { exitCode, stderr } = await commandInProcess(
        ['backtest', named, '--cwd', folder, '--on', on],
        { env: { HOOKMACHINE_TRUST: '' } },
      );
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/are not trusted.*\n.*there is no hook to run in/);
    }
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  test('backtest does not run hooks that act on what has happened, unless their events are named', async () => {
    const { folder, backtest } = guarded({ AfterTool: [group('cat > seen', { name: 'after' })] });
    const on = project({
      's.jsonl': [
        runs('ls'),
        claude(
          {},
          {
            type: 'user',
            message: {
              content: [{ type: 'tool_result', tool_use_id: 't', content: 'a b' }],
            },
          },
        ),
      ].join('\n'),
    });
    const { stdout } = await backtest(folder, '--on', on);
    expect(stdout).toContain('hooks exist for them: 1 of AfterTool (--events AfterTool)');
    expect(existsSync(join(folder, 'seen'))).toBe(false);
    await backtest(folder, '--on', on, '--events', 'PostToolUse');
    expect(JSON.parse(readFileSync(join(folder, 'seen'), 'utf8'))).toMatchObject({
      tool_name: 'run_shell_command',
      tool_response: { llmContent: 'a b' },
      session_id: 'one',
    });
  });

  test('backtest gives hooks the paths of another folder as if the session had run in the project', async () => {
    const { folder, backtest } = guarded({
      BeforeTool: [group('cat > seen', { name: 'sees' })],
    });
    const on = project({
      's.jsonl': writes(
        '/elsewhere/project/a.txt',
        'in /elsewhere/project/b, not in /elsewhere/projects',
      ),
    });
    await backtest('sees', '--on', on);
    const { cwd, tool_input: input } = JSON.parse(readFileSync(join(folder, 'seen'), 'utf8'));
    expect(cwd).toBe(folder);
    expect(input).toEqual({
      file_path: `${folder}/a.txt`,
      content: `in ${folder}/b, not in /elsewhere/projects`,
    });
  });

  test('backtest reads our recordings, and names their calls as explain does', async () => {
    const { folder, backtest } = guarded();
    const file = join(tempFolder(), 'r.jsonl');
    const record = (path: string, ...more: string[]) =>
      commandInProcess(
        [
          'tool',
          'write_file',
          '--input',
          JSON.stringify({ file_path: path, content: 'password=hunter2' }),
          '--cwd',
          folder,
          '--no-hooks',
          '--record',
          file,
          ...more,
        ],
        { env: trusted },
      );
    await record('a.txt', '--record-payloads');
    await record('b.env', '--record-payloads');
    await record('c.env');
    const { stdout } = await backtest(folder, '--on', file);
    expect(stdout).toContain('Hooks ran for 2: denied 1');
    expect(stdout).toContain('r.jsonl #2\n');
    expect(stdout).toContain('r.jsonl #3 was recorded without payloads');
    expect(stdout).not.toContain('hunter2');
  });

  test.each([
    [['no-such-hook', '--on', '.'], /there is no file, no configured hook and no program/],
    [['no-env', '--on', 'nowhere'], /--on nowhere: there is no such file or folder/],
    [['no-env', '--on', 'guard.sh'], /there is no session in .*guard\.sh: is neither/],
    [
      ['no-env', '--on', '.', '--events', 'BeforTool'],
      /there is no event "BeforTool": use BeforeTool/,
    ],
    [['no-env', '--on', '.', '--jobs', '0'], /--jobs 0: give a whole number of at least 1/],
  ])('backtest %j fails with one clear error', async ([named = '', on = '', ...more], message) => {
    const { folder, backtest } = guarded();
    const [path = '', ...rest] = more;
    const { exitCode, stdout, stderr } = await backtest(named, on, join(folder, path), ...rest);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr.replaceAll(`${folder}/`, '')).toMatch(message);
  });

  test('backtest takes no more memory for a hundred megabytes of calls than for a few', async () => {
    const { folder } = guarded();
    const file = join(tempFolder(), 's.jsonl');
    const some = Array.from({ length: 1_000 }, (_, at) => runs(`echo ${at} ${'x'.repeat(4_000)}`));
    for (let times = 0; times < 25; times++) appendFileSync(file, `${some.join('\n')}\n`);
    appendFileSync(file, writes('.env'));
    const { stdout } = await execa(
      'node',
      ['--max-old-space-size=64', main, 'backtest', 'no-env', '--cwd', folder, '--on', file],
      { env: { HOME: tempFolder(), ...trusted } },
    );
    expect(stdout).toContain('25001 events in 1 file');
    expect(stdout).toContain('s.jsonl:25001');
  });

  test('backtest prints the results so far when it is interrupted', async () => {
    const { folder } = guarded({
      BeforeTool: [
        group('grep -q "echo 3" && { touch begun; sleep 60; }; exit 0', { name: 'slow' }),
      ],
    });
    const file = join(tempFolder(), 's.jsonl');
    appendFileSync(file, Array.from({ length: 9 }, (_, at) => runs(`echo ${at}`)).join('\n'));
    const running = execa(
      'node',
      [main, 'backtest', 'slow', '--cwd', folder, '--on', file, '--jobs', '1'],
      {
        env: { HOME: tempFolder(), ...trusted },
        reject: false,
      },
    );
    await waitUntil(() => existsSync(join(folder, 'begun')));
    running.kill('SIGINT');
    const { exitCode, stdout } = await running;
    expect(exitCode).toBe(130);
    expect(stdout).toMatch(/^Interrupted: .*\n4 events/);
    expect(stdout).toContain('ran 3 times');
  });
});
