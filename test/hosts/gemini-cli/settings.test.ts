import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { geminiBox, geminiFields } from '../../support/gemini-cli.ts';
import { groupOf, printing } from '../../support/host-box.ts';

const guard = groupOf(['good']);
const settingsOf = (...groups: readonly unknown[]) => ({ hooks: { BeforeTool: groups } });

describe('where Gemini CLI’s hooks are found', () => {
  test('hooks are found in the settings of the user, the project and the administrator, then in extensions', async () => {
    const { write, home, system, local, global, start } = geminiBox();
    local(`// ours\n{ "hooks": { "BeforeTool": [${JSON.stringify(groupOf(['project']))}] } }`);
    global(settingsOf(groupOf(['user'], { matcher: ' write_file ' })));
    write(system, settingsOf(groupOf(['system'])));
    const extensions = join(home, '.gemini/extensions');
    for (const name of ['on', 'off', 'none'])
      write(join(extensions, name, 'hooks/hooks.json'), settingsOf(groupOf([name])));
    for (const name of ['on', 'off'])
      write(join(extensions, name, 'gemini-extension.json'), { name, hooks: { BeforeTool: 'x' } });
    write(join(extensions, 'linked/.gemini-extension-install.json'), {
      type: 'link',
      source: join(home, 'elsewhere'),
    });
    write(join(home, 'elsewhere/gemini-extension.json'), { name: 'linked' });
    write(join(home, 'elsewhere/hooks/hooks.json'), settingsOf(groupOf(['linked'])));
    write(join(extensions, 'extension-enablement.json'), { off: { overrides: ['!/*'] } });
    const { found, warnings } = await start();
    expect(found()).toEqual([
      'user BeforeTool write_file: user',
      'project BeforeTool -: project',
      'system BeforeTool -: system',
      'extension BeforeTool -: linked',
      'extension BeforeTool -: on',
    ]);
    expect(warnings).toEqual([]);
  });

  test('hooks of extensions run without any settings and find their folder, even in single quotes', async () => {
    const { write, home, left, start } = geminiBox();
    const folder = join(home, '.gemini/extensions/a b');
    write(join(folder, 'gemini-extension.json'), { name: 'a b' });
    const command = ['printf "%s "', '${extensionPath}${/}x', "'${extensionPath}'", '> root'].join(
      ' ',
    );
    write(join(folder, 'hooks/hooks.json'), settingsOf(groupOf([command])));
    const { fire } = await start();
    await fire('BeforeTool', geminiFields.BeforeTool);
    expect(left('root')).toBe(`${folder}/x ${folder} `);
  });

  test('a file that the environment names adds hooks and switches nothing off', async () => {
    const { write, global, home, start } = geminiBox();
    global(settingsOf(guard));
    const file = write(join(home, 'more.json'), {
      ...settingsOf(groupOf(['added'])),
      hooksConfig: { enabled: false },
    });
    vi.stubEnv('GEMINI_CLI_SYSTEM_SETTINGS_PATH', file);
    expect((await start()).found()).toEqual([
      'user BeforeTool -: good',
      'system BeforeTool -: added',
    ]);
  });

  test('in the home folder the project’s settings count as the user’s', async () => {
    const { global, home, start } = geminiBox();
    global(settingsOf(guard));
    expect((await start({ cwd: home })).found()).toEqual(['user BeforeTool -: good']);
  });

  test('no hooks are found in an untrusted project', async () => {
    const { local, global, start } = geminiBox();
    local(settingsOf(groupOf(['theirs'])));
    global(settingsOf(guard));
    const { found } = await start({ isTrustedFolder: () => false });
    expect(found()).toEqual(['user BeforeTool -: good']);
  });

  test('an administrator’s file that cannot be parsed denies, and the reason says what to fix', async () => {
    const { write, system, start } = geminiBox();
    write(system, '{ "hooks": ');
    const { fire } = await start();
    const { verdict } = await fire('BeforeTool', geminiFields.BeforeTool);
    expect(verdict.decision).toBe('deny');
    expect(verdict.reason).toContain(`${system} not valid JSON`);
  });
});

