import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { settingsOf } from '../../support/claude-code.ts';
import { codexBox } from '../../support/codex.ts';

const toml = (command: string, event = 'PreToolUse', more = ''): string =>
  `[[hooks.${event}]]\n[[hooks.${event}.hooks]]\ntype = "command"\ncommand = "${command}"\n${more}`;

const handler = (command: string, more: object = {}) => ({ type: 'command', command, ...more });

describe('where hooks are found', () => {
  test('hooks are found in the files of the administrator, the user and every folder of the repository, the user’s before the project’s', async () => {
    const { write, system, home, project, global, local, start } = codexBox();
    write(join(system, 'requirements.toml'), toml('required'));
    write(join(system, 'hooks.json'), settingsOf('Stop', 'managed'));
    global(settingsOf('PreToolUse', 'user json', 'Bash'));
    write(join(home, '.codex/config.toml'), `model = "m"\n${toml('user toml')}`);
    local(settingsOf('PreToolUse', 'outer'));
    mkdirSync(join(project, '.git'));
    const cwd = join(project, 'a/b');
    write(join(project, 'a/.codex/config.toml'), toml('middle', 'UserPromptSubmit'));
    write(join(cwd, '.codex/hooks.json'), settingsOf('PreToolUse', 'inner'));
    const { found, warnings } = await start({ cwd });
    expect(found()).toEqual([
      'system PreToolUse -: required',
      'system Stop -: managed',
      'user PreToolUse Bash: user json',
      'user PreToolUse -: user toml',
      'project PreToolUse -: outer',
      'project UserPromptSubmit -: middle',
      'project PreToolUse -: inner',
    ]);
    expect(warnings).toEqual([
      expect.stringMatching(/config\.toml hooks: hooks\.json next to it holds hooks too/),
    ]);
  });

  test('outside a repository only the working folder counts, and its hooks run in the session’s folder', async () => {
    const { project, local, write, start, left } = codexBox();
    local(settingsOf('PreToolUse', 'pwd > outer'));
    const cwd = join(project, 'a');
    write(join(cwd, '.codex/hooks.json'), settingsOf('PreToolUse', 'pwd > here'));
    const { fire } = await start({ cwd });
    await fire('BeforeTool', { tool_name: 'read_file', tool_input: {} });
    expect([left('a/here'), left('a/outer')]).toEqual([`${cwd}\n`, '']);
  });

  test('CODEX_HOME names the user’s folder', async () => {
    const { write, folder, global, start } = codexBox();
    global(settingsOf('PreToolUse', 'at home'));
    write(join(folder, 'config/hooks.json'), settingsOf('PreToolUse', 'elsewhere'));
    vi.stubEnv('CODEX_HOME', join(folder, 'config'));
    expect((await start()).found()).toEqual(['user PreToolUse -: elsewhere']);
  });

  test('in the home folder, the project’s hooks are the user’s, and they are found once', async () => {
    const { global, home, start } = codexBox();
    global(settingsOf('PreToolUse', 'mine'));
    expect((await start({ cwd: home })).found()).toEqual(['user PreToolUse -: mine']);
  });

  test('the hooks of an untrusted project are ignored', async () => {
    const { local, global, start } = codexBox();
    local(settingsOf('PreToolUse', 'theirs'));
    global(settingsOf('PreToolUse', 'mine'));
    const { found } = await start({ isTrustedFolder: () => false });
    expect(found()).toEqual(['user PreToolUse -: mine']);
  });

  test('the same command listed twice runs twice', async () => {
    const { global, local, start, left } = codexBox();
    global(settingsOf('PreToolUse', 'echo x >> log'));
    local({
      hooks: { PreToolUse: [{ hooks: [handler('echo x >> log'), handler('echo x >> log')] }] },
    });
    const { fire } = await start();
    await fire('BeforeTool', { tool_name: 'read_file', tool_input: {} });
    expect(left('log')).toBe('x\nx\nx\n');
  });
});

