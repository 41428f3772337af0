import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RegexBudget } from '../../src/base/bounded-regex.ts';
import { knownDialects } from '../../src/hosts/all/known.ts';
import { createConfig } from '../../src/hosts/system/create-config.ts';
import { HookRegistry } from '../../src/hosts/system/hook-registry.ts';
import { hookmachine } from '../support/hookmachine.ts';
import { inProcess } from '../support/in-process.ts';
import { sandbox } from '../support/sandbox.ts';

/** The file of each dialect in a project. */
const files = {
  hookmachine: '.hookmachine/settings.json',
  llxprt: '.llxprt/settings.json',
  'claude-code': '.claude/settings.json',
  'gemini-cli': '.gemini/settings.json',
  'qwen-code': '.qwen/settings.json',
  codex: '.codex/hooks.json',
  cursor: '.cursor/hooks.json',
  copilot: '.github/hooks/hookmachine.json',
} as const;

type Name = keyof typeof files;

const tools = [
  'run_shell_command',
  'write_file',
  'replace',
  'read_file',
  'glob',
  'mcp__github__create_issue',
  'mcp__fs__write_file',
  'a_tool',
];

/** A project with this content in one dialect's file, to be migrated to another's. */
function project(from: Name, to: Name, content: unknown) {
  const box = sandbox();
  const source = box.write(join(box.project, files[from]), content);
  const target = join(box.project, files[to]);
  const found = async (name: Name) => {
    const dialect = knownDialects.find((one) => one.name === name)!;
    const config = createConfig({
      cwd: box.project,
      dialects: [dialect],
      isTrustedFolder: () => true,
      onWarning: () => undefined,
    });
    const registry = await HookRegistry.load(config);
    // No machine is so busy that this is too short.
    const patient = new RegexBudget(120_000, 60_000);
    expect(registry.problems).toEqual([]);
    return registry.getAllHooks().map((hook) => {
      const fits = dialect.compileMatcher(hook, (error) => {
        throw error;
      });
      const { event, timeout, command, args } = hook;
      return { event, timeout, command, args, tools: tools.filter((tool) => fits(tool, patient)) };
    });
  };
  return {
    ...box,
    source,
    target,
    run: (...args: readonly string[]) =>
      inProcess(box, ['migrate', '--from', from, '--to', to, ...args]),
    /** The hooks that are found on both sides. */
    both: async () => [await found(from), await found(to)] as const,
    text: () => readFileSync(target, 'utf8'),
  };
}

const command = (line: string, more: object = {}): object => ({
  type: 'command',
  command: line,
  ...more,
});

const grouped = (event: string, hook: object, matcher?: string): object => ({
  hooks: { [event]: [{ ...(matcher !== undefined && { matcher }), hooks: [hook] }] },
});

const pairs: readonly (readonly [string, Name, Name, object])[] = [
  [
    'names of tools',
    'claude-code',
    'hookmachine',
    grouped('PreToolUse', command('./guard.sh', { timeout: 5 }), 'Write|Edit'),
  ],
  [
    'a program with arguments and a rule',
    'claude-code',
    'hookmachine',
    grouped('PreToolUse', command('./guard', { args: ['a b'], if: 'Bash(git push *)' }), 'Bash'),
  ],
  [
    'a shell command and its timeout',
    'claude-code',
    'codex',
    grouped('PreToolUse', command('./guard.sh', { timeout: 7 }), 'Bash'),
  ],
  [
    'a regular expression for the tools of a server',
    'claude-code',
    'codex',
    grouped('PreToolUse', command('./guard.sh'), 'mcp__github__.*'),
  ],
  [
    'a hook for everything',
    'claude-code',
    'codex',
    grouped('UserPromptSubmit', command('./prompt.sh')),
  ],
  [
    'an unanchored name',
    'gemini-cli',
    'claude-code',
    grouped('BeforeTool', command('./guard.sh', { timeout: 1_500 }), 'write_file|replace'),
  ],
  [
    'an anchored name',
    'gemini-cli',
    'claude-code',
    grouped('BeforeTool', command('./guard.sh'), '^run_shell_command$'),
  ],
  [
    'an entry without a group',
    'cursor',
    'hookmachine',
    { version: 1, hooks: { preToolUse: [{ command: './guard.sh', matcher: 'Shell|Read' }] } },
  ],
  [
    'an event for shell commands only',
    'cursor',
    'hookmachine',
    { version: 1, hooks: { beforeShellExecution: [{ command: './guard.sh', timeout: 3 }] } },
  ],
  [
    'our own tool names',
    'hookmachine',
    'copilot',
    grouped('BeforeTool', command('./guard.sh', { timeout: 2_000 }), '^(write_file|replace)$'),
  ],
  [
    'a name anywhere',
    'hookmachine',
    'copilot',
    grouped('BeforeTool', command('./guard.sh'), 'write_file'),
  ],
  [
    'a name',
    'hookmachine',
    'qwen-code',
    grouped('BeforeTool', command('./guard.sh', { timeout: 900_000 }), '^replace$'),
  ],
  [
    'a long timeout',
    'hookmachine',
    'qwen-code',
    grouped('BeforeTool', command('./guard.sh', { timeout: 1_800_000 })),
  ],
  [
    'a name',
    'hookmachine',
    'gemini-cli',
    grouped('BeforeTool', command('./guard.sh'), '^search_file_content$'),
  ],
  [
    'a shell command',
    'hookmachine',
    'cursor',
    grouped('BeforeTool', command('./guard.sh', { onFailure: 'block' }), '^run_shell_command$'),
  ],
  [
    'a sequence',
    'hookmachine',
    'llxprt',
    {
      hooks: { BeforeTool: [{ sequential: true, hooks: [command('./guard.sh', { name: 'g' })] }] },
    },
  ],
];

