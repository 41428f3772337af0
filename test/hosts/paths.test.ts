import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { ruledCall } from '../../src/hosts/claude-code/calls.ts';
import { ruleAppliesTo } from '../../src/hosts/parts/permission-rules.ts';
import type { Dialect } from '../../src/core/dialects/dialect.ts';
import { knownDialects } from '../../src/hosts/all/known.ts';
import { definitionOf, readyToFind } from '../../src/workbench/matrix/run-as.ts';
import { call } from '../agent/tools/call.ts';
import { relayBox, says } from '../support/relay.ts';
import { sandbox } from '../support/sandbox.ts';

/** Paths as a model may write them, and what they mean to a tool in a project that is `HOME/project`. */
const paths: readonly (readonly [given: string, meant: string])[] = [
  ['a.txt', 'PROJECT/a.txt'],
  ['./a.txt', 'PROJECT/a.txt'],
  ['sub/../a.txt', 'PROJECT/a.txt'],
  ['../a.txt', 'HOME/a.txt'],
  ['PROJECT/a.txt', 'PROJECT/a.txt'],
  ['/etc//hosts', '/etc/hosts'],
  ['~', 'HOME'],
  ['~/', 'HOME'],
  ['~/.ssh/config', 'HOME/.ssh/config'],
  ['~//.ssh/./config', 'HOME/.ssh/config'],
  ['~/project/../.ssh/config', 'HOME/.ssh/config'],
  ['~/project/./a.txt', 'PROJECT/a.txt'],
  ['~user/a.txt', 'PROJECT/~user/a.txt'],
  ['sub/~/a.txt', 'PROJECT/sub/~/a.txt'],
  ['$HOME/a.txt', 'PROJECT/$HOME/a.txt'],
  ['file:///etc/hosts', 'PROJECT/file:/etc/hosts'],
  ['with a blank.txt', 'PROJECT/with a blank.txt'],
  ['na\u0308he.txt', 'PROJECT/na\u0308he.txt'],
  ['n\u00E4he.txt', 'PROJECT/n\u00E4he.txt'],
  ['sub\\a.txt', 'PROJECT/sub\\a.txt'],
  ['link/a.txt', 'PROJECT/link/a.txt'],
  ['', ''],
];

const asGiven = (given: string): string => given;
const whole = (_: string, meant: string): string => meant;
const orProject = (given: string, meant: string): string => (given === '' ? 'PROJECT' : meant);

/** By dialect and event, where the path of a tool's argument is on stdin, and in which form its host gives it. */
const places: readonly {
  readonly name: string;
  readonly event: string;
  readonly tool: string;
  readonly argument: string;
  readonly at: (stdin: never) => unknown;
  readonly form: typeof whole;
}[] = [
  ...(['write_file', 'replace', 'read_file'] as const).map((tool) => ({
    name: 'claude-code',
    event: 'PreToolUse',
    tool,
    argument: 'file_path',
    at: (stdin: { tool_input: { file_path: unknown } }) => stdin.tool_input.file_path,
    form: whole,
  })),
  ...(['glob', 'search_file_content'] as const).map((tool) => ({
    name: 'claude-code',
    event: 'PreToolUse',
    tool,
    argument: 'path',
    at: (stdin: { tool_input: { path: unknown } }) => stdin.tool_input.path,
    form: asGiven,
  })),
  {
    name: 'codex',
    event: 'PreToolUse',
    tool: 'write_file',
    argument: 'file_path',
    at: ({ tool_input: { command } }: { tool_input: { command: string } }) =>
      /File: (.*)$/m.exec(command)![1],
    form: asGiven,
  },
  {
    name: 'codex',
    event: 'PreToolUse',
    tool: 'run_shell_command',
    argument: 'directory',
    at: ({ cwd }: { cwd: string }) => cwd,
    form: orProject,
  },
  {
    name: 'cursor',
    event: 'preToolUse',
    tool: 'write_file',
    argument: 'file_path',
    at: (stdin: { tool_input: { file_path: unknown } }) => stdin.tool_input.file_path,
    form: asGiven,
  },
  {
    name: 'cursor',
    event: 'beforeReadFile',
    tool: 'read_file',
    argument: 'file_path',
    at: ({ file_path }: { file_path: string }) => file_path,
    form: orProject,
  },
  {
    name: 'cursor',
    event: 'beforeShellExecution',
    tool: 'run_shell_command',
    argument: 'directory',
    at: ({ cwd }: { cwd: string }) => cwd,
    form: orProject,
  },
  ...(
    [
      ['copilot', 'preToolUse', 'toolArgs', 'path'],
      ['copilot', 'PreToolUse', 'tool_input', 'path'],
      ['gemini-cli', 'BeforeTool', 'tool_input', 'file_path'],
      ['qwen-code', 'PreToolUse', 'tool_input', 'file_path'],
      ['kodelet', 'before_tool_call', 'tool_input', 'file_path'],
      ['llxprt', 'BeforeTool', 'tool_input', 'file_path'],
      ['hookmachine', 'BeforeTool', 'tool_input', 'file_path'],
    ] as const
  ).map(([name, event, field, argument]) => ({
    name,
    event,
    tool: 'write_file',
    argument: 'file_path',
    at: (stdin: Record<string, Record<string, unknown>>) => stdin[field]![argument],
    form: asGiven,
  })),
];

