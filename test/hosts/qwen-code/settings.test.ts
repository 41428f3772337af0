import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { qwenEvents } from '../../../src/hosts/qwen-code/events.ts';
import { groupOf, printing } from '../../support/host-box.ts';
import { qwenBox, qwenFields, type TestedEvent } from '../../support/qwen-code.ts';

const guard = groupOf(['good']);
const settingsOf = (...groups: readonly unknown[]) => ({ hooks: { PreToolUse: groups } });

describe('where Qwen Code’s hooks are found', () => {
  test('hooks are found in the settings of the project, the user and the administrator, then in manifests', async () => {
    const { write, home, system, local, global, start } = qwenBox();
    local(`// ours\n{ "hooks": { "PreToolUse": [${JSON.stringify(groupOf(['project']))}] } }`);
    global(settingsOf(groupOf(['user'], { matcher: ' Write ' })));
    write(system, settingsOf(groupOf(['system'])));
    const manifest = (name: string) => join(home, '.qwen/extensions', name, 'qwen-extension.json');
    for (const name of ['on', 'off'])
      write(manifest(name), { name, ...settingsOf(groupOf([name])) });
    write(join(home, '.qwen/extensions/extension-enablement.json'), {
      off: { overrides: ['!/*'] },
    });
    const { found, warnings } = await start();
    expect(found()).toEqual([
      'project PreToolUse -: project',
      'user PreToolUse Write: user',
      'system PreToolUse -: system',
      'extension PreToolUse -: on',
    ]);
    expect(warnings).toEqual([]);
  });

  test('a file that the environment names adds hooks and switches nothing off', async () => {
    const { write, global, home, start } = qwenBox();
    global(settingsOf(guard));
    const more = { ...settingsOf(groupOf(['added'])), disableAllHooks: true };
    vi.stubEnv('QWEN_CODE_SYSTEM_SETTINGS_PATH', write(join(home, 'more.json'), more));
    expect((await start()).found()).toEqual([
      'user PreToolUse -: good',
      'system PreToolUse -: added',
    ]);
  });

  test('no hooks are found in an untrusted project', async () => {
    const { local, global, start } = qwenBox();
    local(settingsOf(groupOf(['theirs'])));
    global(settingsOf(guard));
    const { found } = await start({ isTrustedFolder: () => false });
    expect(found()).toEqual(['user PreToolUse -: good']);
  });

  test('an administrator’s file that cannot be parsed denies, and the reason says what to fix', async () => {
    const { write, system, start } = qwenBox();
    write(system, '{ "hooks": ');
    const { fire } = await start();
    const { verdict } = await fire('BeforeTool', qwenFields.PreToolUse);
    expect(verdict.decision).toBe('deny');
    expect(verdict.reason).toContain(`${system} not valid JSON`);
  });

  test.each([
    ['the user’s disableAllHooks turns off the project’s hooks too', true, undefined, []],
    ['the project’s disableAllHooks turns off only the project’s hooks', undefined, true, ['user']],
    ['disableAllHooks: false switches nothing off', false, undefined, ['project', 'user']],
    ['a disableAllHooks of a wrong type is ignored', 'yes', undefined, ['project', 'user']],
  ])('%s', async (_, user, project, expected) => {
    const { local, global, dialect, project: cwd } = qwenBox();
    global({ ...settingsOf(guard), disableAllHooks: user });
    local({ ...settingsOf(guard), disableAllHooks: project });
    const { definitions } = await dialect.find({
      cwd,
      settings: () => [],
      trusts: () => true,
      run: () => Promise.reject(new Error('not needed')),
    });
    expect(definitions.map(({ source }) => source).toSorted()).toEqual(expected);
  });
});

