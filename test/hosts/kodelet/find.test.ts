import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Dialect } from '../../../src/core/dialects/dialect.ts';
import { kodeletStrict } from '../../../src/hosts/kodelet/index.ts';
import { llxprt } from '../../../src/hosts/llxprt/index.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { HookSystem } from '../../../src/hosts/system/hook-system.ts';
import { isAlive } from '../../handlers/process/run-hook.ts';
import { answering, hookOf, kodeletBox, type KodeletBox } from '../../support/kodelet.ts';
import { group, someFields } from '../../support/session.ts';

const types = 'before_tool_call, after_tool_call, user_message_send, agent_stop, turn_end';
const fix = `make it print one of ${types}, or remove its executable bit`;

/** A hook that writes a line to a log each time it is asked for its type. */
const counting = (type: string): string => `#!/bin/sh
echo asked >> asked.log
[ "$1" = hook ] && echo ${type}
exit 0
`;

const timesAsked = ({ left }: KodeletBox): number => left('asked.log').split('\n').length - 1;

describe('where Kodelet hooks are found (C-107, K8)', () => {
  test('hooks are found in the project, then in the home folder, sorted by name', async () => {
    const { local, global, start } = kodeletBox();
    global('z-stop', hookOf('agent_stop'));
    global('a-guard', hookOf('before_tool_call'));
    local('log', hookOf('after_tool_call'));
    local('guard', hookOf('before_tool_call'));
    local('ask', hookOf('user_message_send'));
    const { found, warnings } = await start();
    expect(found()).toEqual([
      'project/ask BeforeAgent',
      'project/guard BeforeTool',
      'project/log AfterTool',
      'user/a-guard BeforeTool',
      'user/z-stop AfterAgent',
    ]);
    expect(warnings).toEqual([]);
  });

  test('hooks are found in plugins, after the own hooks of each level, under the plugin’s name', async () => {
    const { project, home, write, local, global, start } = kodeletBox();
    const put = (root: string, path: string, type: string) =>
      chmodSync(write(join(root, '.kodelet', path), hookOf(type)), 0o755);
    local('guard', hookOf('before_tool_call'));
    global('guard', hookOf('before_tool_call'));
    put(project, 'plugins/org@repo/hooks/guard', 'before_tool_call');
    put(project, 'plugins/a-plugin/hooks/log', 'turn_end');
    put(home, 'plugins/org@repo/hooks/guard', 'before_tool_call');
    put(home, 'plugins/org@repo/hooks/stop', 'agent_stop');
    put(home, 'plugins/org@repo/hooks/off.disable', 'agent_stop');
    const { found, warnings } = await start();
    expect(found()).toEqual([
      'project/guard BeforeTool',
      'project/a-plugin/log host.turn_end',
      'project/org/repo/guard BeforeTool',
      'user/org/repo/stop AfterAgent',
    ]);
    expect(warnings).toEqual([]);
  });

  test('each hook has 30 seconds, is run by its path without a shell, and runs in sequence', async () => {
    const { local, start } = kodeletBox();
    const file = local("it's a guard; $(x)", hookOf('before_tool_call'));
    const { system } = await start();
    expect(system.getRegistry().getAllHooks()).toEqual([
      {
        event: 'BeforeTool',
        type: 'command',
        command: file,
        args: ['run'],
        name: "it's a guard; $(x)",
        timeout: 30_000,
        sequential: true,
        source: 'project',
        dialect: 'kodelet',
        file,
        place: '',
        env: {},
        enabled: true,
      },
    ]);
  });

  test('a name in the project hides the same name in the home folder, even for a different type', async () => {
    const { local, global, start } = kodeletBox();
    local('guard', hookOf('agent_stop'));
    global('guard', hookOf('before_tool_call'));
    expect((await start()).found()).toEqual(['project/guard AfterAgent']);
  });

  test('folders, files that are not executable and *.disable are skipped and hide nothing', async () => {
    const { local, global, project, start } = kodeletBox();
    const hooks = join(project, '.kodelet/hooks');
    for (const name of ['one', 'two']) global(name, hookOf('agent_stop'));
    mkdirSync(join(hooks, 'one'), { recursive: true });
    chmodSync(local('two', hookOf('before_tool_call')), 0o644);
    local('three.disable', hookOf('before_tool_call', 'touch ran'));
    const { found, warnings } = await start();
    expect(found()).toEqual(['user/one AfterAgent', 'user/two AfterAgent']);
    expect(warnings).toEqual([]);
  });

  test('no hook system is made without a folder of hooks', () => {
    const { project } = kodeletBox();
    const config = createConfig({ cwd: project, isTrustedFolder: () => true });
    expect(config.getHookSystem()).toBeUndefined();
  });

  test('a hook that is a link is resolved to its target', async () => {
    const { folder, write, project, start } = kodeletBox();
    const file = write(join(folder, 'elsewhere/guard'), hookOf('before_tool_call', 'echo {} $0'));
    chmodSync(file, 0o755);
    mkdirSync(join(project, '.kodelet/hooks'), { recursive: true });
    symlinkSync(file, join(project, '.kodelet/hooks/guard'));
    expect((await start()).found()).toEqual(['project/guard BeforeTool']);
  });

  test('a link to itself and a dangling link are reported, and the other hooks still count', async () => {
    const { local, project, start } = kodeletBox();
    const hooks = join(project, '.kodelet/hooks');
    local('guard', hookOf('before_tool_call'));
    symlinkSync('loop', join(hooks, 'loop'));
    symlinkSync('nothing', join(hooks, 'dangling'));
    const { found, warnings } = await start();
    expect(found()).toEqual(['project/guard BeforeTool']);
    expect(warnings).toEqual([
      `${hooks}/dangling: is a link that leads nowhere, so it was skipped; point it at an executable, or remove it`,
      `${hooks}/loop: is a link that leads back to itself, so it was skipped; point it at an executable, or remove it`,
    ]);
  });

  test('a file where the folder should be is reported, and the other folder still counts', async () => {
    const { write, global, project, start } = kodeletBox();
    write(join(project, '.kodelet/hooks'), 'no folder');
    global('guard', hookOf('before_tool_call'));
    const { found, warnings } = await start();
    expect(found()).toEqual(['user/guard BeforeTool']);
    expect(warnings).toEqual([
      `${project}/.kodelet/hooks: cannot be read (ENOTDIR), so none of its hooks was found; make it a folder that this user may read`,
    ]);
  });

  test('a folder that is a link to itself is reported, because its user may expect a guard in it', async () => {
    const { global, project, start } = kodeletBox();
    mkdirSync(join(project, '.kodelet'));
    symlinkSync('hooks', join(project, '.kodelet/hooks'));
    global('guard', hookOf('before_tool_call'));
    const { found, warnings } = await start();
    expect(found()).toEqual(['user/guard BeforeTool']);
    expect(warnings).toEqual([
      `${project}/.kodelet/hooks: cannot be read (ELOOP), so none of its hooks was found; make it a folder that this user may read`,
    ]);
  });

  test("with the home folder as project the hooks are the user's, found once and trusted", async () => {
    const { global, home, start } = kodeletBox();
    global('guard', answering('before_tool_call', { blocked: true, reason: 'No' }));
    const { fire, found } = await start({ cwd: home, isTrustedFolder: () => false });
    expect(found()).toEqual(['user/guard BeforeTool']);
    const { results } = await fire('BeforeTool', someFields.BeforeTool);
    expect(results.length).toBe(1);
  });

  test("in a project whose hook folder is a link to the user's each hook is found once", async () => {
    const { global, home, project, start } = kodeletBox();
    global('guard', hookOf('before_tool_call'));
    symlinkSync(join(home, '.kodelet'), join(project, '.kodelet'));
    expect((await start()).found()).toEqual(['user/guard BeforeTool']);
  });
});

