import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { presentDialects } from '../../src/hosts/all/known.ts';
import { main } from '../support/main.ts';
import {
  commandInProcess,
  group,
  project,
  projectWithHooks,
  runCommand,
} from '../support/project.ts';

const denial = {
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: 'not here',
  },
};

const script = (...lines: readonly string[]): string =>
  join(project({ 'guard.sh': ['#!/bin/sh', ...lines].join('\n') }), 'guard.sh');

const print = (answer: unknown): string => `echo '${JSON.stringify(answer)}'`;

interface Row {
  readonly dialect: string;
  readonly event: string;
  readonly host: { readonly decision: string; readonly reason?: string };
  readonly here: { readonly decision: string };
  readonly ignored?: { readonly what: string };
  readonly notes: readonly string[];
  readonly changes: readonly { readonly wish: string; readonly fix?: string }[];
}

async function matrix(named: string, ...args: readonly string[]) {
  const { stdout, stderr, exitCode } = await commandInProcess(['matrix', named, '--json', ...args]);
  const report = stdout === '' ? undefined : (JSON.parse(stdout) as Record<string, unknown>);
  const rows = (report?.['rows'] ?? []) as readonly Row[];
  const row = (place: string): Row =>
    rows.find(({ dialect, event }) => place === `${dialect} ${event}`)!;
  return { report, rows, row, stderr, exitCode };
}

const hasTerminal = existsSync('/usr/bin/script');