describe('switches', () => {
  test.each(['hooks', 'codex_hooks'])(
    'the user’s [features] %s = false switches all hooks off',
    async (name) => {
      const { home, global, local, write, start } = codexBox();
      global(settingsOf('PreToolUse', 'mine'));
      local(settingsOf('PreToolUse', 'theirs'));
      write(join(home, '.codex/config.toml'), `[features]\n${name} = false\n`);
      const { found, warnings } = await start();
      expect(found()).toEqual([]);
      expect(warnings).toEqual([
        expect.stringContaining('these hooks are off because of "features.hooks"'),
      ]);
    },
  );

  test('a project’s switch affects only the project’s hooks', async () => {
    const { project, global, local, write, start } = codexBox();
    global(settingsOf('PreToolUse', 'mine'));
    local(settingsOf('PreToolUse', 'theirs'));
    write(join(project, '.codex/config.toml'), '[features]\nhooks = false\n');
    expect((await start()).found()).toEqual(['user PreToolUse -: mine']);
  });

  test('the administrator’s allow_managed_hooks_only leaves only the administrator’s hooks', async () => {
    const { system, global, write, start } = codexBox();
    global(settingsOf('PreToolUse', 'mine'));
    write(join(system, 'requirements.toml'), `allow_managed_hooks_only = true\n${toml('managed')}`);
    expect((await start()).found()).toEqual(['system PreToolUse -: managed']);
  });

  test('the user switches a hook off by the key that Codex gives it, whether or not Codex trusts the hook', async () => {
    const { home, global, write, start } = codexBox();
    const file = global({
      hooks: {
        PreToolUse: [{ hooks: [handler('one'), handler('two')] }, { hooks: [handler('three')] }],
      },
    });
    write(
      join(home, '.codex/config.toml'),
      `[hooks.state."${file}:pre_tool_use:0:1"]\nenabled = false\n` +
        `[hooks.state."${file}:pre_tool_use:1:0"]\ntrusted_hash = "sha256:0"\n`,
    );
    const { found, warnings } = await start();
    expect(found()).toEqual(['user PreToolUse -: one', 'user PreToolUse -: three']);
    expect(warnings).toEqual([]);
  });
});

describe('files that cannot be used', () => {
  const good = JSON.stringify(settingsOf('PreToolUse', 'good'));

  test.each([
    [
      'a comment',
      good.replace('{', '{ // no\n'),
      'not valid JSON (a comment is not allowed there)',
    ],
    ['a trailing comma', `${good.slice(0, -1)},}`, 'not valid JSON'],
    ['a byte order mark', `\uFEFF${good}`, 'not valid JSON (it has a byte order mark)'],
    ['empty content', '', ''],
    [
      'a missing "hooks" around the events',
      JSON.stringify({ PreToolUse: [{ hooks: [handler('x')] }] }),
      '"hooks"',
    ],
    [
      'a matcher that is not a string',
      JSON.stringify({
        hooks: { PreToolUse: [{ matcher: 5, hooks: [] }, { hooks: [handler('x')] }] },
      }),
      'is 5, so none of the hooks in this file runs',
    ],
  ])('%s discards all hooks of its file, and no others', async (_, text, message) => {
    const { local, global, start } = codexBox();
    local(text);
    global(good);
    const { found, warnings } = await start();
    expect(found()).toEqual(['user PreToolUse -: good']);
    expect(warnings.join('\n')).toContain(message);
  });

  test('a config.toml that is not valid TOML is reported with its position', async () => {
    const { write, project, start } = codexBox();
    write(join(project, '.codex/config.toml'), 'a = 1\n[[hooks.PreToolUse\n');
    const { found, warnings } = await start();
    expect(found()).toEqual([]);
    expect(warnings).toEqual([
      expect.stringMatching(
        /config\.toml:2:\d+: not valid TOML \(.+\), so the whole file is ignored; fix the TOML there/,
      ),
    ]);
  });

  test('an administrator’s file that cannot be parsed denies tools and prompts', async () => {
    const { write, system, start } = codexBox();
    write(join(system, 'requirements.toml'), 'not toml at all');
    const { fire } = await start();
    const { verdict } = await fire('BeforeTool', { tool_name: 'read_file', tool_input: {} });
    expect(verdict).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('so what it guards is unknown'),
    });
    expect((await fire('BeforeAgent', { prompt: 'Hi' })).verdict.decision).toBe('deny');
  });
});