test.each(pairs)('migrate carries %s of %s over to %s unchanged', async (_, from, to, content) => {
  const { run, both } = project(from, to, content);
  const { exitCode, stdout } = await run();
  expect(stdout).not.toContain('Not carried over');
  expect(exitCode).toBe(0);
  const [before, after] = await both();
  expect(before).toHaveLength(1);
  expect(after).toEqual(before);
});

const lossless = grouped('PreToolUse', command('./guard.sh'), 'Write|Edit');

describe('the file that migrate writes', () => {
  test('migrate only shows the change with --dry-run', async () => {
    const { run, target } = project('claude-code', 'hookmachine', lossless);
    const { exitCode, stdout } = await run('--dry-run');
    expect(stdout).toContain('+            "command": "./guard.sh"');
    expect(stdout).toContain('Nothing was written (--dry-run).');
    expect(stdout.trimEnd()).toMatch(/hookmachine matrix SCRIPT' shows\.$/);
    expect(exitCode).toBe(0);
    expect(existsSync(target)).toBe(false);
  });

  test('migrate keeps the comments and everything else in the file', async () => {
    const { run, target, write, text } = project('claude-code', 'hookmachine', lossless);
    const mine =
      '{\n  // mine\n  "hooks": {\n    "BeforeTool": [\n      { "hooks": [{ "type": "command", "command": "mine" }] } // last\n    ]\n  }\n}\n';
    write(target, mine);
    await run();
    for (const line of mine.split('\n').slice(0, 4)) expect(text()).toContain(line);
    expect(text()).toContain('// last');
    expect(text()).toContain('./guard.sh');
  });

  test('migrate leaves the file as it is the second time', async () => {
    const { run, text } = project('claude-code', 'codex', grouped('Stop', command('./end.sh')));
    await run();
    const once = text();
    const { stdout, exitCode } = await run();
    expect(text()).toBe(once);
    expect(stdout).toContain('1 hook already there');
    expect(exitCode).toBe(0);
  });

  test('migrate does not touch a broken file', async () => {
    const { run, target, write, text } = project('claude-code', 'hookmachine', lossless);
    write(target, '{ "hooks": ');
    const { exitCode, stderr } = await run();
    expect(exitCode).toBe(1);
    expect(stderr).toContain(target);
    expect(text()).toBe('{ "hooks": ');
  });

  test("migrate --scope user writes the user's file", async () => {
    const { run, write, home, target } = project('claude-code', 'hookmachine', {});
    write(join(home, '.claude/settings.json'), lossless);
    const { exitCode } = await run('--scope', 'user');
    expect(exitCode).toBe(0);
    expect(existsSync(target)).toBe(false);
    expect(readFileSync(join(home, '.hookmachine/settings.json'), 'utf8')).toContain('./guard.sh');
  });
});

describe('what migrate cannot carry over is named with its file and place', () => {
  const losses: readonly (readonly [string, Name, Name, object, string])[] = [
    [
      'an event that the target lacks',
      'gemini-cli',
      'claude-code',
      grouped('BeforeModel', command('a')),
      'hooks.BeforeModel[0].hooks[0]: claude-code has no event for BeforeModel: not carried over',
    ],
    [
      'a rule',
      'claude-code',
      'codex',
      grouped('PreToolUse', command('a', { if: 'Bash(git *)' }), 'Bash'),
      'its rule "Bash(git *)" has no equivalent',
    ],
    [
      'an environment',
      'gemini-cli',
      'claude-code',
      grouped('BeforeTool', command('a', { env: { A: 'b' } })),
      'its environment {"A":"b"} has no equivalent',
    ],
    [
      'a type of hook',
      'claude-code',
      'codex',
      grouped('PreToolUse', { type: 'prompt', prompt: 'ok?' }),
      'there are no hooks of type "prompt": not carried over',
    ],
    [
      'a failure that denies',
      'hookmachine',
      'codex',
      grouped('BeforeTool', command('a', { onFailure: 'block' })),
      'its denial on failure has no equivalent',
    ],
    [
      'a failure that denies, of another host',
      'cursor',
      'codex',
      { version: 1, hooks: { preToolUse: [{ command: 'a', failClosed: true }] } },
      'its denial on failure has no equivalent',
    ],
    [
      'a failure that denies, at an event where none does in the target',
      'hookmachine',
      'cursor',
      grouped('AfterTool', command('a', { onFailure: 'block' })),
      'its denial on failure has no equivalent',
    ],
    [
      'a failure that lets the call go on',
      'hookmachine',
      'codex',
      grouped('BeforeTool', command('a', { onFailure: 'allow' })),
      'letting the call continue on failure has no equivalent',
    ],
    [
      'a matcher that is too large to try',
      'hookmachine',
      'codex',
      grouped('BeforeTool', command('a'), 'a?'.repeat(100)),
      'takes too long to try, so it may match more there',
    ],
    [
      'a module',
      'hookmachine',
      'claude-code',
      grouped('BeforeTool', { type: 'module', module: './a.ts' }),
      'there are no hooks of type "module": not carried over',
    ],
    [
      'a live process',
      'hookmachine',
      'codex',
      grouped('BeforeTool', { type: 'live', command: 'a' }),
      'there are no hooks of type "live": not carried over',
    ],
    [
      'an HTTP request',
      'claude-code',
      'gemini-cli',
      grouped('PreToolUse', { type: 'http', url: 'https://example.com/a' }),
      'there are no hooks of type "http": not carried over',
    ],
    [
      'a matcher on the text of a command',
      'cursor',
      'hookmachine',
      { version: 1, hooks: { beforeShellExecution: [{ command: 'a', matcher: 'curl' }] } },
      'its matcher "curl" has no equivalent',
    ],
    [
      'one of two tools that the target knows as one',
      'claude-code',
      'codex',
      grouped('PreToolUse', command('a'), 'Write'),
      'its matcher "Write" matches more there: replace',
    ],
    [
      'tools that failed',
      'gemini-cli',
      'claude-code',
      grouped('AfterTool', command('a')),
      'it runs there not after tools that failed',
    ],
    [
      'a timeout that the target shortens',
      'claude-code',
      'codex',
      grouped('SessionEnd', command('a', { timeout: 9 })),
      'its timeout of 9000 ms becomes 3 s',
    ],
    [
      'a variable that is not set there',
      'claude-code',
      'codex',
      grouped('PreToolUse', command('"$CLAUDE_PROJECT_DIR"/a')),
      '$CLAUDE_PROJECT_DIR, which its command uses, is not set there',
    ],
    [
      'an entry that is wrong',
      'claude-code',
      'codex',
      grouped('PreToolUse', command('')),
      'so the hook was discarded',
    ],
    [
      'a hook that is switched off',
      'llxprt',
      'hookmachine',
      grouped('BeforeTool', command('a')),
      'it is switched off, and was not written',
    ],
  ];

  test.each(losses)(
    'migrate names what it cannot carry over: %s (%s, %s)',
    async (_, from, to, content, line) => {
      const { run, source } = project(from, to, content);
      const { exitCode, stdout } = await run('--dry-run');
      expect(stdout).toContain(line);
      expect(stdout).toMatch(new RegExp(`^Not carried over unchanged: ${source}`, 'm'));
      expect(exitCode).toBe(2);
    },
  );
});

test.each([
  ['claude-code', 'hookmachine', 'PreToolUse', 'onFailure', 'continue', 'allow'],
  ['hookmachine', 'claude-code', 'BeforeTool', 'onFailure', 'allow', 'continue'],
] as const)(
  'migrate keeps the setting that a failed hook lets the call go on, from %s to %s',
  async (from, to, event, key, word, theirs) => {
    const { run, text } = project(from, to, grouped(event, command('a', { [key]: word })));
    const { exitCode } = await run();
    expect(exitCode).toBe(0);
    expect(text()).toContain(`"onFailure": "${theirs}"`);
  },
);

test('migrate says once that another shell runs the commands, and does not count that as a loss', async () => {
  const hooks = [command('a'), command('b')];
  const { run } = project('claude-code', 'codex', { hooks: { PreToolUse: [{ hooks }] } });
  const { stdout, exitCode } = await run('--dry-run');
  expect(
    stdout.match(/claude-code runs these commands with sh, and codex with bash/g),
  ).toHaveLength(1);
  expect(exitCode).toBe(0);
});

test('migrate names hooks that ran side by side and would run one after another', async () => {
  const hooks = [command('a'), command('b')];
  const { run } = project('claude-code', 'copilot', { hooks: { PreToolUse: [{ hooks }] } });
  const { stdout, exitCode } = await run('--dry-run');
  expect(stdout).toMatch(
    /hooks\.\w+: its 2 hooks run one after another there, and not in parallel$/m,
  );
  expect(exitCode).toBe(2);
});

test("migrate names a hook from a personal file that would become everybody's", async () => {
  const { run, write, project: folder } = project('claude-code', 'codex', {});
  const own = write(
    join(folder, '.claude/settings.local.json'),
    grouped('PreToolUse', command('a')),
  );
  const { stdout, exitCode } = await run('--dry-run');
  expect(stdout).toContain(
    `Not carried over unchanged: ${own} hooks.PreToolUse[0].hooks[0]: only you have that file`,
  );
  expect(exitCode).toBe(2);
});

test("migrate carries over a session's matcher and an HTTP hook", async () => {
  const { run, text } = project('claude-code', 'qwen-code', {
    hooks: {
      SessionStart: [{ matcher: 'startup|resume', hooks: [command('a')] }],
      PreToolUse: [{ hooks: [{ type: 'http', url: 'https://example.com/a' }] }],
    },
  });
  await run();
  const { hooks } = JSON.parse(text()) as { hooks: Record<string, unknown> };
  expect(hooks['SessionStart']).toMatchObject([
    { matcher: expect.stringMatching(/startup\|resume/), hooks: [{ command: 'a' }] },
  ]);
  expect(hooks['PreToolUse']).toMatchObject([
    { hooks: [{ type: 'http', url: 'https://example.com/a' }] },
  ]);
});

test('migrate refuses to write a dialect without a settings file', async () => {
  const box = sandbox();
  const args = ['migrate', '--from', 'claude-code', '--to', 'kodelet'];
  const { exitCode, stderr } = await hookmachine(box, args);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('kodelet cannot be written');
});

const guard = { type: 'command', command: '"$CLAUDE_PROJECT_DIR"/guard.sh' };

const migrated = async (hooks: object) => {
  const box = sandbox();
  chmodSync(box.write('project/guard.sh', '#!/bin/sh\necho x >> ran\n'), 0o755);
  box.write('project/.claude/settings.json', { hooks });
  const args = ['migrate', '--from', 'claude-code', '--to', 'hookmachine'];
  const { stdout } = await inProcess(box, args);
  const input = '{"tool_name":"write_file","tool_input":{"file_path":"a","content":""}}';
  const fired = await inProcess(box, ['fire', 'BeforeTool'], input);
  const { hookCount } = JSON.parse(fired.stdout) as { hookCount: number };
  const again = await inProcess(box, args);
  const check = await inProcess(box, ['check']);
  return { box, stdout, hookCount, again: again.stdout, check: check.stdout };
};

describe('after a migration into a file of ours', () => {
  test('each hook runs once, in hookmachine, and check finds nothing wrong', async () => {
    const { stdout, hookCount, again, check } = await migrated({ PreToolUse: [{ matcher: 'Write', hooks: [guard] }] }); // prettier-ignore
    expect(hookCount).toBe(1);
    expect(stdout).toContain('Their originals are switched off for hookmachine, so that each runs once'); // prettier-ignore
    expect(stdout).toContain('claude-code itself still runs the originals: remove them from its file once it calls the relay'); // prettier-ignore
    expect(again).not.toContain('+++');
    expect(check).toBe('Nothing is wrong with 2 hooks.');
  });

  test('an original stays on if its name would take another hook with it', async () => {
    const hooks = { PreToolUse: [{ matcher: 'Write', hooks: [guard] }], WorktreeCreate: [{ hooks: [guard] }] }; // prettier-ignore
    const { stdout, hookCount, check } = await migrated(hooks);
    expect(hookCount).toBe(2);
    expect(stdout).toContain('it stays on');
    expect(check).toMatch(/runs the same command as .* \(\S+\), so it runs twice; remove one of the two, or write "\S+:.*" in hooksConfig\.disabled/); // prettier-ignore
  });
});
