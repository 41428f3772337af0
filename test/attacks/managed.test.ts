import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { executeToolWithHooks } from '../../src/core/calls/run-tool-call.ts';
import { presentDialects } from '../../src/hosts/all/known.ts';
import { createConfig, type CreateConfigOptions } from '../../src/hosts/system/create-config.ts';
import { redactSettings } from '../../src/settings/redaction/redact-settings.ts';
import { version } from '../../src/base/version.ts';
import { hasEtcOfItsOwn, hookmachine } from '../support/hookmachine.ts';
import { inProcess } from '../support/in-process.ts';
import { sandbox, type Sandbox } from '../support/sandbox.ts';
import { waitUntil } from '../support/until.ts';

const hook = (command: string, more: object = {}) => ({ type: 'command', command, ...more });
const before = (...hooks: object[]) => ({ BeforeTool: [{ hooks }] });
const guard = hook('echo guarded >&2; exit 2', { name: 'guard' });

/** A machine whose administrator guards every tool and manages these settings. */
function machine(managed: object = {}): Sandbox {
  const box = sandbox();
  box.write(box.own.system, { managed, hooks: before(guard) });
  return box;
}

/** Calls a tool in a separate agent; `ran` says whether the tool ran. */
async function call(box: Sandbox, options: Partial<CreateConfigOptions> = {}) {
  const warnings: string[] = [];
  const config = createConfig({
    cwd: box.project,
    systemFolder: box.systemFolder,
    dialects: presentDialects,
    isTrustedFolder: () => true,
    onWarning: (line) => warnings.push(line),
    ...options,
  });
  let ran = false;
  const { llmContent } = await executeToolWithHooks(config, 'write_file', {}, () => {
    ran = true;
    return Promise.resolve({ llmContent: 'done', returnDisplay: 'done' });
  });
  config.getHookSystem()?.dispose();
  return { ran, said: JSON.stringify(llmContent), warnings };
}

describe('users and projects cannot weaken a managed guard', () => {
  const switchedOff = {
    enableHooks: false,
    tools: { enableHooks: false },
    hooksConfig: { enabled: false, disabled: ['guard', guard.command] },
    hooks: { enabled: false, disabled: ['guard'] },
    managed: { onlyManagedHooks: false, forbid: [], defaultOnFailure: 'allow', audit: false },
  };
  const attempts: Record<string, (box: Sandbox) => void> = {
    'switches of the user': (box) => void box.write(box.own.user, switchedOff),
    'switches of the project': (box) => void box.write(box.own.project, switchedOff),
    'switches in LLxprt’s files': (box) => {
      box.write(box.files.user, switchedOff);
      box.write(box.files.project, switchedOff);
    },
    'switches of other hosts': (box) => {
      for (const folder of [box.home, box.project]) {
        box.write(join(folder, '.claude/settings.json'), { disableAllHooks: true });
        box.write(join(folder, '.gemini/settings.json'), { tools: { enableHooks: false } });
      }
    },
    'a hook with the same command that allows': (box) => {
      const same = hook(guard.command, { name: 'guard', onFailure: 'allow' });
      box.write(box.own.project, { hooks: before(same, hook('echo \'{"decision":"allow"}\'')) });
    },
    'a sequence that stops before it': (box) =>
      void box.write(box.own.project, {
        hooks: { BeforeTool: [{ sequential: true, hooks: [hook('exit 1'), hook('kill $$')] }] },
      }),
    'programs of the project': (box) => {
      for (const name of ['sh', 'bash', 'setsid'])
        chmodSync(box.write(`project/${name}`, '#!/bin/sh\nexit 0\n'), 0o755);
      vi.stubEnv('PATH', `${box.project}:${process.env['PATH']}`);
      vi.stubEnv('SHELL', join(box.project, 'sh'));
    },
    'files and functions that shells read first': (box) => {
      const file = box.write('project/env', 'exit 0\n');
      for (const name of ['BASH_ENV', 'ENV']) vi.stubEnv(name, file);
      vi.stubEnv('BASH_FUNC_echo%%', '() { exit 0; }');
    },
    'a file that the environment names': (box) => {
      const file = box.write('other.json', { ...switchedOff, hooks: { BeforeTool: [] } });
      vi.stubEnv('LLXPRT_SYSTEM_SETTINGS_PATH', file);
      vi.stubEnv('GEMINI_CLI_SYSTEM_SETTINGS_PATH', file);
    },
    'an environment that names the administrator’s own file': (box) =>
      void vi.stubEnv('LLXPRT_SYSTEM_SETTINGS_PATH', box.own.system),
    'a project whose settings are the administrator’s': (box) =>
      symlinkSync(dirname(box.own.system), join(box.project, '.hookmachine')),
    'a home that is the administrator’s folder': (box) => {
      symlinkSync(dirname(box.own.system), join(box.home, '.hookmachine'));
      symlinkSync(dirname(box.own.system), join(box.home, '.llxprt'));
    },
    'no home': () => void vi.stubEnv('HOME', ''),
    'broken files of the user and the project': (box) => {
      box.write(box.own.user, '{');
      mkdirSync(box.own.project, { recursive: true });
    },
    'a matcher that takes forever': (box) =>
      void box.write(box.own.project, {
        hooks: { BeforeTool: [{ matcher: '(\\w*\\w*)*\\w*!', hooks: [hook('exit 0')] }] },
      }),
  };

  test.each(Object.entries(attempts))('a managed guard withstands %s', async (_, attempt) => {
    const box = machine();
    attempt(box);
    const { ran, said } = await call(box);
    expect([ran, said]).toEqual([false, expect.stringContaining('guarded')]);
  });

  test('a managed guard withstands the host’s own switches for hooks and `enableHooks: "system"`', async () => {
    const box = machine();
    expect((await call(box, { enableHooks: 'system' })).ran).toBe(false);
    const config = createConfig({ cwd: box.project, systemFolder: box.systemFolder });
    const system = config.getHookSystem()!;
    await system.initialize();
    system.setHookEnabled('guard', false);
    expect(system.hasHooksFor('BeforeTool', 'x')).toBe(true);
  });
});