describe('asking a hook for its type (C-108)', () => {
  test.each([
    ['nothing', 'exit 0', 'printed nothing'],
    [
      'two lines',
      'echo before_tool_call; echo agent_stop',
      String.raw`printed "before_tool_call\nagent_stop"`,
    ],
    ['an unknown type', 'echo on_tool', 'printed "on_tool"'],
    ['one of our events', 'echo BeforeTool', 'printed "BeforeTool"'],
    ['a type in capitals', 'echo BEFORE_TOOL_CALL', 'printed "BEFORE_TOOL_CALL"'],
    ['a name of every object', 'echo constructor', 'printed "constructor"'],
    ['its type on stderr', 'echo before_tool_call >&2', 'printed nothing'],
    ['a valid type and a failure', 'echo before_tool_call; exit 3', 'ended with 3'],
    ['a valid type and a signal', 'echo before_tool_call; kill -9 $$', 'ended with SIGKILL'],
    ['too much text', 'head -c 1000 /dev/zero | tr "\\0" x', `printed "${'x'.repeat(57)}..."`],
  ])(
    'a hook that answers %s when asked for its type is skipped, with one clear line',
    async (_, script, said) => {
      const { local, start } = kodeletBox();
      const file = local('odd', `#!/bin/sh\n${script}\n`);
      local('guard', hookOf('before_tool_call'));
      const { found, warnings } = await start();
      expect(found()).toEqual(['project/guard BeforeTool']);
      expect(warnings).toEqual([
        `${file}: ${said} when asked for its type ("hook"), so it was skipped; ${fix}`,
      ]);
    },
  );

  test('blanks and line ends around the type are ignored', async () => {
    const { local, start } = kodeletBox();
    local(
      'guard',
      String.raw`#!/bin/sh
printf ' \n\tbefore_tool_call\r\n\n'
`,
    );
    expect((await start()).found()).toEqual(['project/guard BeforeTool']);
  });

  test('a hook that never says its type is ended after 5 seconds, with all its children', async () => {
    const { local, left, start } = kodeletBox();
    const file = local('never', '#!/bin/sh\nsleep 600 & echo $! > pid\nwait\n');
    local('guard', hookOf('before_tool_call'));
    const { found, warnings } = await start();
    expect(found()).toEqual(['project/guard BeforeTool']);
    expect(warnings).toEqual([
      `${file}: did not print its type ("hook") within 5000 ms, so it was skipped; ${fix}`,
    ]);
    expect(isAlive(Number(left('pid')))).toBe(false);
  });

  test('a hook that is asked for its type gets an empty stdin', async () => {
    const { local, start } = kodeletBox();
    local('reader', '#!/bin/sh\ncat >/dev/null\necho agent_stop\n');
    expect((await start()).found()).toEqual(['project/reader AfterAgent']);
  });

  test('a hook that leaves a process behind still counts, and that process is ended', async () => {
    const { local, left, start } = kodeletBox();
    local('guard', '#!/bin/sh\nsleep 600 & echo $! > pid\necho agent_stop\n');
    expect((await start()).found()).toEqual(['project/guard AfterAgent']);
    expect(isAlive(Number(left('pid')))).toBe(false);
  });

  test('a hook is asked for its type in the project folder, with "hook" as its only argument', async () => {
    const { local, left, project, start } = kodeletBox();
    local('guard', '#!/bin/sh\necho "$# $1 $(pwd)" > how; echo before_tool_call\n');
    await start();
    expect(left('how')).toBe(`1 hook ${project}\n`);
  });

  test('a hook is asked for its type only once, however often hooks are reloaded', async () => {
    const box = kodeletBox();
    box.local('guard', counting('before_tool_call'));
    const { system } = await box.start();
    await system.reload();
    await box.start();
    expect(timesAsked(box)).toBe(1);
  });

  test('a different answer for the type has no effect while the file stays the same', async () => {
    const { local, start } = kodeletBox();
    local(
      'fickle',
      '#!/bin/sh\n[ -e asked ] && echo agent_stop || echo before_tool_call\ntouch asked\n',
    );
    const { found, system } = await start();
    await system.reload();
    expect(found()).toEqual(['project/fickle BeforeTool']);
  });

  test('a file that changed is asked again, even if its size and time are the same', async () => {
    const box = kodeletBox();
    const { local, start } = box;
    const first = local('guard', counting('agent_stop # 1234567'));
    utimesSync(first, 1_000, 1_000);
    const before = statSync(first);
    const { found, system } = await start();
    local('guard', counting('before_tool_call # 1'));
    utimesSync(first, 1_000, 1_000);
    const after = statSync(first);
    expect([after.size, after.mtimeMs, after.ino]).toEqual([
      before.size,
      before.mtimeMs,
      before.ino,
    ]);
    await system.reload();
    expect(found()).toEqual(['project/guard BeforeTool']);
    expect(timesAsked(box)).toBe(2);
  });

  test('a hook that could not be started is asked again, because what it lacked may exist now', async () => {
    const { local, write, start } = kodeletBox();
    // This is outside the sandbox, whose name contains a blank, which a shebang line cannot contain.
    const folder = mkdtempSync(join(tmpdir(), 'hookmachine-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const interpreter = join(folder, 'interpreter');
    const file = local('later', `#!${interpreter}\n`);
    const { found, system, warnings } = await start();
    expect(found()).toEqual([]);
    expect(warnings.join('\n')).toContain(`${file}: could not be asked for its type`);
    chmodSync(write(interpreter, '#!/bin/sh\necho agent_stop\n'), 0o755);
    await system.reload();
    expect(found()).toEqual(['project/later AfterAgent']);
  });

  test('many hooks are asked, and stay in the order of their names', async () => {
    const { local, start } = kodeletBox();
    const names = Array.from(
      { length: 40 },
      (_, index) => `hook-${String(index).padStart(2, '0')}`,
    );
    for (const name of names.toReversed()) local(name, hookOf('after_tool_call'));
    expect((await start()).found()).toEqual(names.map((name) => `project/${name} AfterTool`));
  });
});

describe('an unreadable hook folder', () => {
  const blocking = JSON.stringify({ defaultOnFailure: 'block' });

  test('an unreadable hook folder denies tools and prompts if a failure of its hooks would', async () => {
    const { project, home, write, start } = kodeletBox();
    write(join(project, '.kodelet/hooks'), 'no folder');
    write(join(home, '.hookmachine/settings.json'), blocking);
    const { fire } = await start({ dialects: 'present' });
    for (const event of ['BeforeTool', 'BeforeAgent'] as const) {
      const { finalOutput } = await fire(event, someFields[event]);
      expect(finalOutput?.isBlockingDecision()).toBe(true);
      expect(finalOutput?.getEffectiveReason()).toContain(
        `${project}/.kodelet/hooks cannot be read`,
      );
    }
    const { finalOutput } = await fire('AfterTool', someFields.AfterTool);
    expect(finalOutput).toBeUndefined();
  });

  test('an unreadable hook folder denies nothing if failures do not, and other folders still count', async () => {
    const { project, write, global, start } = kodeletBox();
    write(join(project, '.kodelet/hooks'), 'no folder');
    global('guard', hookOf('before_tool_call'));
    const { fire, found, warnings } = await start();
    expect(found()).toEqual(['user/guard BeforeTool']);
    const { finalOutput } = await fire('BeforeTool', someFields.BeforeTool);
    expect(finalOutput?.isBlockingDecision() ?? false).toBe(false);
    expect(warnings.join()).toContain('cannot be read (ENOTDIR)');
  });

  test('an unreadable folder of plugins is reported too', async () => {
    const { project, write, start } = kodeletBox();
    write(join(project, '.kodelet/a'), '');
    symlinkSync('plugins', join(project, '.kodelet/plugins'));
    const { warnings } = await start();
    expect(warnings).toEqual([
      expect.stringContaining(`${project}/.kodelet/plugins: cannot be read (ELOOP)`),
    ]);
  });
});

describe('a local hook that does not count', () => {
  test.each([
    ['invalid', '#!/bin/sh\necho nonsense\n'],
    ['failing', '#!/bin/sh\nexit 1\n'],
  ])('the user’s valid hook runs in place of a local hook that is %s', async (_, script) => {
    const { local, global, left, start } = kodeletBox();
    const file = local('guard', script);
    global('guard', hookOf('before_tool_call', 'echo ran > ran'));
    const { found, fire, warnings } = await start();
    expect(found()).toEqual(['user/guard BeforeTool']);
    expect(warnings.length).toBe(1);
    expect(warnings[0]).toContain(file);
    const { results } = await fire('BeforeTool', someFields.BeforeTool);
    expect(results.map(({ hook }) => hook.source)).toEqual(['user']);
    expect(left('ran')).toBe('ran\n');
  });

  test('an untrusted local hook is neither asked nor run, and the user’s runs in its place', async () => {
    const { local, global, project, start } = kodeletBox();
    local('guard', `#!/bin/sh\ntouch "${project}/touched"\necho before_tool_call\n`);
    local('only-here', `#!/bin/sh\ntouch "${project}/touched"\necho before_tool_call\n`);
    global('guard', answering('before_tool_call', { blocked: true, reason: 'By the user' }));
    const { fire, found, warnings, system } = await start({ isTrustedFolder: () => false });
    expect(found()).toEqual(['user/guard BeforeTool']);
    expect(system.getRegistry().unasked).toEqual([]);
    const { finalOutput } = await fire('BeforeTool', someFields.BeforeTool);
    expect(finalOutput?.getBlockReason()).toBe('By the user');
    expect(readdirSync(project)).toEqual(['.kodelet']);
    expect(warnings).toEqual([
      `${project}: the hooks of this project are not trusted, so they were skipped; trust it to have its hooks run`,
    ]);
  });

  test('a local hook that is trusted later is found on reload', async () => {
    let trusted = false;
    const { local, global, start } = kodeletBox();
    local('guard', hookOf('agent_stop'));
    global('guard', hookOf('before_tool_call'));
    const { found, system } = await start({ isTrustedFolder: () => trusted });
    trusted = true;
    await system.reload();
    expect(found()).toEqual(['project/guard AfterAgent']);
  });

  test('a local hook that loses its trust between plan and run does not run', async () => {
    const asked: boolean[] = [];
    const { local, left, start } = kodeletBox();
    local('guard', hookOf('before_tool_call', 'echo ran > ran'));
    const { fire } = await start({
      // It is trusted when found and when planned, but not when it is about to start.
      isTrustedFolder: () => asked.push(true) < 3,
    });
    const { results } = await fire('BeforeTool', someFields.BeforeTool);
    expect([results, left('ran')]).toEqual([[], '']);
    expect(asked.length).toBe(3);
  });
});

describe('which switch Kodelet hooks need (C-01)', () => {
  const hooks = { BeforeTool: [group(['touch llxprt'])] };

  test('Kodelet hooks run without a switch, while hooks of the settings stay off', async () => {
    const { local, files, write, project, start } = kodeletBox();
    local('guard', hookOf('before_tool_call', 'touch kodelet'));
    write(files.project, { hooks });
    const { fire } = await start();
    const { results } = await fire('BeforeTool', someFields.BeforeTool);
    expect(results.map(({ hook }) => hook.dialect)).toEqual(['kodelet']);
    expect(readdirSync(project).toSorted()).toEqual(['.kodelet', '.llxprt', 'kodelet']);
  });

  test('with "enableHooks": true both kinds of hooks run', async () => {
    const { local, files, write, start } = kodeletBox();
    local('guard', hookOf('before_tool_call'));
    write(files.project, { tools: { enableHooks: true }, hooks });
    const { fire } = await start();
    const { results } = await fire('BeforeTool', someFields.BeforeTool);
    expect(results.map(({ hook }) => hook.dialect)).toEqual(['llxprt', 'kodelet']);
  });

  test.each(['project', 'user', 'system'] as const)(
    'with "hooksConfig.enabled": false in the file of the %s no hook runs and none is asked (S-13)',
    (level) => {
      const { local, files, write, project, systemFolder, left } = kodeletBox();
      local('guard', '#!/bin/sh\necho asked > asked; echo before_tool_call\n');
      write(files[level], { hooksConfig: { enabled: false } });
      const config = createConfig({ cwd: project, systemFolder, isTrustedFolder: () => true });
      expect(config.getHookSystem()).toBeUndefined();
      expect(left('asked')).toBe('');
    },
  );

  test.each([{ tools: { enableHooks: false } }, { enableHooks: false }])(
    '%j switches only the settings’ own hooks and leaves Kodelet’s on (S-13)',
    async (settings) => {
      const { local, files, write, start } = kodeletBox();
      local('guard', hookOf('before_tool_call'));
      write(files.system, { ...settings, hooks });
      const { fire } = await start();
      const { results } = await fire('BeforeTool', someFields.BeforeTool);
      expect(results.map(({ hook }) => hook.dialect)).toEqual(['kodelet']);
    },
  );

  test("a project's false turns off the project's hooks and none of the user's (C-01)", async () => {
    const { local, global, files, write, start } = kodeletBox();
    local('theirs', hookOf('before_tool_call'));
    global('mine', hookOf('before_tool_call'));
    write(files.project, { hooksConfig: { enabled: false } });
    const { fire } = await start();
    const { results } = await fire('BeforeTool', someFields.BeforeTool);
    expect(results.map(({ hook }) => hook.name)).toEqual(['mine']);
  });

  test('a hook that the settings disable by name does not run, but still hides what it hid', async () => {
    const { local, global, files, write, start } = kodeletBox();
    local('guard', hookOf('before_tool_call'));
    global('guard', hookOf('before_tool_call'));
    local('log', hookOf('before_tool_call'));
    write(files.user, { hooksConfig: { disabled: ['guard'] } });
    const { fire, system } = await start();
    const ran = async () =>
      (await fire('BeforeTool', someFields.BeforeTool)).results.map(({ hook }) => hook.name);
    expect(await ran()).toEqual(['log']);
    system.setHookEnabled('guard', true);
    expect(await ran()).toEqual(['guard', 'log']);
  });

  test('a hook system with a list of dialects finds only their hooks', async () => {
    const { local, files, write, project } = kodeletBox();
    local('guard', hookOf('before_tool_call'));
    write(files.project, { tools: { enableHooks: true }, hooks });
    const config = createConfig({ cwd: project, isTrustedFolder: () => true });
    const dialectsFound = async (dialects?: readonly Dialect[]) => {
      const system = new HookSystem(config, undefined, dialects);
      await system.initialize();
      return system
        .getRegistry()
        .getAllHooks()
        .map(({ dialect }) => dialect);
    };
    expect(await dialectsFound()).toEqual(['llxprt', 'kodelet']);
    expect(await dialectsFound([kodeletStrict])).toEqual(['kodelet-strict']);
    expect(await dialectsFound([llxprt])).toEqual(['llxprt']);
  });

  test('a host that wants only LLxprt hooks asks no Kodelet hook', () => {
    const { local, project, left } = kodeletBox();
    local('guard', '#!/bin/sh\necho asked > asked; echo before_tool_call\n');
    expect(createConfig({ cwd: project, dialects: [llxprt] }).getHookSystem()).toBeUndefined();
    expect(left('asked')).toBe('');
  });
});
