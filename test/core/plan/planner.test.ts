import { describe, expect, test } from 'vitest';
import { createConfig, type CreateConfigOptions } from '../../../src/hosts/system/create-config.ts';
import { HookPlanner } from '../../../src/core/plan/hook-planner.ts';
import { HookRegistry } from '../../../src/hosts/system/hook-registry.ts';
import { hookEventNames } from '../../../src/core/protocol/events.ts';
import type { Settings } from '../../../src/settings/format/json-schema.ts';
import { cpuTime } from '../../support/cpu-time.ts';

type Hooks = NonNullable<Settings['hooks']>;

const registryOf = (hooks: Hooks, more: Partial<CreateConfigOptions> = {}) =>
  HookRegistry.load(createConfig({ cwd: '/p', settings: { enableHooks: true, hooks }, ...more }));

async function plannerOf(hooks: Hooks, more?: Partial<CreateConfigOptions>) {
  const warnings: string[] = [];
  const planner = new HookPlanner((line) => warnings.push(line));
  planner.use(await registryOf(hooks, more));
  /** Returns the commands planned for an event. */
  const commands = (...[event, subject]: Parameters<HookPlanner['plan']>) =>
    planner.plan(event, subject)?.hooks.map(({ command }) => command);
  return { planner, commands, warnings };
}

const run = (...commands: string[]) =>
  commands.map((command) => ({ type: 'command' as const, command }));

describe('a plan', () => {
  test('a plan is made synchronously, and there is none if no hook matches the event (HOOK-011 to 013)', async () => {
    const { planner } = await plannerOf({ BeforeTool: [{ matcher: 'write', hooks: run('a') }] });
    expect(planner.plan('AfterTool', 'write_file')).toBeUndefined();
    expect(planner.plan('BeforeTool', 'read_file')).toBeUndefined();
    expect(planner.plan('BeforeTool', 'write_file')).toMatchObject({
      event: 'BeforeTool',
      lanes: [{ mode: 'parallel' }],
      hooks: [{ command: 'a' }],
    });
  });

  test('without any hook there is no plan for any event', async () => {
    const { planner } = await plannerOf({});
    for (const event of hookEventNames) expect(planner.plan(event, 'x')).toBeUndefined();
  });

  test('a plan has the hooks of all matching groups, in the order of the settings', async () => {
    const { commands } = await plannerOf({
      BeforeTool: [
        { matcher: 'write_file', hooks: run('scan', 'protect') },
        { matcher: 'run_shell_command', hooks: run('danger') },
        { matcher: 'write_file|replace|run_shell_command', hooks: run('checkpoint') },
      ],
    });
    expect(commands('BeforeTool', 'write_file')).toEqual(['scan', 'protect', 'checkpoint']);
    expect(commands('BeforeTool', 'run_shell_command')).toEqual(['danger', 'checkpoint']);
    expect(commands('BeforeTool', 'read_file')).toBeUndefined();
  });

  test('a plan for a model event has all hooks, whatever their matchers (C-19)', async () => {
    const { commands } = await plannerOf({
      BeforeModel: [
        { matcher: '*', hooks: run('a') },
        { matcher: 'write_file', hooks: run('b') },
      ],
    });
    expect(commands('BeforeModel')).toEqual(['a', 'b']);
  });

  test('a plan for a session event has the hooks whose matcher equals its subject (C-20)', async () => {
    const { commands } = await plannerOf({
      SessionStart: [
        { matcher: 'startup', hooks: run('a') },
        { matcher: 'start', hooks: run('b') },
        { hooks: run('c') },
      ],
      Notification: [{ matcher: 'ToolPermission', hooks: run('d') }],
    });
    expect(commands('SessionStart', 'startup')).toEqual(['a', 'c']);
    expect(commands('SessionStart', 'clear')).toEqual(['c']);
    expect(commands('Notification', 'ToolPermission')).toEqual(['d']);
    expect(commands('Notification', 'Other')).toBeUndefined();
  });

  test('a plan without a subject has every hook that could be meant', async () => {
    const { commands } = await plannerOf({ BeforeTool: [{ matcher: 'write', hooks: run('a') }] });
    expect(commands('BeforeTool')).toEqual(['a']);
  });
});