describe('managed.onlyManagedHooks', () => {
  test('onlyManagedHooks leaves only the administrator’s hooks, in every dialect, and says so once', async () => {
    const box = machine({ onlyManagedHooks: true });
    box.write(box.own.system, { managed: { onlyManagedHooks: true } });
    const theirs = { hooks: before(hook('exit 2')), enableHooks: true };
    const claude = { hooks: { PreToolUse: [{ hooks: [hook('exit 2')] }] } };
    for (const file of [box.own.user, box.own.project, box.files.user, box.files.project])
      box.write(file, theirs);
    for (const folder of [box.home, box.project])
      box.write(join(folder, '.claude/settings.json'), claude);
    chmodSync(box.write('project/.kodelet/hooks/x', '#!/bin/sh\ntouch asked\nexit 2\n'), 0o755);
    const added = box.write('added.json', theirs);
    vi.stubEnv('LLXPRT_SYSTEM_SETTINGS_PATH', added);
    vi.stubEnv('GEMINI_CLI_SYSTEM_SETTINGS_PATH', added);
    const { ran, warnings } = await call(box, {
      extensions: [{ name: 'x', isActive: true, hooks: before(hook('exit 2')) }],
    });
    expect(ran).toBe(true);
    expect(existsSync(join(box.project, 'asked'))).toBe(false);
    expect(warnings).toEqual([
      expect.stringMatching(
        /etc\/hookmachine\/settings\.json managed\.onlyManagedHooks: is true, so the hooks of .*project\/\.hookmachine.*home\/\.llxprt.* and hook folders are switched off/,
      ),
      expect.stringContaining(`${added}: is named by LLXPRT_SYSTEM_SETTINGS_PATH`),
    ]);
  });

  test('onlyManagedHooks counts as true if it is anything but false', async () => {
    const box = sandbox();
    box.write(box.own.system, { managed: { onlyManagedHooks: 'no' } });
    box.write(box.own.user, { hooks: before(hook('exit 2')) });
    const { ran, warnings } = await call(box);
    expect(ran).toBe(true);
    expect(warnings.join('\n')).toContain('is "no", so it counts as true; make it true or false');
  });
});

test('managed.defaultOnFailure denies even if a weaker hook says that its failure allows', async () => {
  const box = sandbox();
  const managed = { defaultOnFailure: 'block' };
  for (const source of ['user', 'project'] as const) {
    rmSync(box.own.user, { force: true });
    box.write(box.own[source], {
      defaultOnFailure: 'allow',
      hooks: before(hook('exit 1', { onFailure: 'allow' })),
    });
    box.write(box.own.system, {});
    expect((await call(box)).ran).toBe(true);
    box.write(box.own.system, { managed });
    expect((await call(box)).ran).toBe(false);
  }
  // The administrator's own hooks may say that.
  const own = hook('exit 1', { onFailure: 'allow' });
  rmSync(box.own.user, { force: true });
  rmSync(box.own.project, { force: true });
  box.write(box.own.system, { managed, hooks: before(own) });
  expect((await call(box)).ran).toBe(true);
});

