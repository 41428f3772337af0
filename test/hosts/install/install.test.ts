import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { hookmachine } from '../../support/hookmachine.ts';
import { inProcess } from '../../support/in-process.ts';
import { main, starter } from '../../support/main.ts';
import { sandbox } from '../../support/sandbox.ts';

const box = () => {
  const made = sandbox();
  return {
    ...made,
    run: (...args: string[]) => inProcess(made, args),
    read: (...names: string[]) => readFileSync(join(made.project, ...names), 'utf8'),
  };
};

describe('hookmachine install', () => {
  test("install writes the entries into the project's settings, and shows them first", async () => {
    const { project, env, read } = box();
    const { stdout, exitCode } = await hookmachine({ project, env }, ['install', 'claude-code']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('+    "PreToolUse": [');
    expect(stdout).toContain('Claude Code calls the relay from now on');
    const { hooks } = JSON.parse(read('.claude/settings.json')) as {
      hooks: Record<string, unknown>;
    };
    expect(hooks['PreToolUse']).toEqual([
      {
        hooks: [
          {
            type: 'command',
            command: expect.stringMatching(/\/hookmachine'? relay claude-code$/),
          },
        ],
      },
    ]);
    expect(Object.keys(hooks)).toContain('UserPromptSubmit');
  });

  test('install prints what it did as JSON, and so does migrate', async () => {
    const { run, write, read } = box();
    const args = ['install', 'codex', '--json'];
    const shown = JSON.parse((await run(...args, '--dry-run')).stdout) as object;
    expect(shown).toMatchObject({
      agent: 'codex',
      scope: 'project',
      files: [
        { file: expect.stringContaining('.codex/hooks.json'), patch: expect.stringContaining('+') },
      ],
      written: false,
      todos: [expect.stringContaining('/hooks'), expect.anything()],
    });
    expect(JSON.parse((await run(...args)).stdout)).toMatchObject({ written: true });
    expect(JSON.parse((await run(...args)).stdout)).toMatchObject({ written: false, files: [] });
    write('project/.claude/settings.json', {
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: './guard.sh' }] }] },
    });
    const carry = ['migrate', '--from', 'claude-code', '--to', 'hookmachine', '--json'];
    const carried = JSON.parse((await run(...carry)).stdout) as object;
    expect(carried).toMatchObject({
      written: true,
      lost: [],
      patch: expect.stringContaining('guard.sh'),
    });
    expect(read('.hookmachine/settings.json')).toContain('guard.sh');
  });

  test('install changes nothing if everything is there already', async () => {
    const { run, read } = box();
    await run('install', 'claude-code');
    const text = read('.claude/settings.json');
    const { stdout } = await run('install', 'claude-code');
    expect(stdout).toContain('Claude Code calls the relay already');
    expect(read('.claude/settings.json')).toBe(text);
  });

  test('install says so if --defer would change existing entries, and uninstall takes out either kind', async () => {
    const { run, read, project } = box();
    for (const [first, then] of [
      [[], ['--defer']],
      [['--defer'], []],
    ] as const) {
      await run('install', 'claude-code', ...first);
      const text = read('.claude/settings.json');
      const same = await run('install', 'claude-code', ...first);
      expect(same.stdout).not.toContain('left as they are');
      const { stdout } = await run('install', 'claude-code', ...then);
      expect(stdout).toContain('left as they are (hookmachine uninstall removes them): hooks.');
      expect(read('.claude/settings.json')).toBe(text);
      expect((await run('uninstall', 'claude-code')).stdout).not.toContain('Note:');
      expect(existsSync(join(project, '.claude/settings.json'))).toBe(false);
    }
  });

  test('install says so if entries of the other scope also call the relay', async () => {
    const { run, home, project } = box();
    expect((await run('install', 'codex')).stdout).not.toContain('twice');
    const user = await run('install', 'codex', '--scope', 'user');
    expect(user.stdout).toContain(`${join(project, '.codex/hooks.json')} too, so hooks may run`);
    expect(user.stdout).toContain('hookmachine uninstall codex --scope project removes them');
    const again = await run('install', 'codex', '--dry-run');
    expect(again.stdout).toContain(`${join(home, '.codex/hooks.json')} too, so hooks may run`);
  });

  test('install separates what the user must do from what they should know', async () => {
    const { stdout } = await box().run('install', 'gemini-cli');
    expect(stdout).toMatch(/^To do: trust the folder in Gemini CLI/m);
    expect(stdout).toMatch(/^Note: over the editor protocol/m);
  });

  test('install shows what changes in a file with no header other than the names of the file', async () => {
    const { run, write, project } = box();
    const file = write(join(project, '.claude/settings.json'), {});
    const { stdout } = await run('install', 'claude-code', '--dry-run');
    expect(stdout.split('\n').slice(0, 2)).toEqual([`--- ${file}`, `+++ ${file}`]);
  });

  test('install --dry-run writes nothing', async () => {
    const { run, project } = box();
    const { stdout } = await run('install', 'claude-code', '--dry-run');
    expect(stdout).toContain('Nothing was written (--dry-run).');
    expect(existsSync(join(project, '.claude'))).toBe(false);
  });

  test("install --scope user writes the user's settings", async () => {
    const { run, home } = box();
    await run('install', 'claude-code', '--scope', 'user');
    expect(existsSync(join(home, '.claude/settings.json'))).toBe(true);
  });

  test('install names the command if it is in PATH', async () => {
    const { read, folder, project, env } = box();
    mkdirSync(join(folder, 'bin'));
    symlinkSync(starter, join(folder, 'bin/hookmachine'));
    const PATH = `${join(folder, 'bin')}:${process.env['PATH']}`;
    await hookmachine({ project, env: { ...env, PATH } }, ['install', 'claude-code']);
    expect(read('.claude/settings.json')).toContain('"hookmachine relay claude-code"');
  });

  test('install names the dependency of the project if hooks run there', async () => {
    for (const file of ['.bin/hookmachine', 'hookmachine/dist/hookmachine']) {
      const { run, read, project } = box();
      const path = join(project, 'node_modules', file);
      mkdirSync(join(path, '..'), { recursive: true });
      symlinkSync(starter, path);
      const { stdout } = await run('install', 'claude-code');
      expect(read('.claude/settings.json')).toContain(`"node_modules/${file} relay claude-code"`);
      expect(stdout).toContain('needs its dependencies installed');
    }
  });

  test('install leaves a broken file alone, and says where it is broken', async () => {
    const { run, write, project } = box();
    const file = write(join(project, '.claude/settings.json'), '{ "hooks": [');
    const { stderr, exitCode } = await run('install', 'claude-code');
    expect(stderr).toContain(`${file}:1:13: not valid JSON`);
    expect(exitCode).toBe(1);
  });

  test('install says that the host ignores a file with comments', async () => {
    const { run, write, read, project } = box();
    write(join(project, '.claude/settings.json'), '{\n  // mine\n  "model": "x"\n}\n');
    const { stdout } = await run('install', 'claude-code');
    expect(stdout).toContain('Claude Code ignores a file with comments');
    expect(stdout).toContain("Claude Code does not read them in the file's present form");
    expect(stdout).not.toContain('from now on');
    expect(read('.claude/settings.json')).toContain('// mine');
  });
});

