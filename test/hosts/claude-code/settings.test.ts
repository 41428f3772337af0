import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { claudeBox, settingsOf } from '../../support/claude-code.ts';
import { scriptFiles } from '../../../src/settings/trust/script-files.ts';
import { formatProblem } from '../../../src/core/definitions/problem.ts';

const bash = { tool_name: 'run_shell_command', tool_input: { command: 'ls' } } as const;

const hook = (command: string, timeout?: number) => ({ type: 'command', command, timeout });

describe('where hooks are found', () => {
  test('hooks are found in the settings of the administrator, the user and the project, and in plugins', async () => {
    const box = claudeBox();
    const { write, managed, home, project, global, local, start } = box;
    write(join(managed, 'managed-settings.json'), settingsOf('PreToolUse', 'managed', 'Bash'));
    write(join(managed, 'managed-settings.d/10-more.json'), settingsOf('Stop', 'part'));
    global({
      ...settingsOf('PreToolUse', 'user', 'Write'),
      enabledPlugins: { 'on@shop': true, 'off@shop': false },
    });
    local(settingsOf('PostToolUse', 'project'));
    write(join(project, '.claude/settings.local.json'), settingsOf('PreToolUse', 'local'));
    const plugins = join(home, '.claude/plugins');
    const entry = (name: string) => [{ scope: 'user', installPath: join(plugins, 'cache', name) }];
    write(join(plugins, 'installed_plugins.json'), {
      version: 2,
      plugins: { 'on@shop': entry('on'), 'off@shop': entry('off'), 'unknown@shop': entry('x') },
    });
    for (const name of ['on', 'off', 'x'])
      write(join(plugins, 'cache', name, 'hooks/hooks.json'), settingsOf('PreToolUse', name));
    const { found, warnings } = await start();
    expect(found()).toEqual([
      'project PostToolUse -: project',
      'project PreToolUse -: local',
      'user PreToolUse Write: user',
      'system PreToolUse Bash: managed',
      'system Stop -: part',
      'extension PreToolUse -: on',
    ]);
    expect(warnings).toEqual([]);
  });

  test('a plugin finds its own folder, and a plugin that is installed for another project is ignored', async () => {
    const { write, home, global, project, start, left } = claudeBox();
    global({ enabledPlugins: { 'a@shop': true, 'b@shop': true } });
    const plugins = join(home, '.claude/plugins');
    const [mine, other] = [join(plugins, 'a folder'), join(plugins, 'b')];
    write(join(plugins, 'installed_plugins.json'), {
      version: 2,
      plugins: {
        'a@shop': [{ scope: 'project', projectPath: project, installPath: mine }],
        'b@shop': [{ scope: 'project', projectPath: '/elsewhere', installPath: other }],
      },
    });
    const show = 'printf %s "$CLAUDE_PLUGIN_ROOT" > root';
    write(join(mine, 'hooks/hooks.json'), settingsOf('PreToolUse', show));
    write(join(other, 'hooks/hooks.json'), settingsOf('PreToolUse', 'touch other'));
    const { fire } = await start();
    await fire('BeforeTool', bash);
    expect([left('root'), left('other')]).toEqual([mine, '']);
  });

  test('CLAUDE_CONFIG_DIR names the user’s folder', async () => {
    const { write, folder, global, start } = claudeBox();
    global(settingsOf('PreToolUse', 'at home'));
    write(join(folder, 'config/settings.json'), settingsOf('PreToolUse', 'elsewhere'));
    vi.stubEnv('CLAUDE_CONFIG_DIR', join(folder, 'config'));
    expect((await start()).found()).toEqual(['user PreToolUse -: elsewhere']);
  });

  test('in the home folder, the project’s settings are the user’s', async () => {
    const { global, home, start } = claudeBox();
    global(settingsOf('PreToolUse', 'mine'));
    expect((await start({ cwd: home })).found()).toEqual(['user PreToolUse -: mine']);
  });

  test('a command counts once across groups and files, whatever its timeout; an additional blank makes it another command', async () => {
    const { global, local, start, left } = claudeBox();
    global(settingsOf('PreToolUse', hook('echo x >> log', 5)));
    local({
      hooks: {
        PreToolUse: [
          { matcher: 'Bash', hooks: [hook('echo x >> log'), hook('echo x >> log', 9)] },
          { hooks: [hook('echo x >> log'), hook('echo x  >> log')] },
        ],
      },
    });
    const { fire } = await start();
    await fire('BeforeTool', bash);
    expect(left('log')).toBe('x\nx\n');
  });

  test('the hooks of an untrusted project are ignored', async () => {
    const { local, global, start } = claudeBox();
    local(settingsOf('PreToolUse', 'theirs'));
    global(settingsOf('PreToolUse', 'mine'));
    const { found } = await start({ isTrustedFolder: () => false });
    expect(found()).toEqual(['user PreToolUse -: mine']);
  });
});

