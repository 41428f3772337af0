import { describe, expect, test } from 'vitest';
import type { HookSystemConfig } from '../../../src/hosts/system/hook-system-config.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { defaultDialects } from '../../../src/hosts/all/defaults.ts';
import { findAllHooks } from '../../../src/hosts/system/find-hooks.ts';
import { HookPlanner } from '../../../src/core/plan/hook-planner.ts';
import { runProgram } from '../../../src/hosts/system/handlers.ts';
import { HookRegistry } from '../../../src/hosts/system/hook-registry.ts';
import { formatProblem } from '../../../src/core/definitions/problem.ts';
import { sandbox } from '../../support/sandbox.ts';

const hooks = (...commands: string[]) => ({
  BeforeTool: [{ hooks: commands.map((command) => ({ type: 'command', command })) }],
});

/** A host that has no levels, like LLxprt's own config. */
const host = (config: Partial<HookSystemConfig>): HookSystemConfig => ({
  getEnableHooks: () => true,
  getHooks: () => undefined,
  getSessionId: () => 's',
  getWorkingDir: () => '/p',
  getHookSystem: () => undefined,
  ...config,
});

const sourcesOf = (registry: HookRegistry) =>
  registry.getAllHooks().map(({ source, command }) => `${source} ${command}`);

const both = (event: string) => ({
  [event]: [{ hooks: [{ type: 'command', command: 'guard' }] }],
});
const hiddenOf = (registry: HookRegistry) =>
  registry.getAllHooks().flatMap((hook) => (registry.isHidden(hook) ? [hook.source] : []));

describe('two hooks with one identity', () => {
  test("the user's hook hides the project's if every call has it, and an administrator's hides both (S-35)", async () => {
    const box = sandbox();
    const { files, project, systemFolder, write } = box;
    const load = () => HookRegistry.load(createConfig({ cwd: project, systemFolder }));
    write(files.project, { enableHooks: true, hooks: both('BeforeModel') });
    write(files.user, { hooks: both('BeforeModel') });
    expect(hiddenOf(await load())).toEqual(['project']);
    write(files.system, { hooks: both('BeforeModel') });
    expect(hiddenOf(await load())).toEqual(['project', 'user']);
    write(files.project, { enableHooks: true, hooks: both('BeforeTool') });
    write(files.user, { hooks: both('BeforeTool') });
    write(files.system, { hooks: both('BeforeTool') });
    expect(hiddenOf(await load())).toEqual([]);
  });

  test('hooks are compared with those before them only once, however many there are', async () => {
    let asked = 0;
    const counting = {
      ...defaultDialects[0]!,
      identity: (hook: Parameters<(typeof defaultDialects)[0]['identity']>[0]) => {
        asked++;
        return defaultDialects[0]!.identity(hook);
      },
    };
    const count = 500;
    const many = Array.from({ length: count }, (_, index) => ({
      type: 'command' as const,
      command: `hook-${index}`,
    }));
    const config = createConfig({
      cwd: '/p',
      dialects: [counting],
      settings: { enableHooks: true, hooks: { BeforeModel: [{ hooks: many }] } },
    });
    const registry = await HookRegistry.load(config);
    expect(hiddenOf(registry)).toEqual([]);
    const planner = new HookPlanner(() => undefined);
    planner.use(registry);
    expect(planner.plan('BeforeModel')?.hooks).toHaveLength(count);
    expect(asked).toBeLessThan(20 * count);
  });
});

describe('where hooks come from', () => {
  test("hooks from the host's merged config count as the project's, and those of extensions come last (HOOK-085, 086; C-10)", async () => {
    const registry = await HookRegistry.load(
      host({
        getHooks: () => hooks('mine'),
        getExtensions: () => [
          { name: 'x', isActive: true, hooks: hooks('theirs') },
          { name: 'y', isActive: false, hooks: hooks('inactive') },
          { name: 'z', isActive: true },
        ],
      }),
    );
    expect(sourcesOf(registry)).toEqual(['project mine', 'extension theirs']);
  });

  test('hooks are ordered by source: project, user, system, extensions (HOOK-187, C-09)', async () => {
    const { project, home, files, write, systemFolder } = sandbox();
    write(`${home}/.llxprt/extensions/one/hooks/hooks.json`, { hooks: hooks('installed') });
    write(files.system, { hooks: hooks('1') });
    write(files.user, { hooks: hooks('2') });
    write(files.project, { hooks: hooks('3', '4') });
    const extensions = [{ name: 'x', isActive: true, hooks: hooks('given') }];
    expect(
      sourcesOf(await HookRegistry.load(createConfig({ cwd: project, extensions, systemFolder }))),
    ).toEqual([
      'project 3',
      'project 4',
      'user 2',
      'system 1',
      'extension installed',
      'extension given',
    ]);
  });

  test('a host may give its sources in any order', async () => {
    const registry = await HookRegistry.load(
      host({
        getHooks: () => hooks('not asked'),
        getHookSources: () => [
          { source: 'system', hooks: hooks('1') },
          { source: 'project', hooks: hooks('2') },
        ],
      }),
    );
    expect(sourcesOf(registry)).toEqual(['project 2', 'system 1']);
  });

  test.each([undefined, null, {}, [], 'x'])('a hooks value of %j gives no hooks', async (given) => {
    expect((await HookRegistry.load(host({ getHooks: () => given }))).getAllHooks()).toEqual([]);
  });
});