describe('hookmachine uninstall', () => {
  test('uninstall takes out what was installed, byte for byte', async () => {
    const { run, write, read, project } = box();
    const text = '{\n    "model": "x",\n    "hooks": { "Stop": [ {"hooks": []} ] }\n}';
    write(join(project, '.claude/settings.json'), text);
    await run('install', 'claude-code');
    const { stdout } = await run('uninstall', 'claude-code');
    expect(stdout).toContain('Claude Code no longer calls the relay');
    expect(read('.claude/settings.json')).toBe(text);
  });

  test.each([
    '{}\n',
    '{ "hooks": { } }',
    '{"hooks":{"PreToolUse":[],"Stop":[ ]}}',
    '{\n  "hooks": {\n    "Stop": [\n    ],\n    "PreToolUse": []\n  }\n}\n',
  ])('uninstall leaves what was empty before as it was: %j', async (text) => {
    const { run, write, read, project } = box();
    write(join(project, '.claude/settings.json'), text);
    await run('install', 'claude-code');
    expect(read('.claude/settings.json')).toContain('relay claude-code');
    await run('uninstall', 'claude-code');
    expect(read('.claude/settings.json')).toBe(text);
  });

  test('uninstall removes a file that install made and that holds nothing else', async () => {
    const { run, project } = box();
    await run('install', 'claude-code');
    await run('uninstall', 'claude-code');
    expect(existsSync(join(project, '.claude/settings.json'))).toBe(false);
  });

  test('uninstall leaves a file without entries of ours, even an empty one, and a link to one that had some', async () => {
    const { run, read, write, project, folder } = box();
    write(join(project, '.claude/settings.json'), '{}\n');
    await run('uninstall', 'claude-code');
    expect(read('.claude/settings.json')).toBe('{}\n');
    const target = write(join(folder, 'dotfiles/hooks.json'), '{\n  "hooks": {}\n}\n');
    const link = join(project, '.codex/hooks.json');
    mkdirSync(join(project, '.codex'));
    symlinkSync(target, link);
    await run('install', 'codex');
    expect(readFileSync(target, 'utf8')).toContain('relay codex');
    await run('uninstall', 'codex');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toBe('{\n  "hooks": {}\n}\n');
  });

  test('uninstall does nothing if nothing is installed', async () => {
    const { run, project } = box();
    const { stdout, exitCode } = await run('uninstall', 'claude-code');
    expect(stdout).toContain('Claude Code does not call the relay');
    expect(exitCode).toBe(0);
    expect(existsSync(join(project, '.claude'))).toBe(false);
  });
});