describe('switches', () => {
  test('the project’s disableAllHooks switches off its own hooks and those of plugins, but not the user’s', async () => {
    const { global, local, start } = claudeBox();
    global(settingsOf('PreToolUse', 'mine'));
    local({ ...settingsOf('PreToolUse', 'theirs'), disableAllHooks: true });
    expect((await start()).found()).toEqual(['user PreToolUse -: mine']);
  });

  test('the local file has the last word for the project', async () => {
    const { local, write, project, start } = claudeBox();
    local({ ...settingsOf('PreToolUse', 'theirs'), disableAllHooks: true });
    write(join(project, '.claude/settings.local.json'), { disableAllHooks: false });
    expect((await start()).found()).toEqual(['project PreToolUse -: theirs']);
  });

  test.each([
    ['the user’s disableAllHooks', 'user'],
    ['the administrator’s allowManagedHooksOnly', 'system'],
  ])('%s switches the project’s hooks off, which is reported', async (_, level) => {
    const { global, local, write, managed, dialect, project } = claudeBox();
    local(settingsOf('PreToolUse', 'theirs'));
    if (level === 'user') global({ hooks: {}, disableAllHooks: true });
    else write(join(managed, 'managed-settings.json'), { allowManagedHooksOnly: true });
    const { definitions, problems } = await dialect.find({
      cwd: project,
      settings: () => [],
      trusts: () => true,
      run: () => Promise.reject(new Error('not needed')),
    });
    expect(definitions).toEqual([]);
    expect(problems.map(formatProblem)).toEqual([expect.stringContaining('these hooks are off')]);
  });
});

