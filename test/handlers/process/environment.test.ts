import {
  chmodSync,
  existsSync,
  mkdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { HookSystem } from '../../../src/hosts/system/hook-system.ts';
import { findProgram } from '../../../src/base/programs.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { runToExit } from './run-hook.ts';

describe('the environment of a hook (HOOK-188, C-13)', () => {
  test("a hook's environment is the parent's, with the given variables added", async () => {
    vi.stubEnv('INHERITED_TOKEN', 'secret value');
    vi.stubEnv('OVERRIDDEN', 'old');
    const env = { OVERRIDDEN: 'new', ADDED: 'a "b" $c\n' };
    const { stdout } = await runToExit(
      'printf "%s|%s|%s" "$INHERITED_TOKEN" "$OVERRIDDEN" "$ADDED"',
      { env },
    );
    vi.unstubAllEnvs();
    expect(stdout).toBe('secret value|new|a "b" $c\n');
  });

  test("a hook's environment does not change the host's", async () => {
    await runToExit('export ADDED=2', { env: { ADDED: '1' } });
    expect(process.env['ADDED']).toBeUndefined();
  });

  test("a hook's working directory is the given folder, whatever its name", async () => {
    const cwd = join(realpathSync(tempFolder()), `it's "my" $(proj) ümläut\n;x`);
    mkdirSync(cwd);
    expect(await runToExit('pwd -P', { cwd })).toMatchObject({ stdout: `${cwd}\n` });
  });

  test('a script is found by its path relative to the folder (C-15)', async () => {
    const cwd = tempFolder();
    mkdirSync(join(cwd, '.llxprt', 'hooks'), { recursive: true });
    const file = join(cwd, '.llxprt', 'hooks', 'x.sh');
    writeFileSync(file, '#!/bin/sh\necho ran "$@"\n');
    chmodSync(file, 0o755);
    expect(await runToExit('.llxprt/hooks/x.sh a "b c"', { cwd })).toMatchObject({
      stdout: 'ran a b c\n',
    });
  });

  test('a hook has no terminal, neither on a stream nor to open (HOOK-125)', async () => {
    const command =
      'for n in 0 1 2; do [ -t $n ] && echo $n; done; (: < /dev/tty) 2>/dev/null && echo tty; echo done';
    expect(await runToExit(command)).toMatchObject({ stdout: 'done\n' });
  });

  test('a hook leads its own session and group', async () => {
    const { stdout } = await runToExit('echo $$; cut -d" " -f1,5,6 /proc/$$/stat');
    const [pid, ids] = stdout.trim().split('\n');
    expect(ids).toBe(`${pid} ${pid} ${pid}`);
  });

  test('no file descriptor of the engine leaks into the hook', async () => {
    const hooks = Array.from({ length: 8 }, () =>
      runToExit('sleep 0.1; for fd in /proc/$$/fd/*; do echo "${fd##*/} $(readlink "$fd")"; done'),
    );
    for (const { stdout } of await Promise.all(hooks)) {
      const ours = stdout.split('\n').filter((line) => line.includes('hookmachine'));
      expect(ours.map((line) => line.split(' ')[0])).toEqual(['0', '1', '2']);
    }
  });
});

describe('the shell (C-15)', () => {
  test('the shell expands ~ and defaults', async () => {
    vi.stubEnv('HOME', homedir());
    const { stdout } = await runToExit('echo ~ "${NO_SUCH_VARIABLE:-$HOME/x}" ${NO_SUCH:-y}');
    vi.unstubAllEnvs();
    expect(stdout).toBe(`${homedir()} ${homedir()}/x y\n`);
  });

  test('the shell is bash if there is one', async () => {
    expect(
      await runToExit('[[ -n $BASH_VERSION ]] && echo "${BASH_VERSION:0:0}bash"'),
    ).toMatchObject({
      stdout: 'bash\n',
    });
  });

  test('the shell is sh if the PATH has no bash, and a folder with that name does not count', async () => {
    const bin = tempFolder();
    mkdirSync(join(bin, 'bash'));
    for (const name of ['cat', 'mkfifo']) symlinkSync(findProgram(name)!, join(bin, name));
    vi.stubEnv('PATH', bin);
    const { stdout } = await runToExit('readlink() { :; }; cat /proc/$$/comm; echo $0');
    vi.unstubAllEnvs();
    expect(stdout).toBe('sh\n/bin/sh\n');
  });

  test('the shell is sh if there is no PATH', async () => {
    const { PATH } = process.env;
    delete process.env['PATH'];
    const { stdout } = await runToExit('echo $0');
    process.env['PATH'] = PATH;
    expect(stdout).toBe('/bin/sh\n');
  });

  test('the shell is never one that a project supplies', async () => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, 'bash'), '#!/bin/sh\necho evil\n', { mode: 0o755 });
    vi.stubEnv('PATH', `.:bin::${process.env['PATH']}`);
    const before = process.cwd();
    process.chdir(cwd);
    const { stdout } = await runToExit('echo good', { cwd });
    process.chdir(before);
    vi.unstubAllEnvs();
    expect(stdout).toBe('good\n');
  });

  test('a command can be a whole program, with its own here-documents and functions', async () => {
    const command = `set -euo pipefail
greet() { cat <<EOF
hello $1
EOF
}
greet world | tr a-z A-Z   # it's fine`;
    expect(await runToExit(command)).toMatchObject({ stdout: 'HELLO WORLD\n', exitCode: 0 });
  });
});

