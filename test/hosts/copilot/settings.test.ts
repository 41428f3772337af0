import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scriptFiles } from '../../../src/settings/trust/script-files.ts';
import { copilotBox, denial, hooksOf, printing } from '../../support/copilot.ts';

const bash = { tool_name: 'run_shell_command', tool_input: { command: 'ls' } } as const;
const of = (name: string) => hooksOf('preToolUse', `echo ${name} >> log`);
const good = { bash: 'echo good >> log' };

describe('where hooks are found', () => {
  test('hooks are found in policies, the user’s and the project’s files and settings, and plugins, in that order', async () => {
    const box = copilotBox();
    const { write, home, project, policies, global, local, start, left } = box;
    write(join(policies, 'one.json'), of('policy'));
    global(of('user'), 'b.json');
    global(of('first'), 'a.json');
    global(of('inner'), 'more/c.json');
    global(of('none'), 'd.jsonc');
    write(join(home, '.copilot/settings.json'), of('users-settings'));
    local(of('project'));
    write(join(project, '.github/copilot/settings.json'), of('settings'));
    write(join(project, '.github/copilot/settings.local.json'), of('local'));
    write(join(project, '.claude/settings.json'), of('claude'));
    const plugins = join(home, '.copilot/installed-plugins/shop');
    const entry = (name: string, enabled: boolean) => ({
      name,
      enabled,
      cache_path: join(plugins, name),
    });
    write(
      join(home, '.copilot/config.json'),
      `// Managed.\n${JSON.stringify({ installedPlugins: [entry('on', true), entry('off', false)] })}`,
    );
    const inPlugin = 'echo "plugin $(pwd) $COPILOT_PLUGIN_ROOT" >> $COPILOT_PROJECT_DIR/log';
    for (const name of ['on', 'off'])
      write(join(plugins, name, 'hooks.json'), hooksOf('preToolUse', inPlugin));
    const { fire, warnings } = await start();
    await fire('BeforeTool', bash);
    expect(left('log').split('\n').slice(0, -1)).toEqual([
      'policy',
      'first',
      'user',
      'inner',
      'users-settings',
      'project',
      'settings',
      'local',
      `plugin ${join(plugins, 'on')} ${join(plugins, 'on')}`,
    ]);
    expect(warnings).toEqual([]);
  });

  test('a policy that others may write is ignored, and one that cannot be parsed denies', async () => {
    const open = copilotBox();
    chmodSync(open.write(join(open.policies, 'one.json'), hooksOf('preToolUse', 'exit 1')), 0o666);
    const opened = await open.start();
    expect((await opened.fire('BeforeTool', bash)).verdict.decision).toBeUndefined();
    const broken = copilotBox();
    broken.write(join(broken.policies, 'one.json'), '{');
    const { fire } = await broken.start();
    expect((await fire('BeforeTool', bash)).verdict.reason).toContain('what it guards is unknown');
    expect((await fire('BeforeAgent', { prompt: 'Hi' })).verdict.decision).toBe('deny');
  });
});

describe('a policy is never lost silently', () => {
  test('a policy folder that cannot be read denies, and is named (S-12)', async () => {
    const { policies, start } = copilotBox();
    mkdirSync(dirname(policies), { recursive: true });
    symlinkSync(policies, policies);
    const { fire, warnings } = await start();
    expect((await fire('BeforeTool', bash)).verdict.reason).toContain(
      `${policies} cannot be read (ELOOP), so what it guards is unknown`,
    );
    expect(warnings.join('\n')).toContain(`${policies}: cannot be read (ELOOP)`);
  });

  test('a dangling link to a policy denies', async () => {
    const { policies, start } = copilotBox();
    mkdirSync(policies, { recursive: true });
    symlinkSync(join(policies, 'gone'), join(policies, 'one.json'));
    const { verdict } = await (await start()).fire('BeforeTool', bash);
    expect(verdict.reason).toContain('is a broken link');
  });

  test('all policy files count, however many there are', async () => {
    const { policies, start, write } = copilotBox();
    for (let number = 1; number <= 205; number++)
      write(join(policies, `${number}.json`), hooksOf('preToolUse', `exit ${number}`));
    const { found } = await start();
    expect(found()).toHaveLength(205);
  });
});