describe('one command runs once (HOOK-090, 091; C-21)', () => {
  test('a command listed twice is planned once, where it comes first, with the first name and the longest timeout (S-35)', async () => {
    const { planner } = await plannerOf({
      BeforeTool: [
        { matcher: 'write', hooks: [{ type: 'command', command: 'a', timeout: 1, name: 'one' }] },
        { matcher: 'file', hooks: [{ type: 'command', command: 'a', timeout: 2, name: 'two' }] },
      ],
    });
    expect(planner.plan('BeforeTool', 'write_file')?.hooks).toMatchObject([
      { name: 'one', timeout: 2 },
    ]);
    // Only hooks that match count as duplicates.
    expect(planner.plan('BeforeTool', 'read_file')?.hooks).toMatchObject([
      { name: 'two', timeout: 2 },
    ]);
  });

  test('commands are duplicates only if they are equal to the letter and within one event', async () => {
    const { commands } = await plannerOf({
      BeforeTool: [{ hooks: run('a', 'a ', 'A', 'a') }],
      AfterTool: [{ hooks: run('a') }],
    });
    expect(commands('BeforeTool', 'x')).toEqual(['a', 'a ', 'A']);
    expect(commands('AfterTool', 'x')).toEqual(['a']);
  });

  test("the project's hook takes precedence over a duplicate from an extension (HOOK-086)", async () => {
    const { planner } = await plannerOf(
      { BeforeTool: [{ hooks: run('a') }] },
      {
        extensions: [
          { name: 'x', isActive: true, hooks: { BeforeTool: [{ hooks: run('a', 'b') }] } },
        ],
      },
    );
    expect(planner.plan('BeforeTool', 'x')?.hooks).toMatchObject([
      { command: 'a', source: 'project' },
      { command: 'b', source: 'extension' },
    ]);
  });

  test('the same text is a different script in each extension that names its own folder', async () => {
    const hooks = { BeforeTool: [{ hooks: run('${extensionPath}/x.sh', 'echo same') }] };
    const { planner } = await plannerOf(
      {},
      {
        extensions: ['/e/one', '/e/two'].map((path) => ({
          name: path,
          isActive: true,
          path,
          hooks,
        })),
      },
    );
    expect(
      planner.plan('BeforeTool', 'x')?.hooks.map(({ command, env }) => [command, env]),
    ).toEqual([
      ['${extensionPath}/x.sh', { extensionPath: '/e/one' }],
      ['echo same', { extensionPath: '/e/one' }],
      ['${extensionPath}/x.sh', { extensionPath: '/e/two' }],
    ]);
  });

  test('a plugin is not a duplicate of a command', async () => {
    const { planner } = await plannerOf({
      BeforeTool: [{ hooks: [{ type: 'plugin', name: 'a' }, ...run('a')] }],
    });
    expect(planner.plan('BeforeTool', 'x')?.hooks).toHaveLength(2);
  });
});