const put = (path: string, { project, home }: { project: string; home: string }): string =>
  path.replace('PROJECT', project).replace('HOME', home);

function stdinOf(
  { name, event, tool }: { name: string; event: string; tool: string },
  cwd: string,
  tool_input: object,
): never {
  const dialect: Dialect = knownDialects.find((one) => one.name === name)!;
  const at = dialect.events[event]!;
  const hook = definitionOf(dialect, event, at, { command: 'x', name: 'x', timeout: 1 });
  const payload = { session_id: 's', transcript_path: '', cwd, tool_name: tool, tool_input };
  return dialect.stdin(hook, payload, {}) as never;
}

// Some dialects load what they need when they look for hooks.
beforeAll(() => Promise.all(knownDialects.map((dialect) => readyToFind(dialect, '/'))));

describe('a path among the arguments of a tool', () => {
  test.each(places)('is given to $name at $event of $tool as its host gives it', (place) => {
    const box = sandbox();
    const home = box.folder;
    vi.stubEnv('HOME', home);
    for (const [given, meant] of paths) {
      const input = { [place.argument]: put(given, { ...box, home }), command: 'ls' };
      const stdin = stdinOf(place, box.project, input);
      expect([given, place.at(stdin)]).toEqual([
        given,
        put(place.form(put(given, { ...box, home }), meant), { ...box, home }),
      ]);
    }
  });

  test('is the file that our own tool writes, as a hook of Claude Code receives it', async () => {
    const box = sandbox();
    const home = box.folder;
    vi.stubEnv('HOME', home);
    symlinkSync(box.project, join(box.project, 'link'));
    const claude = { name: 'claude-code', event: 'PreToolUse', tool: 'write_file' };
    for (const [path] of paths) {
      const given = put(path, { ...box, home });
      if (given === '') continue;
      const input = { file_path: given, content: `of ${given}` };
      const { tool_input: judged } = stdinOf(claude, box.project, input) as {
        tool_input: { file_path: string };
      };
      const { error } = await call('write_file', input, box.project);
      const isInside = judged.file_path.startsWith(`${box.project}/`);
      const written = existsSync(judged.file_path) && isInside;
      expect([given, error === undefined, written]).toEqual([given, isInside, isInside]);
      if (written) expect(readFileSync(judged.file_path, 'utf8')).toBe(`of ${given}`);
    }
  });
});