describe('a flaw affects only its own entry', () => {
  const good = { type: 'command', command: 'good' };
  const guard = { hooks: [good] };

  test.each([
    ['a comment', `// ours\n{ "hooks": { "PreToolUse": [${JSON.stringify(guard)}] } }`],
    ['a trailing comma', `{ "hooks": { "PreToolUse": [${JSON.stringify(guard)},] } }`],
    ['a byte order mark', `\uFEFF${JSON.stringify({ hooks: { PreToolUse: [guard] } })}`],
    [
      'a wrong type elsewhere',
      { model: 5, cleanupPeriodDays: 'x', hooks: { PreToolUse: [guard] } },
    ],
    ['an unknown key', { somethingNew: 1, hooks: { PreToolUse: [guard] } }],
  ])('all hooks of a settings file with %s still count', async (_, settings) => {
    const { local, start } = claudeBox();
    local(settings);
    expect((await start()).found()).toEqual(['project PreToolUse -: good']);
  });

  test.each([
    ['a handler of an unknown type', [{ hooks: [{ type: 'other', command: 'x' }, good] }], 1],
    ['a handler without a type', [{ hooks: [{ command: 'x' }, good] }], 1],
    ['a handler without a command', [{ hooks: [{ type: 'command' }, good] }], 1],
    ['an empty command', [{ hooks: [{ type: 'command', command: ' ' }, good] }], 1],
    ['a matcher of the wrong type', [{ matcher: 5, hooks: [{ ...good, command: 'x' }] }, guard], 1],
    [
      'a matcher that is not a regular expression',
      [{ matcher: '(', hooks: [{ ...good, command: 'x' }] }, guard],
      2,
    ],
    ['a group without hooks', [{ matcher: 'Bash' }, guard], 1],
    ['a handler in place of a group', [{ type: 'command', command: 'x' }, guard], 1],
  ])('%s is reported, and the entries beside it still count', async (_, groups, found) => {
    const { local, start } = claudeBox();
    local({
      hooks: { PreToolUse: groups, Stop: 'nothing', PreToolUsed: [], Notification: [guard] },
    });
    const { system } = await start();
    const registry = system.getRegistry();
    expect(registry.getHooksForEvent('BeforeTool')).toHaveLength(found);
    expect(registry.getHooksForEvent('BeforeTool').at(-1)?.command).toBe('good');
    expect(registry.getHooksForEvent('Notification')).toHaveLength(1);
    expect(registry.problems).toHaveLength(3);
  });

  test.each([
    ['timeout', null],
    ['timeout', 0],
    ['timeout', -1],
    ['timeout', '5'],
    ['shell', 'zsh'],
    ['onFailure', 'deny'],
    ['args', 'x'],
    ['async', 'yes'],
  ])('a hook whose "%s" is %j runs without that field, which is reported', async (name, value) => {
    const { local, start } = claudeBox();
    local(settingsOf('PreToolUse', { ...good, [name]: value }));
    const { system } = await start();
    const [found] = system.getRegistry().getAllHooks();
    expect(found).toMatchObject({ command: 'good', timeout: 600_000, shell: 'sh' });
    expect(found?.onFailure).toBe(name === 'onFailure' ? 'block' : undefined);
    expect(system.getRegistry().problems.map(({ place }) => place)).toEqual([
      `hooks.PreToolUse[0].hooks[0].${name}`,
    ]);
  });

  test('timeouts are in seconds, fractions are allowed, and each event has its default', async () => {
    const { local, start } = claudeBox();
    local({
      hooks: {
        PreToolUse: [{ hooks: [{ ...good, timeout: 0.5 }] }],
        UserPromptSubmit: [guard],
        MessageDisplay: [guard],
      },
    });
    const { system } = await start();
    expect(
      system
        .getRegistry()
        .getAllHooks()
        .map(({ timeout }) => timeout),
    ).toEqual([500, 30_000, 10_000]);
  });
});

describe('trust', () => {
  test.each([
    ['a shell command', { command: 'python3 "$CLAUDE_PROJECT_DIR"/guard.py' }],
    ['a program with arguments', { command: 'python3', args: ['${CLAUDE_PROJECT_DIR}/guard.py'] }],
  ])('trust covers the script of %s', async (_, entry) => {
    const { local, script, project, dialect } = claudeBox();
    script('guard.py', 'print()\n');
    local(settingsOf('PreToolUse', { type: 'command', ...entry }));
    const { definitions } = await dialect.find({
      cwd: project,
      settings: () => [],
      trusts: () => true,
      run: () => Promise.reject(new Error('not needed')),
    });
    const { scripts, unfollowed } = await scriptFiles(definitions[0]!, project);
    expect([scripts.map(({ path }) => path), unfollowed]).toEqual([['guard.py'], []]);
  });
});

test('an administrator’s file that cannot be parsed denies, and the reason says what to fix', async () => {
  const { write, managed, start } = claudeBox();
  const file = write(join(managed, 'managed-settings.json'), '{ "hooks": ');
  const { fire } = await start();
  const { verdict } = await fire('BeforeTool', bash);
  expect(verdict.decision).toBe('deny');
  expect(verdict.reason).toContain(`${file} not valid JSON`);
  expect((await fire('BeforeAgent', { prompt: 'Hi' })).verdict.decision).toBe('deny');
});