describe('the mode (HOOK-108, 109)', () => {
  test('all hooks run in sequence when one matching group asks for it', async () => {
    const { planner } = await plannerOf({
      BeforeTool: [
        { hooks: run('a') },
        { matcher: 'write', sequential: true, hooks: run('b') },
        { hooks: run('c') },
      ],
    });
    expect(planner.plan('BeforeTool', 'write_file')).toMatchObject({
      lanes: [{ mode: 'sequential' }],
      hooks: [{ command: 'a' }, { command: 'b' }, { command: 'c' }],
    });
  });

  test('a group that does not match does not decide the mode (C-22)', async () => {
    const { planner } = await plannerOf({
      BeforeTool: [{ hooks: run('a') }, { matcher: 'write', sequential: true, hooks: run('b') }],
    });
    expect(planner.plan('BeforeTool', 'read_file')?.lanes).toMatchObject([{ mode: 'parallel' }]);
  });

  test('a duplicate entry that asks for a sequence counts too (C-22)', async () => {
    const { planner } = await plannerOf({
      BeforeTool: [{ hooks: run('a', 'b') }, { sequential: true, hooks: run('a') }],
    });
    expect(planner.plan('BeforeTool', 'x')).toMatchObject({
      lanes: [{ mode: 'sequential' }],
      hooks: [{ command: 'a' }, { command: 'b' }],
    });
  });

  test('the mode of one event does not affect another event', async () => {
    const { planner } = await plannerOf({
      BeforeTool: [{ sequential: true, hooks: run('a') }],
      AfterTool: [{ hooks: run('a') }],
    });
    expect(planner.plan('AfterTool', 'x')?.lanes).toMatchObject([{ mode: 'parallel' }]);
  });
});

describe('plans are remembered', () => {
  test('a plan is remembered by event and subject', async () => {
    const { planner } = await plannerOf({ BeforeTool: [{ hooks: run('a') }] });
    expect(planner.plan('BeforeTool', 'x')).toBe(planner.plan('BeforeTool', 'x'));
  });

  test('remembered plans are bounded: invented names neither fill the memory nor change the answer', async () => {
    const { commands } = await plannerOf({ BeforeTool: [{ matcher: '7$', hooks: run('a') }] });
    for (let index = 0; index < 5_000; index++)
      expect(commands('BeforeTool', `tool_${index}`)).toEqual(index % 10 === 7 ? ['a'] : undefined);
    const long = 'x'.repeat(100_000);
    for (let index = 0; index < 50; index++)
      expect(commands('BeforeTool', `${long}${index}7`)).toEqual(['a']);
  });

  test('plans are remembered until other hooks are used; a plan that was already made stays as it is (G-09)', async () => {
    const { planner, commands } = await plannerOf({ BeforeTool: [{ hooks: run('a') }] });
    const made = planner.plan('BeforeTool', 'x');
    planner.use(await registryOf({ BeforeTool: [{ hooks: run('b') }] }));
    expect(commands('BeforeTool', 'x')).toEqual(['b']);
    planner.use(undefined);
    expect(commands('BeforeTool', 'x')).toBeUndefined();
    expect(made?.hooks).toMatchObject([{ command: 'a' }]);
  });
});

test('a thousand groups without a match cost next to nothing', async () => {
  const { planner } = await plannerOf({
    BeforeTool: Array.from({ length: 1_000 }, (_, index) => ({
      matcher: `^(?:tool_${index}|other_${index})$`,
      hooks: run(`echo ${index}`),
    })),
  });
  const start = cpuTime();
  for (let index = 0; index < 100_000; index++) planner.plan('BeforeTool', 'read_file');
  expect(cpuTime() - start).toBeLessThan(2_000);
});

test('a matcher that cannot be evaluated is reported with its hook, and the hook is planned', async () => {
  const { commands, warnings } = await plannerOf({
    BeforeTool: [{ matcher: '^(a+)+$', hooks: [{ type: 'command', command: 'guard', name: 'g' }] }],
  });
  expect(commands('BeforeTool', `${'a'.repeat(60)}!`)).toEqual(['guard']);
  // A busy machine may be too slow for any one of them.
  const others = ['write_file', 'read_file', 'replace', 'glob'];
  expect(others.map((name) => commands('BeforeTool', name))).toContain(undefined);
  expect(warnings).toContain(
    'hook "g" (BeforeTool): its matcher cannot be decided (/^(a+)+$/: took more than 50 ms), so the hook runs; simplify the matcher',
  );
});