describe('managed.requireVersion', () => {
  test('requireVersion is compared with the version of this package', () => {
    const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    expect(version).toBe((JSON.parse(text) as { version: string }).version);
  });

  test.each(['0.0.9', '0.1.0'])('requireVersion %s is met', async (requireVersion) => {
    const box = sandbox();
    box.write(box.own.system, { managed: { requireVersion } });
    expect(await call(box)).toMatchObject({ ran: true, warnings: [] });
  });

  test.each(['0.1.1', '0.2.0', '1.0.0', '10.0.0', '^9', 9, null])(
    'requireVersion %s denies and says what to do',
    async (requireVersion) => {
      const box = sandbox();
      box.write(box.own.system, { managed: { requireVersion } });
      const { ran, said, warnings } = await call(box);
      expect(ran).toBe(false);
      expect(said).toContain('managed.requireVersion');
      expect(warnings).toEqual([expect.stringMatching(/install a newer version|write the lowest/)]);
    },
  );

  test.each([['yes'], [true], [[]]])('a "managed" that is %j denies', async (managed) => {
    const box = sandbox();
    box.write(box.own.system, { managed });
    expect(await call(box)).toMatchObject({
      ran: false,
      warnings: [expect.stringContaining('make it an object')],
    });
  });
});

/** A file of the administrator's folder. */
const more = (box: Sandbox, name: string) => join(dirname(box.own.system), 'settings.d', name);

describe('settings.d', () => {
  test('settings.d adds files in the order of their names, and none takes back what another says', async () => {
    const box = sandbox();
    box.write(more(box, '20-b.json'), {
      managed: { onlyManagedHooks: false, defaultOnFailure: 'allow' },
      hooks: before(hook('echo b >> order')),
    });
    box.write(more(box, '10-a.json'), {
      managed: { onlyManagedHooks: true },
      hooks: { BeforeTool: [{ sequential: true, hooks: [hook('echo a >> order')] }] },
    });
    box.write(more(box, 'README.md'), 'no settings');
    box.write(more(box, '.hidden.json'), '{');
    box.write(box.own.user, { hooks: before(hook('echo user >> order')) });
    expect(await call(box)).toMatchObject({ ran: true });
    expect(readFileSync(join(box.project, 'order'), 'utf8')).toBe('a\nb\n');
  });

  test.each([
    ['is broken', (file: string, box: Sandbox) => void box.write(file, '{')],
    ['is a folder', (file: string) => void mkdirSync(file, { recursive: true })],
    [
      'is a broken link',
      (file: string) => {
        mkdirSync(dirname(file), { recursive: true });
        symlinkSync('/proc/nowhere', file);
      },
    ],
  ])('settings.d denies if one of its files %s', async (_, spoil) => {
    const box = sandbox();
    box.write(box.own.system, {});
    box.write(more(box, '10.json'), {});
    spoil(more(box, '50.json'), box);
    const { ran, said } = await call(box);
    expect([ran, said]).toEqual([false, expect.stringContaining('50.json')]);
  });

  test('settings.d denies if it cannot be listed', async () => {
    const box = sandbox();
    const folder = dirname(more(box, 'x'));
    mkdirSync(dirname(folder), { recursive: true });
    symlinkSync(folder, folder);
    const { ran, said } = await call(box);
    expect([ran, said]).toEqual([false, expect.stringContaining('settings.d')]);
  });

  test('settings.d is watched: a new file counts, and a removed one no longer does', async () => {
    const box = sandbox();
    box.write(more(box, '10.json'), {});
    const config = createConfig({
      cwd: box.project,
      systemFolder: box.systemFolder,
      watch: true,
      onWarning: () => undefined,
    });
    await config.getHookSystem()?.initialize();
    const isGuarded = async (): Promise<boolean> => {
      const system = config.getHookSystem();
      await system?.initialize();
      return system?.hasHooksFor('BeforeTool', 'x') === true;
    };
    expect(await isGuarded()).toBe(false);
    box.write(more(box, '20.json'), { hooks: before(guard) });
    await waitUntil(isGuarded);
    rmSync(more(box, '20.json'));
    await waitUntil(async () => !(await isGuarded()));
    config.stopWatchingSettings?.();
  });
});

test('managed.redact applies whatever other settings redact', () => {
  const box = sandbox();
  box.write(box.own.system, {
    managed: { redact: ['customer', '/X-\\d+/'] },
    hooksConfig: { redact: ['account'] },
  });
  box.write(box.own.user, { managed: { redact: ['mine'] }, hooksConfig: { redact: [] } });
  const { entries } = redactSettings(box.project, box.systemFolder);
  expect(entries).toEqual(['account', 'customer', '/X-\\d+/']);
});