test('hook files after the first 200 are ignored, which is reported', async () => {
  const { local, start } = copilotBox();
  for (let number = 1; number <= 205; number++)
    local(hooksOf('preToolUse', `true ${number}`), `${number}.json`);
  const { found, warnings } = await start();
  expect(found()).toHaveLength(200);
  expect(warnings).toEqual([
    expect.stringContaining(
      'holds more than 200 hook files, so those after the first 200 were ignored',
    ),
  ]);
});

describe('switches', () => {
  test('a file switches off its own hooks, and a project’s settings those of the project and of plugins', async () => {
    const { local, global, start, left, write, project } = copilotBox();
    global(of('user'));
    local({ ...of('off'), disableAllHooks: true }, 'a.json');
    local(of('on'), 'b.json');
    await (await start()).fire('BeforeTool', bash);
    expect(left('log')).toBe('user\non\n');
    write(join(project, '.github/copilot/settings.json'), { disableAllHooks: true });
    await (await start()).fire('BeforeTool', bash);
    expect(left('log')).toBe('user\non\nuser\n');
    write(join(project, '.github/copilot/settings.local.json'), { disableAllHooks: false });
    await (await start()).fire('BeforeTool', bash);
    expect(left('log')).toBe('user\non\nuser\nuser\non\n');
  });
});

describe('what is wrong in a file', () => {
  test.each([
    ['an unknown type', [{ type: 'nope', bash: 'exit 1' }, good], 'hooks.preToolUse[0].type'],
    ['nothing to run', [{ type: 'command' }, good], 'hooks.preToolUse[0].bash'],
    ['an empty command', [{ bash: '  ' }, good], 'hooks.preToolUse[0].bash'],
    ['two things to run', [{ exec: 'sh', bash: 'exit 1' }, good], 'hooks.preToolUse[0].exec'],
    ['an entry that is not an object', ['exit 1', good], 'hooks.preToolUse[0]'],
    [
      'a matcher of the wrong type',
      [{ bash: 'exit 1', matcher: 5 }, good],
      'hooks.preToolUse[0].matcher',
    ],
    ['a prompt', [{ type: 'prompt', prompt: 'x' }, good], 'hooks.preToolUse[0].type'],
    [
      'http without encryption',
      [{ type: 'http', url: 'http://example.com' }, good],
      'hooks.preToolUse[0].url',
    ],
  ])('%s costs only that hook', async (_, hooks, place) => {
    const { local, start, left } = copilotBox();
    const file = local({ version: 1, hooks: { preToolUse: hooks } });
    const { fire, warnings } = await start();
    expect((await fire('BeforeTool', bash)).verdict.decision).toBeUndefined();
    expect(left('log')).toBe('good\n');
    expect(warnings).toEqual([expect.stringMatching(/so the hook was discarded; .+/)]);
    expect(warnings[0]).toContain(file);
    expect(warnings[0]).toContain(`${place}: `);
  });

  test.each([
    ['a timeout of 0', { timeoutSec: 0 }],
    ['a timeout that is a string', { timeoutSec: '5' }],
    ['a variable that is a number', { env: { ONE: 1 } }],
    ['a folder that is a number', { cwd: 5 }],
  ])('%s is ignored, and the hook runs', async (_, fields) => {
    const { local, start, left } = copilotBox();
    local({ hooks: { preToolUse: [{ ...good, ...fields }] } });
    const { fire, warnings } = await start();
    await fire('BeforeTool', bash);
    expect(left('log')).toBe('good\n');
    expect(warnings).toEqual([expect.stringContaining('so it was ignored; make it')]);
  });

  test.each([
    ['no version', { hooks: { preToolUse: [good] } }, 0],
    ['another version', { version: 2, hooks: { preToolUse: [good] } }, 1],
    ['an unknown key', { version: 1, more: 1, hooks: { preToolUse: [{ ...good, more: 1 }] } }, 0],
    ['an unknown event', { hooks: { preTool: [good], preToolUse: [good] } }, 1],
    ['an event that is not an array', { hooks: { postToolUse: good, preToolUse: [good] } }, 1],
    ['a comment', `{ // one\n"hooks": { "preToolUse": [${JSON.stringify(good)},] } }`, 0],
    ['a byte order mark', `\uFEFF${JSON.stringify({ hooks: { preToolUse: [good] } })}`, 0],
  ])('a file with %s keeps its other hooks', async (_, config, reported) => {
    const { local, start, left } = copilotBox();
    local(config);
    const { fire, warnings } = await start();
    await fire('BeforeTool', bash);
    expect(left('log')).toBe('good\n');
    expect(warnings).toHaveLength(reported);
  });

  test('a file that is not JSON costs only its own hooks', async () => {
    const { local, start, left } = copilotBox();
    const file = local('{', 'a.json');
    local({ hooks: { preToolUse: [good] } }, 'b.json');
    const { fire, warnings } = await start();
    await fire('BeforeTool', bash);
    expect(left('log')).toBe('good\n');
    expect(warnings).toEqual([expect.stringContaining(file)]);
  });
});