describe('Gemini CLI’s switches', () => {
  test.each<[string, object, object, string[]]>([
    [
      'the user’s switch turns off the project’s hooks too',
      { hooksConfig: { enabled: false } },
      {},
      [],
    ],
    [
      'the project’s switch turns off only the project’s hooks',
      {},
      { hooksConfig: { enabled: false } },
      ['user BeforeTool -: good'],
    ],
    [
      'true switches nothing off',
      { hooksConfig: { enabled: true } },
      {},
      ['user BeforeTool -: good', 'project BeforeTool -: named'],
    ],
    [
      'the user disables a hook by its name',
      { hooksConfig: { disabled: ['named'] } },
      {},
      ['user BeforeTool -: good'],
    ],
    [
      'the user disables a hook without a name by its command',
      { hooksConfig: { disabled: ['good'] } },
      {},
      ['project BeforeTool -: named'],
    ],
    [
      'the command of a hook with a name disables nothing',
      { hooksConfig: { disabled: ['other'] } },
      {},
      ['user BeforeTool -: good', 'project BeforeTool -: named'],
    ],
    [
      'a project cannot disable the user’s hooks',
      {},
      { hooksConfig: { disabled: ['good'] } },
      ['user BeforeTool -: good', 'project BeforeTool -: named'],
    ],
  ])(
    'a switch reaches hooks of its own level and of weaker ones: %s',
    async (_, user, project, expected) => {
      const { local, global, dialect, project: cwd } = geminiBox();
      global({ ...settingsOf(guard), ...user });
      local({
        ...settingsOf(groupOf([{ type: 'command', name: 'named', command: 'other' }])),
        ...project,
      });
      const { definitions } = await dialect.find({
        cwd,
        settings: () => [],
        trusts: () => true,
        run: () => Promise.reject(new Error('not needed')),
      });
      const found = definitions.map(({ source, event, name }) => `${source} ${event} -: ${name}`);
      expect(found.toSorted()).toEqual(expected.toSorted());
    },
  );
});

describe('flawed entries', () => {
  const bad = { type: 'command', command: 'x' };
  test.each<[string, unknown[], number]>([
    ['a hook of an unknown type', [groupOf([{ ...bad, type: 'http' }, 'good'])], 1],
    ['a hook without a type', [groupOf([{ command: 'x' }, 'good'])], 1],
    ['a hook without a command', [groupOf([{ type: 'command' }, 'good'])], 1],
    ['a matcher of a wrong type', [groupOf(['x'], { matcher: 5 }), guard], 1],
    ['a matcher that is not a regular expression', [groupOf(['x'], { matcher: '(' }), guard], 2],
    ['a hook outside a group', [bad, guard], 1],
    ['a timeout of a wrong type', [groupOf([{ ...bad, timeout: [] }, 'good'])], 2],
    ['an env of a wrong type', [groupOf([{ ...bad, env: { A: 1 } }, 'good'])], 2],
    ['"sequential" of a wrong type', [groupOf(['good'], { sequential: 'yes' })], 1],
  ])('%s is reported, and its neighbours still count', async (_, groups, count) => {
    const { local, start } = geminiBox();
    local({ hooks: { BeforeTool: groups, Notification: [guard], PreToolUse: [], enabled: true } });
    const registry = (await start()).system.getRegistry();
    expect(registry.getHooksForEvent('BeforeTool')).toHaveLength(count);
    expect(registry.getHooksForEvent('BeforeTool').at(-1)?.name).toBe('good');
    expect(registry.getHooksForEvent('Notification')).toHaveLength(1);
    expect(registry.problems).toHaveLength(2);
  });

  test('a timeout is in milliseconds, as a number or a text, and 60,000 by default', async () => {
    const { local, start } = geminiBox();
    const hooks = [5000, '700', undefined, null, -1].map((timeout, index) => ({
      type: 'command',
      command: `${index}`,
      timeout,
    }));
    local(settingsOf(groupOf(hooks)));
    const all = (await start()).system.getRegistry().getAllHooks();
    expect(all.map(({ timeout }) => timeout)).toEqual([5000, 700, 60_000, 60_000, 60_000]);
  });
});

describe('Gemini CLI’s matchers', () => {
  test.each<[unknown, string, boolean]>([
    [undefined, 'glob', true],
    [null, 'glob', true],
    ['', 'glob', true],
    [' * ', 'glob', true],
    ['write', 'write_file', true],
    ['write_file|replace', 'replace', true],
    ['^write$', 'write_file', false],
    ['Write', 'write_file', false],
    ['write_file,replace', 'replace', false],
    ['Bash', 'run_shell_command', false],
    ['(', 'glob', false],
    ['(', '(', true],
    ['grep_search', 'search_file_content', true],
    ['search_file_content', 'search_file_content', true],
    ['^(?!grep_search)', 'search_file_content', false],
    ['mcp_.*', 'mcp_server_tool', true],
  ])('the matcher %j matches the tool %s: %j', async (matcher, tool_name, fits) => {
    const { local, start } = geminiBox();
    local(settingsOf(groupOf(['exit 0'], { matcher })));
    const { fire } = await start();
    const { results } = await fire('BeforeTool', { tool_name, tool_input: {} });
    expect(results.length === 1).toBe(fits);
  });

  test.each([
    ['SessionStart', 'startup', true],
    ['SessionStart', 'startup|resume', false],
    ['SessionStart', 'start', false],
    ['SessionStart', '*', true],
    ['SessionEnd', 'exit', true],
    ['PreCompress', 'manual', false],
    ['Notification', 'nothing', true],
    ['BeforeAgent', 'nothing', true],
    ['AfterModel', 'nothing', true],
  ] as const)('a hook for %s with the matcher %j runs: %j', async (event, matcher, fits) => {
    const { local, start } = geminiBox();
    local({ hooks: { [event]: [groupOf(['exit 0'], { matcher })] } });
    const { fire } = await start();
    const { results } = await fire(event, geminiFields[event]);
    expect(results.length === 1).toBe(fits);
  });
});

