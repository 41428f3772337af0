import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasEtcOfItsOwn, hookmachine } from '../support/hookmachine.ts';
import { inProcess } from '../support/in-process.ts';
import { sandbox, type Sandbox } from '../support/sandbox.ts';

/** A group of one hook. */
const guard = (command: string, name?: string) => ({
  hooks: [{ type: 'command', command, ...(name !== undefined && { name }) }],
});

const denying = 'echo denied >&2; exit 2';

const settings = (...groups: object[]) => ({
  tools: { enableHooks: true },
  hooks: { BeforeTool: groups },
});

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

const run = (box: Sandbox, ...args: string[]) => inProcess(box, args);

const fire = async (box: Sandbox): Promise<number | undefined> =>
  (await inProcess(box, ['fire', 'BeforeTool'], '{"tool_name":"write_file","tool_input":{}}'))
    .exitCode;

/** The administrator's file, as a command sees it. */
const etc = '/etc/llxprt-code/settings.json';

describe('hookmachine disable and enable', () => {
  test('a disabled hook never runs, an enabled one runs again, and list shows which is disabled (B18, B20, C-03)', async () => {
    const box = sandbox();
    const before = `{
  "tools": { "enableHooks": true }, // on
  "hooks": {
    "BeforeTool": [{ "hooks": [{ "type": "command", "name": "scan", "command": "${denying}" }] }],
  },
}
`;
    const file = box.write(box.files.project, before);
    expect(await fire(box)).toBe(2);
    expect(await run(box, 'disable', 'scan')).toEqual({
      stdout: `Hook "scan" is disabled, in ${file} hooksConfig.disabled.`,
      stderr: '',
      exitCode: 0,
    });
    expect(readFileSync(file, 'utf8')).toBe(
      before.replace(
        '  },\n}',
        '  },\n  "hooksConfig": {\n    "disabled": [\n      "scan"\n    ]\n  },\n}',
      ),
    );
    expect(await fire(box)).toBe(0);
    expect((await run(box, 'list')).stdout).toContain('  scan (disabled)\n');
    expect(await run(box, 'enable', 'scan')).toEqual({
      stdout: `Hook "scan" is enabled: removed from ${file} hooksConfig.disabled.`,
      stderr: '',
      exitCode: 0,
    });
    expect(await fire(box)).toBe(2);
  });

  test('disable and enable accept a hook’s command, in every event (I19)', async () => {
    const box = sandbox();
    const file = box.write(box.files.project, {
      ...settings(guard(denying)),
      hooks: { BeforeTool: [guard(denying, 'one')], AfterTool: [guard(denying)] },
    });
    await run(box, 'disable', denying);
    expect(read(file)).toHaveProperty('hooksConfig.disabled', [denying]);
    expect((await run(box, 'list')).stdout.match(/\(disabled\)/g)).toHaveLength(2);
    expect(await fire(box)).toBe(0);
    expect((await run(box, 'enable', denying)).exitCode).toBe(0);
    expect(await fire(box)).toBe(2);
  });

  test("disable edits the file that defines the hook, the user's for an extension's hook, or the one asked for", async () => {
    const box = sandbox();
    box.write(box.files.project, settings(guard('a')));
    box.write(box.files.user, settings(guard('b')));
    box.write(join(box.home, '.llxprt/extensions/x/hooks/hooks.json'), {
      hooks: { BeforeTool: [guard('c')] },
    });
    for (const name of ['a', 'b', 'c']) await run(box, 'disable', name);
    await run(box, 'disable', 'b', '--scope', 'project');
    expect(read(box.files.project)).toHaveProperty('hooksConfig.disabled', ['a', 'b']);
    expect(read(box.files.user)).toHaveProperty('hooksConfig.disabled', ['b', 'c']);
    expect((await run(box, 'enable', 'b')).stdout).toBe(
      `Hook "b" is enabled: removed from ${box.files.project} hooksConfig.disabled and ${box.files.user} hooksConfig.disabled.`,
    );
    expect(read(box.files.project)).toHaveProperty('hooksConfig.disabled', ['a']);
    expect(read(box.files.user)).toHaveProperty('hooksConfig.disabled', ['c']);
  });

  test("disable creates the user's file if there is none", async () => {
    const box = sandbox();
    box.write(box.files.project, settings(guard(denying, 'scan')));
    const disable = ['disable', 'scan', '--scope', 'user'];
    expect((await hookmachine(box, disable)).exitCode).toBe(0);
    expect(read(box.files.user)).toEqual({ hooksConfig: { disabled: ['scan'] } });
    expect(await fire(box)).toBe(0);
  });

  test('enable also looks in the legacy list, and for the name as well as the command (C-04)', async () => {
    const box = sandbox();
    const project = settings(guard(denying, 'scan'));
    box.write(box.files.project, { ...project, hooks: { ...project.hooks, disabled: ['scan'] } });
    box.write(box.files.user, { hooksConfig: { disabled: [denying, 'other'] } });
    expect(await fire(box)).toBe(0);
    expect((await run(box, 'enable', 'scan')).stdout).toBe(
      `Hook "scan" is enabled: removed from ${box.files.project} hooks.disabled and ${box.files.user} hooksConfig.disabled.`,
    );
    expect(read(box.files.user)).toEqual({ hooksConfig: { disabled: ['other'] } });
    expect(await fire(box)).toBe(2);
  });

  test('disable and enable say what is already so, and write nothing', async () => {
    const box = sandbox();
    const text = JSON.stringify({ ...settings(guard('a')), hooksConfig: { disabled: ['a'] } });
    box.write(box.files.project, text);
    expect(await run(box, 'disable', 'a')).toEqual({
      stdout: `Hook "a" is disabled already, in ${box.files.project} hooksConfig.disabled.`,
      stderr: '',
      exitCode: 0,
    });
    expect(readFileSync(box.files.project, 'utf8')).toBe(text);
    await run(box, 'enable', 'a');
    expect(await run(box, 'enable', 'a')).toEqual({
      stdout: 'Hook "a" is enabled already.',
      stderr: '',
      exitCode: 0,
    });
  });

  test.each(['disable', 'enable'])(
    '%s refuses a hook that is not configured, and lists the names that are',
    async (command) => {
      const box = sandbox();
      box.write(box.files.project, settings(guard('b.sh'), guard('a.sh', 'scan'), guard('b.sh')));
      expect(await run(box, command, 'skan')).toEqual({
        stdout: '',
        stderr: 'hookmachine: there is no hook "skan": use one of b.sh, scan',
        exitCode: 1,
      });
      box.write(box.files.project, '{}');
      expect((await run(box, command, 'skan')).stderr).toBe(
        'hookmachine: there is no hook "skan": no hooks are configured',
      );
    },
  );

  test('enable can still take a hook that is no longer configured out of the list', async () => {
    const box = sandbox();
    box.write(box.files.project, { hooksConfig: { disabled: ['gone'] } });
    expect((await run(box, 'enable', 'gone')).exitCode).toBe(0);
    expect(read(box.files.project)).toEqual({ hooksConfig: { disabled: [] } });
  });

  test.each(['disable', 'enable'])(
    '%s refuses broken settings with their place, and leaves them as they are',
    async (command) => {
      const box = sandbox();
      box.write(box.files.project, '{\n  "hooks": [}\n');
      const { stderr, exitCode } = await run(box, command, 'scan');
      expect(stderr).toBe(
        `hookmachine: ${box.files.project}:2:13: not valid JSON (a value is expected); fix it first; nothing was changed`,
      );
      expect(exitCode).toBe(1);
      expect(readFileSync(box.files.project, 'utf8')).toBe('{\n  "hooks": [}\n');
    },
  );

  test.skipIf(!hasEtcOfItsOwn)(
    "the administrator's hook cannot be disabled, and what the administrator disabled stays disabled",
    async () => {
      const box = sandbox();
      box.write(box.files.project, settings(guard('mine')));
      box.write(box.files.system, {
        ...settings(guard('theirs')),
        hooksConfig: { disabled: ['mine'] },
      });
      expect(await run(box, 'disable', 'theirs')).toEqual({
        stdout: '',
        stderr: `hookmachine: hook "theirs" is the administrator's: it can only be removed in ${etc}`,
        exitCode: 1,
      });
      expect((await run(box, 'disable', 'mine')).stdout).toBe(
        `Hook "mine" is disabled already, in ${etc}.`,
      );
      expect(await run(box, 'enable', 'mine')).toEqual({
        stdout: '',
        stderr: `hookmachine: hook "mine" stays disabled by the administrator, in ${etc}`,
        exitCode: 1,
      });
    },
  );

  test.skipIf(!hasEtcOfItsOwn)(
    "disable says that an administrator's hook of the same name stays on",
    async () => {
      const box = sandbox();
      box.write(box.files.project, settings(guard('true', 'scan')));
      box.write(box.files.system, settings(guard(denying, 'scan')));
      expect((await run(box, 'disable', 'scan')).stdout).toBe(
        `Hook "scan" is disabled, in ${box.files.project} hooksConfig.disabled. The administrator's hook of that name stays on.`,
      );
      expect(await fire(box)).toBe(2);
    },
  );

  test("in the home folder, the project's file is the user's, and it is edited once", async () => {
    const box = sandbox();
    box.write(box.files.user, settings(guard(denying, 'scan')));
    expect((await run(box, 'disable', 'scan', '--cwd', box.home)).exitCode).toBe(0);
    expect((await run(box, 'enable', 'scan', '--cwd', box.home)).stdout).toBe(
      `Hook "scan" is enabled: removed from ${box.files.user} hooksConfig.disabled.`,
    );
    expect(read(box.files.user)).toHaveProperty('hooksConfig.disabled', []);
  });

  test("without a home folder, disable edits the project's file, and refuses the user's", async () => {
    const box = sandbox();
    const homeless = { ...box, env: { ...box.env, HOME: '' } };
    box.write(box.files.project, settings(guard('a')));
    expect((await run(homeless, 'disable', 'a')).exitCode).toBe(0);
    expect((await run(homeless, 'disable', 'a', '--scope', 'user')).stderr).toBe(
      "hookmachine: there is no home folder for the user's settings: set HOME",
    );
    expect(existsSync(join(box.project, 'settings.json'))).toBe(false);
  });

  test('disable keeps a linked settings file a link', async () => {
    const box = sandbox();
    const dots = box.write('dots/settings.json', settings(guard('a')));
    box.write(join(box.project, '.llxprt', 'keep'), '');
    symlinkSync(dots, box.files.project);
    await run(box, 'disable', 'a');
    expect(read(dots)).toHaveProperty('hooksConfig.disabled', ['a']);
  });

  test('disable refuses an unknown scope', async () => {
    const command = ['disable', 'a', '--scope', 'system'];
    const { stderr, exitCode } = await inProcess(sandbox(), command);
    expect(stderr).toContain('Allowed choices are project, user');
    expect(exitCode).toBe(1);
  });
});