describe('a bad entry affects only itself', () => {
  const groups = (...hooks: unknown[]) => ({
    hooks: { PreToolUse: [{ hooks: [...hooks, handler('good')] }] },
  });

  test.each([
    ['an unknown key at the top', { ...groups(), version: 1 }, 'version: is not a known key'],
    ['a handler without a type', groups({ command: 'x' }), 'hooks[0].type: is missing'],
    [
      'a handler of an unknown type',
      groups({ type: 'http', url: 'x' }),
      'hooks[0].type: is "http"',
    ],
    ['a prompt handler', groups({ type: 'prompt', prompt: 'x' }), 'hooks[0].type: is "prompt"'],
    ['an empty command', groups(handler(' ')), 'hooks[0].command: is " "'],
    [
      'an event in another spelling',
      { hooks: { ...groups().hooks, pre_tool_use: [] } },
      'hooks.pre_tool_use: Codex has no such event',
    ],
    [
      'a handler in place of a group',
      { hooks: { PreToolUse: [handler('x'), ...groups().hooks.PreToolUse] } },
      'put the hook into a group',
    ],
  ])('%s is reported, and the hook beside it still counts', async (_, hooks, message) => {
    const { local, start } = codexBox();
    local(hooks);
    const { found, warnings } = await start();
    expect(found()).toEqual(['project PreToolUse -: good']);
    expect(warnings.join('\n')).toContain(message);
  });

  test('unknown keys of groups and handlers, a description and a null matcher are accepted', async () => {
    const { local, start } = codexBox();
    local({
      description: 'ours',
      hooks: {
        PreToolUse: [
          {
            matcher: null,
            name: 'x',
            sequential: true,
            hooks: [handler('good', { env: {}, timeoutSec: 1, statusMessage: 'x' })],
          },
        ],
      },
    });
    const { found, warnings } = await start();
    expect([found(), warnings]).toEqual([['project PreToolUse -: good'], []]);
  });
});

describe('timeouts', () => {
  test.each([
    ['PreToolUse', undefined, 600_000],
    ['PreToolUse', 0, 1_000],
    ['PreToolUse', 7, 7_000],
    ['SessionEnd', undefined, 1_000],
    ['SessionEnd', 3, 3_000],
    ['Interrupt', undefined, 1_000],
  ])('a hook of %s with the timeout %s has %i ms', async (event, timeout, limit) => {
    const { local, start } = codexBox();
    local(settingsOf(event, handler('x', { timeout })));
    const { system, warnings } = await start();
    expect(system.getRegistry().getAllHooks()[0]?.timeout).toBe(limit);
    expect(warnings).toEqual([]);
  });

  test.each([
    ['PreToolUse', 1.5, 600_000],
    ['PreToolUse', '5', 600_000],
    ['PreToolUse', -1, 600_000],
    ['SessionEnd', 9, 3_000],
  ])(
    'a hook of %s with the timeout %s has %i ms, and the timeout is reported',
    async (event, timeout, limit) => {
      const { local, start } = codexBox();
      local(settingsOf(event, handler('x', { timeout })));
      const { system, warnings } = await start();
      expect(system.getRegistry().getAllHooks()[0]?.timeout).toBe(limit);
      expect(warnings).toEqual([expect.stringContaining('hooks[0].timeout')]);
    },
  );
});