describe('a host whose hooks are files', () => {
  test('install writes an executable for each type of hook, which says its type', async () => {
    const { run, project } = box();
    await run('install', 'kodelet');
    const file = join(project, '.kodelet/hooks/zz-hookmachine-before_tool_call');
    expect(statSync(file).mode & 0o111).toBe(0o111);
    expect(readFileSync(file, 'utf8')).toContain('hook) echo before_tool_call ;;');
    await run('uninstall', 'kodelet');
    expect(existsSync(file)).toBe(false);
  });

  test('install names a file that cannot be written, and says what to do', async () => {
    const { run, project, write } = box();
    mkdirSync(join(project, '.opencode/plugin/hookmachine.js'), { recursive: true });
    write(join(project, '.kodelet'), 'a file');
    const opencode = await run('install', 'opencode');
    expect(opencode).toMatchObject({ exitCode: 1, stdout: '' });
    expect(opencode.stderr).toMatch(/hookmachine\.js: cannot be read \(EISDIR\); make it a file/);
    const kodelet = await run('install', 'kodelet');
    expect(kodelet.exitCode).toBe(1);
    expect(kodelet.stderr).toMatch(/cannot be written \((?:ENOTDIR|EEXIST)\); .+/);
  });

  test('install and uninstall leave a file of that name alone if it is not ours', async () => {
    const { run, project, write } = box();
    const file = join(project, '.opencode/plugin/hookmachine.js');
    mkdirSync(join(project, '.opencode/plugin'), { recursive: true });
    write(file, 'mine');
    expect(await run('install', 'opencode')).toMatchObject({ exitCode: 1 });
    const { stdout } = await run('uninstall', 'opencode');
    expect(stdout).toContain('was not made by hookmachine install, and is left as it is');
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });
});

test('an installed command answers as its host expects', async () => {
  const { run, read, write, own, env, project } = box();
  await run('install', 'claude-code', '--command', `node ${JSON.stringify(main)}`);
  write(own.project, {
    hooks: { 'tool.before': [{ hooks: [{ type: 'command', command: 'echo no >&2; exit 2' }] }] },
  });
  const { hooks } = JSON.parse(read('.claude/settings.json')) as {
    hooks: { PreToolUse: [{ hooks: [{ command: string }] }] };
  };
  const { stdout } = await execa('sh', ['-c', hooks.PreToolUse[0].hooks[0].command], {
    cwd: project,
    env: { ...env, HOOKMACHINE_TRUST: '1' },
    input: JSON.stringify({
      hook_event_name: 'PreToolUse',
      session_id: 's1',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
    }),
  });
  expect(JSON.parse(stdout)).toMatchObject({
    hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no' },
  });
});