describe('flawed entries', () => {
  const bad = { type: 'command', command: 'x' };
  test.each<[string, unknown[], number]>([
    ['a hook of an unknown type', [groupOf([{ ...bad, type: 'agent' }, 'good'])], 1],
    ['a hook without a type', [groupOf([{ command: 'x' }, 'good'])], 1],
    ['a hook without a command', [groupOf([{ type: 'command' }, 'good'])], 1],
    ['a matcher of a wrong type', [groupOf(['x'], { matcher: 5 }), guard], 1],
    ['a matcher that is not a regular expression', [groupOf(['x'], { matcher: '(' }), guard], 2],
    ['a matcher with commas', [groupOf(['x'], { matcher: 'edit,glob' }), guard], 2],
    ['a hook outside a group', [bad, guard], 1],
    ['a timeout of a wrong type', [groupOf([{ ...bad, timeout: [] }, 'good'])], 2],
    ['an unknown shell', [groupOf([{ ...bad, shell: 'zsh' }, 'good'])], 2],
  ])('%s is reported, and its neighbours still count', async (_, groups, count) => {
    const { local, start } = qwenBox();
    local({ hooks: { PreToolUse: groups, Notification: [guard], BeforeTool: [], enabled: true } });
    const registry = (await start()).system.getRegistry();
    expect(registry.getHooksForEvent('BeforeTool')).toHaveLength(count);
    expect(registry.getHooksForEvent('BeforeTool').at(-1)?.name).toBe('good');
    expect(registry.getHooksForEvent('Notification')).toHaveLength(1);
    expect(registry.problems).toHaveLength(2);
  });

  test('a timeout is in seconds, from 1000 on in milliseconds, as a number or a text, and 60 seconds by default', async () => {
    const { local, start } = qwenBox();
    const given = [5, 0.5, 999, 1000, 1500, '7', 0, -1, 'soon', null, undefined];
    const hooks = given.map((timeout, index) => ({
      type: 'command',
      command: `${index}`,
      timeout,
    }));
    local(settingsOf(groupOf(hooks)));
    const all = (await start()).system.getRegistry().getAllHooks();
    expect(all.map(({ timeout }) => timeout)).toEqual([
      5_000, 500, 999_000, 1_000, 1_500, 7_000, 60_000, 60_000, 60_000, 60_000, 60_000,
    ]);
  });
});

describe('Qwen Code’s matchers', () => {
  test.each<[unknown, string, boolean]>([
    [undefined, 'glob', true],
    ['', 'glob', true],
    [' * ', 'glob', true],
    ['.*', 'glob', true],
    ['Bash', 'run_shell_command', true],
    ['Shell', 'run_shell_command', true],
    ['bash', 'run_shell_command', false],
    ['run_shell_command', 'run_shell_command', true],
    ['shell', 'run_shell_command', true],
    ['Write', 'write_file', true],
    ['WriteFile', 'write_file', true],
    ['Edit', 'replace', true],
    ['Edit', 'write_file', false],
    ['edit', 'replace', true],
    ['Edit | Write', 'write_file', true],
    ['Edit|', 'replace', true],
    ['Edit|*', 'glob', true],
    ['|', 'glob', false],
    ['(Edit|Write)', 'write_file', false],
    ['^Write$', 'write_file', false],
    ['^write_file$', 'write_file', true],
    ['read_.*|Edit', 'read_file', true],
    ['(read|write)_file', 'read_file', true],
    ['x[|]y', 'x|y', true],
    [String.raw`x\|y`, 'x|y', true],
    ['Edit,Write', 'write_file', false],
    ['(', 'glob', false],
    ['Edit|(', 'replace', true],
    ['Grep', 'search_file_content', true],
    ['SearchFiles', 'search_file_content', true],
    ['grep_search', 'search_file_content', true],
    ['Agent', 'task', true],
    ['WebSearch', 'google_web_search', true],
    ['ExitPlanModeTool', 'exit_plan_mode', true],
    ['mcp__.*', 'mcp__server__tool', true],
  ])('the matcher %j matches the tool %s: %j', async (matcher, tool_name, fits) => {
    const { local, start } = qwenBox();
    local(settingsOf(groupOf(['exit 0'], { matcher })));
    const { fire } = await start();
    const { results } = await fire('BeforeTool', { tool_name, tool_input: {} });
    expect(results.length === 1).toBe(fits);
  });

  test.each<[TestedEvent, string, boolean]>([
    ['SessionStart', 'startup', true],
    ['SessionStart', 'startup|resume', true],
    ['SessionStart', '^start', true],
    ['SessionStart', 'resume', false],
    ['SessionEnd', 'other', true],
    ['PreCompact', 'manual', false],
    ['SubagentStart', 'Exp', true],
    ['Notification', 'permission_prompt', true],
    ['UserPromptSubmit', 'nothing', true],
    ['Stop', 'nothing', true],
  ])('a hook for %s with the matcher %j runs: %j', async (event, matcher, fits) => {
    const { local, start } = qwenBox();
    local({ hooks: { [event]: [groupOf(['exit 0'], { matcher })] } });
    const { fire } = await start();
    const { results } = await fire(qwenEvents.ours[event], qwenFields[event] as never);
    expect(results.length === 1).toBe(fits);
  });

  test('a failed tool fires PostToolUseFailure instead of PostToolUse', async () => {
    const { local, left, start } = qwenBox();
    const hooks = {
      PostToolUse: [groupOf(['echo x > ran'])],
      PostToolUseFailure: [groupOf(['cat > failed'])],
    };
    local({ hooks });
    const { fire } = await start();
    await fire('ToolFailed', qwenFields.PostToolUseFailure, { toolCallId: 'c1' });
    await fire('AfterTool', qwenFields.PostToolUseFailure);
    expect(JSON.parse(left('failed'))).toMatchObject({ error: 'no', tool_use_id: 'c1' });
    expect(left('ran')).toBe('');
    const { results } = await fire('AfterTool', qwenFields.PostToolUse);
    expect(results.map(({ hook }) => hook.nativeEvent)).toEqual(['PostToolUse']);
  });
});