test('the problems are those of the files, then those of the hooks, each once', async () => {
  const { project, files, write, systemFolder } = sandbox();
  write(files.project, '{ "enableHooks": 1,\n "hooks": { "BeforeTool": [{ "hooks": [5] }] } }');
  write(files.user, '{');
  const config = createConfig({ cwd: project, systemFolder, onWarning: () => undefined });
  const registry = await HookRegistry.load(config);
  expect(registry.problems.map(formatProblem)).toEqual([
    `${files.project}:1:18 enableHooks: is 1, so it was ignored; make it true or false`,
    `${files.user}:1:2: not valid JSON (a closing } is expected), so the whole file is ignored; fix the JSON there`,
    `${files.project}:2:40 hooks.BeforeTool[0].hooks[0]: is 5, so the hook was discarded; make it an object: { "type": "command", "command": "…" }`,
  ]);
});

const named = (name: string, command: string) => ({ type: 'command', name, command });

/** Settings with three hooks, two of which share a name. */
const settings = (more: object) => ({
  enableHooks: true,
  hooks: {
    BeforeTool: [{ hooks: [named('scan', './scan.sh'), named('log', './log.sh')] }],
    AfterTool: [{ hooks: [named('scan', './other.sh')] }],
  },
  ...more,
});

describe('disabled hooks (C-03, C-04)', () => {
  test.each([
    [['scan'], ['log']],
    [['./scan.sh'], ['log', 'scan']],
    [['scan', './log.sh'], []],
    [
      ['SCAN', 'scan.sh', 'no such hook'],
      ['scan', 'log', 'scan'],
    ],
  ])('disabling %j leaves %j enabled', async (disabled, enabled) => {
    const { project, files, write, systemFolder } = sandbox();
    write(files.project, settings({ hooksConfig: { disabled } }));
    const registry = await HookRegistry.load(createConfig({ cwd: project, systemFolder }));
    expect(registry.getAllHooks()).toHaveLength(3);
    const left = [
      ...registry.getHooksForEvent('BeforeTool'),
      ...registry.getHooksForEvent('AfterTool'),
    ];
    expect(left.map(({ name }) => name)).toEqual(enabled);
  });

  test('a host without levels may have a list of disabled hooks among its hooks', async () => {
    const registry = await HookRegistry.load(
      host({ getHooks: () => ({ disabled: ['a'], ...hooks('a', 'b') }) }),
    );
    expect(registry.getAllHooks().map(({ enabled }) => enabled)).toEqual([false, true]);
  });

  test("the administrator's hooks are disabled only by the administrator's list", async () => {
    const { project, files, write, systemFolder } = sandbox();
    const enabled = async () =>
      (await HookRegistry.load(createConfig({ cwd: project, systemFolder })))
        .getHooksForEvent('BeforeTool')
        .map(({ source, name }) => `${source} ${name}`);
    write(files.system, settings({}));
    write(files.project, settings({ hooksConfig: { disabled: ['scan', './log.sh'] } }));
    write(files.user, { hooksConfig: { disabled: ['scan'] } });
    expect(await enabled()).toEqual(['system scan', 'system log']);
    write(files.system, settings({ hooksConfig: { disabled: ['scan'] } }));
    expect(await enabled()).toEqual(['system log']);
  });

  test('what the host switched at runtime takes precedence over the lists, but not over the administrator', async () => {
    const { project, files, write, systemFolder } = sandbox();
    write(files.project, settings({ hooksConfig: { disabled: ['log'] } }));
    write(files.system, {
      hooks: { BeforeTool: [{ hooks: [named('admin', './admin.sh')] }] },
      hooksConfig: { disabled: ['./other.sh'] },
    });
    const switched = new Map([
      ['./scan.sh', false],
      ['log', true],
      ['admin', false],
      ['./other.sh', true],
    ]);
    const config = createConfig({ cwd: project, systemFolder });
    const registry = new HookRegistry(
      config,
      await findAllHooks(config, defaultDialects, () => true, runProgram),
      switched,
    );
    expect(registry.getAllHooks().map(({ command, enabled }) => [command, enabled])).toEqual([
      ['./scan.sh', false],
      ['./log.sh', true],
      ['./other.sh', false],
      ['./admin.sh', true],
    ]);
  });
});