const input = (command: string) =>
  printing({ hookSpecificOutput: { tool_input: { command } }, reason: command });

const say = (decision: string) =>
  printing({ decision, reason: decision, systemMessage: `${decision}!` });

describe('several Gemini CLI hooks', () => {
  test('hooks run in parallel, the user’s before the project’s; one that asks for a sequence makes all run in one', async () => {
    const { local, global, start } = geminiBox();
    global(settingsOf(groupOf([input('user')])));
    local(settingsOf(groupOf([input('project')])));
    const parallel = await (await start()).fire('BeforeTool', geminiFields.BeforeTool);
    expect(parallel.plan).toEqual({ mode: 'parallel', count: 2 });
    expect(parallel.toolInput).toEqual({ command: 'project' });
    expect(parallel.verdict.reason).toBe('user\nproject');
    expect(parallel.conflicts).toMatchObject([
      { field: 'tool_input.command', winner: input('project') },
    ]);
    local(settingsOf(groupOf([input('project')], { sequential: true })));
    const row = await (await start()).fire('BeforeTool', geminiFields.BeforeTool);
    expect(row.plan).toEqual({ mode: 'sequential', count: 2 });
  });

  test('hooks with the same name and command run once, another name runs again, and a duplicate cannot ask for a sequence', async () => {
    const { local, global, left, start } = geminiBox();
    const hook = { type: 'command', command: 'echo x >> log' };
    global(settingsOf(groupOf([hook])));
    local(
      settingsOf(
        groupOf([hook], { sequential: true, matcher: 'shell' }),
        groupOf([{ ...hook, name: 'again' }]),
      ),
    );
    const { fire } = await start();
    const { plan } = await fire('BeforeTool', geminiFields.BeforeTool);
    expect([left('log'), plan?.mode]).toEqual(['x\nx\n', 'parallel']);
  });

  test('in a sequence the next hook receives merged arguments, and the last arguments are used', async () => {
    const { local, left, start } = geminiBox();
    local(
      settingsOf(
        groupOf(
          [
            printing({ hookSpecificOutput: { tool_input: { command: 'one', extra: 1 } } }),
            `cat > input; ${printing({ hookSpecificOutput: { tool_input: { command: 'two' } } })}`,
          ],
          { sequential: true },
        ),
      ),
    );
    const { fire } = await start();
    const { toolInput, conflicts } = await fire('BeforeTool', geminiFields.BeforeTool);
    expect(JSON.parse(left('input'))).toMatchObject({ tool_input: { command: 'one', extra: 1 } });
    expect([toolInput, conflicts]).toEqual([{ command: 'two' }, []]);
  });

  test('in a sequence a prompt is passed on with the context below it, and hooks after a denial still run', async () => {
    const { local, left, start } = geminiBox();
    const hooks = [
      printing({ hookSpecificOutput: { additionalContext: 'more' } }),
      'cat > input; echo no >&2; exit 2',
      'echo x > third',
    ];
    local({ hooks: { BeforeAgent: [groupOf(hooks, { sequential: true })] } });
    const { fire } = await start();
    const { verdict } = await fire('BeforeAgent', geminiFields.BeforeAgent);
    expect(JSON.parse(left('input'))).toMatchObject({ prompt: 'Hi\n\nmore' });
    expect([verdict.decision, left('third')]).toEqual(['deny', 'x\n']);
  });

  test('deny takes precedence over ask and ask over allow, and texts are joined', async () => {
    const { local, start } = geminiBox();
    local(settingsOf(groupOf([say('allow'), say('ask')])));
    const options = { canAsk: true };
    const asked = await (await start()).fire('BeforeTool', geminiFields.BeforeTool, options);
    expect(asked.verdict.decision).toBe('ask');
    local(settingsOf(groupOf([say('block'), say('ask'), say('allow')])));
    const { verdict } = await (await start()).fire('BeforeTool', geminiFields.BeforeTool, options);
    expect(verdict).toMatchObject({
      decision: 'deny',
      reason: 'block\nask\nallow',
      notice: 'block!\nask!\nallow!',
    });
  });

  test.each(['BeforeModel', 'AfterModel'] as const)(
    'a later allow does not undo a denial at %s',
    async (event) => {
      const { local, start } = geminiBox();
      const hooks = [
        printing({ decision: 'deny', reason: 'no' }),
        printing({ decision: 'allow' }),
        'echo x',
      ];
      local({ hooks: { [event]: [groupOf(hooks)] } });
      const { verdict } = await (await start()).fire(event, geminiFields[event]);
      expect(verdict).toMatchObject({ decision: 'deny', reason: 'no' });
    },
  );
});