test.each([
  ['Write(~/.ssh/**)', 'write_file', 'file_path', '~/.ssh/config', true],
  ['Write(~/.ssh/**)', 'write_file', 'file_path', 'HOME/.ssh/config', true],
  ['Write(~/.ssh/**)', 'write_file', 'file_path', '../.ssh/config', true],
  ['Read(~/.ssh/**)', 'read_file', 'file_path', '~/.ssh/id_rsa', true],
  ['Glob(~/.ssh/**)', 'glob', 'path', '~/.ssh', true],
  ['Grep(~/.ssh)', 'search_file_content', 'path', '~/.ssh', true],
  ['Write(~/.ssh/**)', 'write_file', 'file_path', '~other/.ssh/config', false],
  ['Write(~/.ssh/**)', 'write_file', 'file_path', '.ssh/config', false],
  ['Write(//etc/**)', 'write_file', 'file_path', '~/etc/x', false],
])('the rule %s and %s with %s %s: %s', (rule, tool_name, argument, path, applies) => {
  const box = sandbox();
  const home = box.folder;
  vi.stubEnv('HOME', home);
  const tool_input = { [argument]: put(path, { ...box, home }), pattern: '*' };
  const called = ruledCall({ tool_name, tool_input, cwd: box.project });
  expect(ruleAppliesTo(rule, called, undefined)).toBe(applies);
});

describe('a relay', () => {
  const base = { session_id: 's', transcript_path: '/t', cwd: '/' };
  const hosts: readonly (readonly [host: string, given: (path: string) => object])[] = [
    ...(
      [
        ['claude-code', 'PreToolUse', 'Write'],
        ['qwen-code', 'PreToolUse', 'write_file'],
        ['gemini-cli', 'BeforeTool', 'write_file'],
      ] as const
    ).map(([host, hook_event_name, tool_name]) => {
      const given = (file_path: string): object => ({
        ...base,
        hook_event_name,
        tool_name,
        tool_use_id: 't',
        tool_input: { file_path, content: 'x' },
      });
      return [host, given] as const;
    }),
    [
      'cursor',
      (file_path) => ({
        hook_event_name: 'preToolUse',
        tool_name: 'Write',
        tool_input: { file_path, content: 'x' },
      }),
    ],
    [
      'copilot',
      (path) => ({
        hook_event_name: 'PreToolUse',
        session_id: 's',
        tool_name: 'Write',
        tool_input: { path, file_text: 'x' },
      }),
    ],
  ];

  test.each(hosts)('of %s passes the path on as the host gave it', async (host, given) => {
    const box = relayBox();
    box.guard({ 'tool.before': 'jq -r .tool_input.file_path >> paths' });
    const some = ['~/.ssh/config', 'na\u0308he.txt', 'sub\\a.txt'];
    for (const path of some) await box.relay(host, given(path));
    expect(readFileSync(join(box.project, 'paths'), 'utf8')).toBe(`${some.join('\n')}\n`);
  });

  const rewritten: Readonly<Record<string, readonly string[]>> = {
    'claude-code': ['hookSpecificOutput', 'updatedInput', 'file_path'],
    'gemini-cli': ['hookSpecificOutput', 'tool_input', 'file_path'],
    cursor: ['updated_input', 'file_path'],
    copilot: ['modifiedArgs', 'path'],
  };

  test.each(hosts.filter(([host]) => host in rewritten))(
    'of %s gives back a rewritten path in the form of that host',
    async (host, given) => {
      const box = relayBox();
      box.guard({
        'tool.before': says({ hookSpecificOutput: { tool_input: { file_path: '~/new.txt' } } }),
      });
      const { answer } = await box.relay(host, given('old.txt'));
      const found = rewritten[host]!.reduce<unknown>(
        (inside, name) => (inside as Record<string, unknown>)[name],
        answer,
      );
      expect(found).toBe('~/new.txt');
    },
  );

  test('of Gemini CLI lets a guard of Claude Code see the home folder', async () => {
    const box = relayBox();
    box.write(join(box.project, '.claude/settings.json'), {
      hooks: {
        PreToolUse: [
          {
            matcher: 'Write',
            hooks: [
              {
                type: 'command',
                command: `jq -r .tool_input.file_path | grep -q '^${box.home}/.ssh/' && exit 2; exit 0`,
              },
            ],
          },
        ],
      },
    });
    const { exitCode, stdout } = await box.relay('gemini-cli', {
      ...base,
      hook_event_name: 'BeforeTool',
      tool_name: 'write_file',
      tool_input: { file_path: '~/.ssh/config', content: 'x' },
    });
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { decision: 'deny' }]);
  });
});