describe('matrix', () => {
  test.skipIf(!hasTerminal)(
    'matrix shows on a terminal how far it is, and removes that before the table',
    async () => {
      const line = `${process.execPath} ${JSON.stringify(main)} matrix ./guard.sh --dialects codex,kodelet`;
      const { stdout } = await execa('script', ['-qec', line, '/dev/null'], {
        cwd: dirname(script('exit 0')),
        env: { HOME: project({}), HOOKMACHINE_TRUST: '1' },
      });
      expect(stdout).toMatch(/░ +0 % {2}\S*guard\.sh as a hook of codex PreToolUse/);
      expect(stdout.slice(stdout.lastIndexOf('as a hook of codex'))).toContain('\r\u001B[K');
      expect(stdout).toContain('It means the same in all of them.');
    },
  );

  test('matrix runs a script as a hook of every dialect that is on, and says where its denial counts', async () => {
    const { rows, row, report, exitCode } = await matrix(script('echo "not here" >&2; exit 2'));
    expect(new Set(rows.map(({ dialect }) => dialect))).toEqual(
      new Set(presentDialects.map(({ name }) => name)),
    );
    expect(row('codex PreToolUse').host).toEqual({ decision: 'deny', reason: 'not here' });
    expect(row('kodelet before_tool_call').host.decision).toBe('none');
    expect(row('kodelet before_tool_call').changes).toEqual([
      { wish: 'deny', fix: expect.stringContaining('"blocked": true') },
    ]);
    expect(report).toMatchObject({
      same: false,
      ways: [
        {
          wish: 'deny',
          except: ['kodelet before_tool_call', 'cline PreToolUse', 'antigravity PreToolUse'],
        },
      ],
    });
    expect(exitCode).toBe(2);
  });

  test('matrix shows a denial as lost if the host would lose it, although it counts here', async () => {
    const { row } = await matrix(script('echo checking', print(denial)));
    for (const place of ['claude-code PreToolUse', 'gemini-cli BeforeTool', 'codex PreToolUse']) {
      expect(row(place)).toMatchObject({
        host: { decision: 'none' },
        here: { decision: 'deny' },
        ignored: { what: 'denial' },
      });
      expect(row(place).notes).toEqual([
        expect.stringMatching(/would ignore this denial: .*other text around/),
      ]);
    }
  });

  test('matrix shows a flawed denial as obeyed if its exit status denies all the same', async () => {
    const { row } = await matrix(script('echo checking', print(denial), 'echo no >&2; exit 2'));
    for (const place of ['claude-code PreToolUse', 'codex PreToolUse', 'copilot PreToolUse']) {
      expect(row(place)).toMatchObject({ host: { decision: 'deny' }, here: { decision: 'deny' } });
      expect(row(place).notes.join()).not.toContain('would ignore');
    }
  });

  test('matrix shows a question as lost if a host asks nobody, and a stop if it comes too late', async () => {
    const { hookSpecificOutput } = denial;
    const asked = await matrix(
      script(print({ hookSpecificOutput: { ...hookSpecificOutput, permissionDecision: 'ask' } })),
    );
    expect(asked.row('claude-code PreToolUse').host.decision).toBe('ask');
    expect(asked.row('codex PreToolUse')).toMatchObject({
      host: { decision: 'none' },
      here: { decision: 'ask' },
      ignored: { what: 'question' },
      changes: [{ wish: 'ask' }],
    });
    const stopped = await matrix(script(print({ continue: false })));
    expect(stopped.row('claude-code PreToolUse')).toMatchObject({
      host: { decision: 'none' },
      here: { stop: true },
      ignored: { what: 'stop' },
    });
  });

  test('matrix gives the script the event in the terms of each host', async () => {
    const seen = script(`cat > "$(dirname "$0")/$(date +%s%N).json"; exit 0`);
    const { rows, exitCode } = await matrix(seen, '--dialects', 'claude-code,copilot');
    expect(rows.map(({ event }) => event)).toEqual(['PreToolUse', 'preToolUse', 'PreToolUse']);
    expect(exitCode).toBe(0);
    const folder = dirname(seen);
    const received = readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
    expect(received).toContain('"tool_name":"Bash"');
    expect(received).toContain('"toolName":"bash"');
  });

  test('matrix calls a file what the user called it', async () => {
    const file = relative(process.cwd(), script('exit 0'));
    const { report } = await matrix(file, '--dialects', 'codex');
    expect(report).toMatchObject({ script: file });
  });

  test('matrix gives a command line the arguments that Kodelet gives its executables, and adds them to no command in it', async () => {
    const denies = `[ "$1" = run ] && ${print({ blocked: true, reason: 'a line' })}`;
    for (const line of [denies, `${denies}; exit 0`]) {
      const { row } = await matrix(line, '--dialects', 'kodelet');
      expect(row('kodelet before_tool_call').host).toEqual({ decision: 'deny', reason: 'a line' });
    }
  });

  test('matrix leaves out events that are about other calls', async () => {
    const { rows } = await matrix('true', '--dialects', 'cursor');
    expect(rows.map(({ event }) => event)).toEqual(['preToolUse', 'beforeShellExecution']);
  });

  test('matrix takes the event and its fields from its options', async () => {
    const cwd = project({ 'event.json': { prompt: 'be quick' } });
    const { report, row } = await matrix(
      script('cat | grep -q quick && { echo no >&2; exit 2; }'),
      '--event',
      'prompt.submit',
      '--input',
      join(cwd, 'event.json'),
    );
    expect(report).toMatchObject({ event: 'BeforeAgent', input: { prompt: 'be quick' } });
    expect(row('claude-code UserPromptSubmit').host.decision).toBe('deny');
  });

  test('matrix runs a configured hook by its name, once the user trusts it', async () => {
    const cwd = projectWithHooks({
      BeforeTool: [group('echo no >&2; exit 2', { name: 'guard' })],
    });
    const untrusted = await commandInProcess(['matrix', 'guard', '--cwd', cwd], {
      env: { HOOKMACHINE_TRUST: '' },
    });
    expect([untrusted.exitCode, untrusted.stderr]).toEqual([
      1,
      expect.stringContaining('"guard" may not run'),
    ]);
    const { row } = await matrix('guard', '--cwd', cwd);
    expect(row('claude-code PreToolUse').host.decision).toBe('deny');
  });

  test('matrix knows an event by the name of any host, unless its fields are given', async () => {
    const { report } = await matrix('true', '--event', 'PreToolUse');
    expect(report).toMatchObject({ event: 'BeforeTool' });
    const file = join(project({ 'fields.json': '{}' }), 'fields.json');
    const { stderr } = await matrix('true', '--event', 'PreToolUse', '--input', file);
    expect(stderr).toContain(
      'there is no event "PreToolUse": use BeforeTool or tool.before, or --dialect claude-code',
    );
  });

  test('matrix runs only the hook that is named', async () => {
    const cwd = projectWithHooks({ BeforeTool: [group('echo other >&2; exit 2')] });
    const { rows } = await matrix('true', '--cwd', cwd);
    expect(rows.filter(({ host }) => host.decision !== 'none')).toEqual([]);
  });

  test.each([
    ['nothing-of-that-name', [], 'no program "nothing-of-that-name"'],
    ['true', ['--event', 'Nonsense'], 'there is no event "Nonsense"'],
    ['true', ['--input', '/nowhere.json'], '--input /nowhere.json cannot be read'],
  ] as const)(
    'matrix says in one line what it cannot do with %s %j',
    async (named, args, message) => {
      const { exitCode, stderr } = await commandInProcess(['matrix', named, ...args]);
      expect(exitCode).toBe(1);
      expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(message)]);
    },
  );

  test('matrix prints a table, and how to say it so that most hosts obey', async () => {
    const { stdout } = await runCommand(['matrix', script('echo no >&2; exit 2')]);
    expect(stdout).toMatch(/^claude-code PreToolUse +denies: "no" +denies: "no"$/m);
    expect(stdout).toContain('It does not mean the same in all of them.');
    expect(stdout).toContain('print the reason on stderr and exit with 2');
  });
});