/** Runs an administrator's hook in this project. */
async function fireSystemHook(command: string, cwd = tempFolder()) {
  const config = {
    ...createConfig({
      cwd,
      settings: { tools: { enableHooks: true } },
      onWarning: () => undefined,
    }),
    getHookSources: () => [
      {
        source: 'system' as const,
        hooks: { BeforeTool: [{ hooks: [{ type: 'command', command }] }] },
      },
    ],
  };
  const system = new HookSystem(config);
  await system.initialize();
  const fire = () => system.getEventHandler().fireBeforeToolEvent('write_file', {});
  return { cwd, fire, result: (await fire()).results[0]! };
}

describe("the environment of an administrator's hook", () => {
  test("an administrator's hook gets only allowed variables, and nothing that changes what its programs do", async () => {
    const hostile = {
      BASH_ENV: '/tmp/evil.sh',
      ENV: '/tmp/evil.sh',
      NODE_OPTIONS: '--no-warnings',
      PYTHONPATH: '/tmp/evil',
      PERL5OPT: '-Mevil',
      LD_PRELOAD_X: 'x',
      GIT_DIR: '/tmp/evil',
      IFS: 'e',
      PS4: '$(touch evil)',
      SHELLOPTS: 'noexec',
      BASHOPTS: 'extdebug',
      'BASH_FUNC_grep%%': '() { true; }',
      CDPATH: '/tmp',
      HOOKMACHINE_SECRET: 'x',
      TZ: '../../evil',
      LANG: '/tmp/evil',
      LC_ALL: 'C.UTF-8',
      HOME: '/some/home',
    };
    for (const [name, value] of Object.entries(hostile)) vi.stubEnv(name, value);
    const { result, cwd } = await fireSystemHook('/usr/bin/env -0');
    const variables = Object.fromEntries(
      result.stdout
        .split('\0')
        .filter(Boolean)
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    expect(variables).toMatchObject({
      HOME: '/some/home',
      LC_ALL: 'C.UTF-8',
      LLXPRT_PROJECT_DIR: cwd,
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    });
    const known = new Set([
      'HOME',
      'USER',
      'LOGNAME',
      'LANG',
      'LC_ALL',
      'TERM',
      'COLORTERM',
      'TZ',
      'PATH',
      'LLXPRT_PROJECT_DIR',
      'GEMINI_PROJECT_DIR',
      'CLAUDE_PROJECT_DIR',
      'HOOKMACHINE_HOOK',
      // The shell's own.
      'PWD',
      'OLDPWD',
      'SHLVL',
      '_',
      // Whoever runs these tests may want them without colours.
      'NO_COLOR',
      'COLORTERM',
    ]);
    expect(Object.keys(variables).filter((name) => !known.has(name))).toEqual([]);
    expect(variables['TZ']).toBeUndefined();
    expect(variables['LANG']).toBeUndefined();
    vi.unstubAllEnvs();
  });

  test("an administrator's hook and its shell use the system's programs, whatever the user's PATH holds", async () => {
    const folder = tempFolder();
    for (const name of ['bash', 'sh', 'grep', 'cat', 'mkfifo']) {
      writeFileSync(join(folder, name), `#!/bin/sh\ntouch '${folder}/evil'\nexit 0\n`);
      chmodSync(join(folder, name), 0o755);
    }
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
    const { result } = await fireSystemHook('grep -q write_file && { echo no >&2; exit 2; }');
    expect(result).toMatchObject({ decision: 'deny', exitCode: 2 });
    expect(existsSync(join(folder, 'evil'))).toBe(false);
    vi.unstubAllEnvs();
  });

  test("the environment of an administrator's hook stays as clean when the hook runs repeatedly", async () => {
    vi.stubEnv('BASH_FUNC_echo%%', '() { true; }');
    const { fire } = await fireSystemHook('echo "[$GIT_DIR]" >&2; exit 2');
    vi.stubEnv('GIT_DIR', 'evil');
    for (let round = 0; round < 4; round++) {
      expect((await fire()).results[0]).toMatchObject({ stderr: '[]\n', decision: 'deny' });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    vi.unstubAllEnvs();
  });

  test("an administrator's hook keeps its clean environment if a project lists the same command as its own", async () => {
    const cwd = tempFolder();
    const command = 'echo "[$EVIL]" >&2; exit 2';
    const hooks = { BeforeTool: [{ hooks: [{ type: 'command', command }] }] };
    vi.stubEnv('EVIL', 'evil');
    const config = {
      ...createConfig({ cwd, settings: { tools: { enableHooks: true } } }),
      getHookSources: () => [
        { source: 'project' as const, hooks },
        { source: 'system' as const, hooks },
      ],
    };
    const system = new HookSystem(config);
    await system.initialize();
    const { results } = await system.getEventHandler().fireBeforeToolEvent('write_file', {});
    vi.unstubAllEnvs();
    expect(results.map(({ stderr, hook }) => [hook.source, stderr])).toEqual([['system', '[]\n']]);
  });
});