describe('how a hook is run', () => {
  test.each([
    ['"command" as shell text', { command: 'echo one >> log' }, 'one\n'],
    [
      '"bash" rather than "command"',
      { command: 'echo one >> log', bash: 'echo two >> log' },
      'two\n',
    ],
    ['"bash" with bash', { bash: 'cat <(echo one) >> log' }, 'one\n'],
    ['a program', { exec: 'sh', args: ['-c', 'echo "$1" >> log', 'sh', '$HOME x'] }, '$HOME x\n'],
    [
      'a command in a group',
      { matcher: 'bash', hooks: [{ type: 'command', command: 'echo one >> log' }] },
      'one\n',
    ],
    [
      'nothing in a group for other tools',
      { matcher: 'edit', hooks: [{ bash: 'echo one >> log' }] },
      '',
    ],
  ])('a hook runs what it names: %s', async (_, hook, log) => {
    const { local, start, left } = copilotBox();
    local(hooksOf('preToolUse', hook));
    await (await start()).fire('BeforeTool', bash);
    expect(left('log')).toBe(log);
  });

  test('a hook runs in a folder of the project, where its scripts are found for trust too', async () => {
    const { local, start, write, project } = copilotBox();
    mkdirSync(join(project, 'tools'));
    write(join(project, 'tools/guard.sh'), `${printing(denial)}\n`);
    local(hooksOf('preToolUse', { bash: 'sh ./guard.sh', cwd: 'tools' }));
    const { fire, system } = await start();
    expect((await fire('BeforeTool', bash)).verdict.decision).toBe('deny');
    const [hook] = system.getRegistry().getAllHooks();
    const { scripts } = await scriptFiles(hook!, project);
    expect(scripts.map(({ path }) => path)).toEqual(['tools/guard.sh']);
  });

  test('"timeout" counts if there is no "timeoutSec"', async () => {
    const { local, start } = copilotBox();
    local(
      hooksOf(
        'preToolUse',
        { bash: 'sleep 60', timeout: 0.2 },
        { bash: ':', timeout: 1, timeoutSec: 9 },
        ':',
      ),
    );
    const { system, fire } = await start();
    const times = system
      .getRegistry()
      .getAllHooks()
      .map(({ timeout }) => timeout);
    expect(times).toEqual([200, 9_000, 30_000]);
    expect((await fire('BeforeTool', bash)).results[0]).toMatchObject({ status: 'timedOut' });
  });
});