const saying = (decision: string) =>
  printing({ decision, reason: decision, systemMessage: `${decision}!` });
const inner = (permissionDecision: string) =>
  printing({
    hookSpecificOutput: { permissionDecision, permissionDecisionReason: permissionDecision },
  });

const context = (additionalContext: string) =>
  printing({ hookSpecificOutput: { additionalContext } });

describe('several Qwen Code hooks', () => {
  test.each([
    [
      'any denial wins, and its reasons are joined',
      ['deny', 'ask', 'allow', 'block'].map(saying),
      'deny',
      'deny\nblock',
      'block!',
    ],
    [
      'a later allow does not undo a denial',
      [inner('deny'), inner('allow')],
      'deny',
      'deny',
      undefined,
    ],
    [
      'a later allow does not undo a top-level denial',
      [saying('deny'), inner('allow')],
      'deny',
      'deny',
      'deny!',
    ],
    [
      'a later allow does not undo the denial of exit 2',
      ['echo no >&2; exit 2', inner('allow')],
      'deny',
      'no',
      undefined,
    ],
    ['ask takes precedence over allow', [inner('ask'), inner('allow')], 'ask', 'ask', undefined],
  ] as const)('%s', async (_, hooks, decision, reason, message) => {
    const { local, start } = qwenBox();
    local(settingsOf(groupOf(hooks)));
    const { verdict } = await (
      await start()
    ).fire('BeforeTool', qwenFields.PreToolUse, { canAsk: true });
    expect(verdict).toMatchObject({ decision, reason });
    expect(verdict.notice).toBe(message);
  });

  test('hooks with the same name and command run once, as the user’s, and another name runs again (S-35)', async () => {
    const { local, global, left, start } = qwenBox();
    const hook = { type: 'command', command: 'echo x >> log' };
    global(settingsOf(groupOf([hook, { ...hook, name: 'again' }])));
    local(settingsOf(groupOf([hook]), groupOf([hook], { sequential: true })));
    const { fire } = await start();
    const { plan, results } = await fire('BeforeTool', qwenFields.PreToolUse);
    expect([left('log'), plan?.mode]).toEqual(['x\nx\n', 'parallel']);
    expect(results.map(({ hook: { source } }) => source)).toEqual(['user', 'user']);
  });

  test('in a sequence the next hook receives merged arguments, the tool gets none, and hooks after a denial still run', async () => {
    const { local, left, start } = qwenBox();
    const changing = printing({
      hookSpecificOutput: { tool_input: { timeout: 5 }, updatedInput: {} },
    });
    const hooks = [changing, 'cat > input; echo no >&2; exit 2', 'touch third; echo x > third'];
    local(settingsOf(groupOf(hooks, { sequential: true })));
    const { fire } = await start();
    const { verdict, plan, toolInput } = await fire('BeforeTool', qwenFields.PreToolUse);
    expect(JSON.parse(left('input'))).toMatchObject({ tool_input: { command: 'ls', timeout: 5 } });
    expect([plan?.mode, toolInput, verdict.decision, left('third')]).toEqual([
      'sequential',
      undefined,
      'deny',
      'x\n',
    ]);
  });

  test('in a sequence a prompt is passed on with the context below it, and contexts are joined', async () => {
    const { local, left, start } = qwenBox();
    const hooks = [context('more'), `cat > input; ${context('again')}`];
    local({ hooks: { UserPromptSubmit: [groupOf(hooks, { sequential: true })] } });
    const { fire } = await start();
    const { verdict } = await fire('BeforeAgent', qwenFields.UserPromptSubmit);
    expect(JSON.parse(left('input'))).toMatchObject({ prompt: 'Hi\n\nmore' });
    expect(verdict.context).toBe('more\nagain');
  });
});