test('"managed" is reported where it has no effect, and so are its faults', async () => {
  const box = sandbox();
  box.write(box.own.user, { managed: { onlyManagedHooks: true }, hooks: before(hook('true')) });
  box.write(box.own.system, {
    managed: {
      defaultOnFailure: 'deny',
      forbid: ['--no-hook'],
      onlyManagedHook: true,
      audit: { file: join(box.folder, 'log'), keep: -1, sylog: true },
    },
  });
  const { warnings } = await call(box);
  expect(warnings).toEqual([
    expect.stringContaining("managed: counts only in an administrator's settings"),
    expect.stringContaining('managed.onlyManagedHook: there is no such key'),
    expect.stringContaining(
      'managed.audit.sylog: there is no such key, so it is ignored; write "syslog"',
    ),
    expect.stringContaining('managed.audit.keep: is -1, so it was ignored'),
    expect.stringContaining('managed.defaultOnFailure: is "deny", so it counts as "block"'),
    expect.stringContaining(
      'managed.forbid[0]: is "--no-hook", so it forbids nothing; name one of --no-hooks',
    ),
  ]);
});

describe.skipIf(!hasEtcOfItsOwn)('the command', () => {
  const write = JSON.stringify({ tool_name: 'write_file', tool_input: { file_path: 'a' } });
  // What is forbidden is read once per process.
  const fire = async (box: Sandbox, args: readonly string[] = [], env: object = {}) => {
    const place = { ...box, env: { ...box.env, HOOKMACHINE_TRUST: '', ...env } };
    const line = ['fire', 'BeforeTool', ...args];
    const { exitCode, stdout, stderr } = await hookmachine(place, line, write);
    const report = JSON.parse(stdout) as { hooks: { source: string }[] };
    return { exitCode, stderr, ran: report.hooks.map(({ source }) => source) };
  };

  test('fire obeys the guards of the system whatever dialects are requested', async () => {
    const box = machine();
    for (const args of [
      ['--dialects', 'kodelet'],
      ['--dialects', 'claude-code,kodelet-strict'],
    ])
      expect(await fire(box, args)).toMatchObject({ exitCode: 2, ran: ['system'], stderr: '' });
  });

  test('fire ignores forbidden options and variables, and says so', async () => {
    const box = sandbox();
    const forbid = ['--no-hooks', '--trust', '--dialects', '--hook', 'HOOKMACHINE_TRUST'];
    box.write(box.own.system, { managed: { forbid } });
    box.write(box.own.user, { hooks: before(hook('exit 2', { name: 'mine' }), hook('true')) });
    box.write(box.own.project, { hooks: before(hook('touch ran')) });
    const file = '/etc/hookmachine/settings.json';
    for (const [args, env, word] of [
      [['--no-hooks'], {}, '--no-hooks'],
      [['--no-hooks', '--why'], {}, '--no-hooks'],
      [['--dialects', 'kodelet'], {}, '--dialects'],
      [['--hook', 'true'], {}, '--hook'],
      [['--trust'], {}, '--trust'],
      [[], { HOOKMACHINE_TRUST: '1' }, 'HOOKMACHINE_TRUST'],
    ] as const) {
      const { exitCode, ran, stderr } = await fire(box, args, env);
      expect([word, exitCode, ran]).toEqual([word, 2, ['user', 'user']]);
      expect(stderr).toContain(`${word} has no effect: ${file} forbids it`);
    }
    expect(existsSync(join(box.project, 'ran'))).toBe(false);
  });

  test('built-in tools do not write guards if that is forbidden', async () => {
    const box = sandbox();
    box.write(box.own.system, { managed: { forbid: ['--allow-guard-writes'] } });
    const input = JSON.stringify({ file_path: '.hookmachine/settings.json', content: '{}' });
    const args = ['tool', 'write_file', '--input', input, '--allow-guard-writes'];
    const { exitCode, stderr } = await hookmachine(box, args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--allow-guard-writes has no')]);
    expect(existsSync(box.own.project)).toBe(false);
  });

  test('a relay is not silenced by what a user’s file and the environment say about another host', async () => {
    const box = machine();
    const own = { hooks: { preToolUse: [{ command: 'hookmachine relay cursor' }] }, version: 1 };
    box.write(join(box.home, '.cursor/hooks.json'), own);
    const event = {
      hook_event_name: 'preToolUse',
      cursor_version: '1',
      tool_name: 'Write',
      tool_input: { file_path: 'a' },
    };
    const { stdout } = await inProcess(box, ['relay', 'claude-code'], JSON.stringify(event));
    expect(stdout).toContain('guarded');
  });

  test('fire takes no compiled code from the user’s folder', async () => {
    const box = machine();
    await fire(box);
    expect(existsSync(join(box.home, '.cache/hookmachine'))).toBe(false);
  });

  test('a system guard that runs once per session runs even if the user’s state says that it already has', async () => {
    const box = sandbox();
    box.write(box.own.system, { hooks: before({ ...guard, once: true }) });
    for (const _ of [1, 2])
      expect(await fire(box, ['--session-id', 's'])).toMatchObject({ exitCode: 2 });
  });
});
