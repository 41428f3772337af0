import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { shellWord } from '../../src/base/shell-word.ts';
import { hosts } from '../../src/hosts/all/hosts.ts';
import { startCommand } from '../../src/workbench/doctor/start-command.ts';
import { published } from '../published-hosts/installed.ts';
import { inProcess } from '../support/in-process.ts';
import { main } from '../support/main.ts';
import { sandbox, type Sandbox } from '../support/sandbox.ts';

interface Report {
  readonly agents: readonly { agent: string; version?: string; lastSeen?: string }[];
  readonly findings: readonly { code: string; agent?: string; message: string; fix?: string }[];
}

let box: Sandbox;
let programs: string;

beforeEach(() => {
  box = sandbox();
  programs = join(box.home, 'programs');
  mkdirSync(programs, { recursive: true });
});

/** Puts a program on the PATH. */
function program(name: string, text: string): string {
  const file = box.write(join(programs, name), `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  return file;
}

const env = () => ({
  ...box.env,
  HOOKMACHINE_TRUST: '',
  PATH: `${programs}:/usr/bin:/bin`,
});

async function doctor(...args: readonly string[]): Promise<Report & { exitCode: number }> {
  const { stdout, stderr, exitCode } = await inProcess({ project: box.project, env: env() }, [
    'doctor',
    '--json',
    ...args,
  ]);
  expect(stderr).toBe('');
  return { ...(JSON.parse(stdout) as Report), exitCode };
}

const codes = ({ findings }: Report, agent = 'claude-code'): string[] =>
  findings.filter((one) => one.agent === agent).map(({ code }) => code);

/** An agent, and our command in its user's file. */
async function installed(agent = 'claude-code', name = 'claude'): Promise<string> {
  program(name, 'echo 2.1.0');
  program('hookmachine', 'cat > /dev/null');
  const args = ['install', agent, '--scope', 'user', '--command', 'hookmachine'];
  const { exitCode } = await inProcess({ project: box.project, env: env() }, args);
  expect(exitCode).toBe(0);
  return join(box.home, '.claude/settings.json');
}

const edit = (file: string, change: (text: string) => string): void =>
  void box.write(file, change(readFileSync(file, 'utf8')));

const trusted = (key: string, more: string): string =>
  `[hooks.state.${JSON.stringify(key)}]\n${more}\n`;

describe('hookmachine doctor', () => {
  test('says that nothing guards a machine without agents and hooks', async () => {
    const { agents, findings, exitCode } = await doctor();
    expect(agents).toEqual([]);
    expect(findings.map(({ code }) => code)).toEqual(['no-hooks']);
    expect(exitCode).toBe(2);
  });

  test('says of every agent on the PATH that does not call hookmachine how to have it call', async () => {
    for (const host of hosts) {
      const [name = ''] = (await host.install()).programs;
      program(name, 'echo 0.1.2');
    }
    const report = await doctor();
    for (const { name } of hosts) {
      expect([name, ...codes(report, name)]).toEqual([name, 'no-entries']);
      expect(report.findings.find(({ agent }) => agent === name)!.fix).toContain(name);
    }
    expect(report.agents.map(({ version }) => version)).toEqual(hosts.map(() => '0.1.2'));
  });

  test('finds nothing wrong with an agent that has called, and says when that was', async () => {
    await installed();
    box.write(box.own.project, { guards: { shell: 'on' } });
    await inProcess({ project: box.project, env: env() }, ['trust', '--yes']);
    expect(codes(await doctor())).toEqual(['never-seen']);
    const event = { hook_event_name: 'SessionStart', session_id: 's', source: 'startup' };
    await inProcess(
      { project: box.project, env: env() },
      ['relay', 'claude-code'],
      JSON.stringify(event),
    );
    const report = await doctor();
    expect([report.findings, report.exitCode]).toEqual([[], 0]);
    expect(report.agents[0]!.lastSeen).toMatch(/^\d{4}-.*Z$/);
  });

  test.each<[string, string, (file: string) => void]>([
    [
      'entries-missing',
      'an entry was removed',
      (file) => edit(file, (text) => JSON.stringify(without(text, 'PreToolUse'))),
    ],
    [
      'entries-edited',
      'an entry was edited',
      (file) =>
        edit(file, (text) => text.replace('"type": "command"', '"type": "command", "timeout": 1')),
    ],
    ['file-ignored', 'the file has comments', (file) => edit(file, (text) => `// mine\n${text}`)],
    ['file-unreadable', 'the file is broken', (file) => edit(file, (text) => text.slice(0, -4))],
    ['command-gone', 'our command is gone', () => rmSync(join(programs, 'hookmachine'))],
    [
      'command-not-executable',
      'our command is not executable',
      (file) => {
        const other = shellWord(join(programs, 'hookmachine'));
        edit(file, (text) => text.replaceAll('"hookmachine relay', `"${other} relay`));
        chmodSync(join(programs, 'hookmachine'), 0o644);
      },
    ],
    [
      'command-fails',
      'our command fails',
      () => program('hookmachine', 'echo "something is broken" >&2; exit 1'),
    ],
    [
      'hooks-off',
      'hooks are switched off by the user',
      (file) => edit(file, (text) => text.replace('{', '{"disableAllHooks": true,')),
    ],
    [
      'hooks-off',
      'hooks are switched off by the project',
      () => box.write(join(box.project, '.claude/settings.json'), { disableAllHooks: true }),
    ],
    [
      'hooks-off',
      'hooks are switched off in local settings',
      () => box.write(join(box.project, '.claude/settings.local.json'), { disableAllHooks: true }),
    ],
    ['version-unknown', 'the agent says no version', () => program('claude', 'exit 1')],
    ['version-newer', 'nobody has measured that version', () => program('claude', 'echo 2.2.0')],
    [
      'timeout-short',
      'the agent hardly waits',
      (file) =>
        edit(file, (text) => text.replace('"type": "command"', '"type": "command", "timeout": 1')),
    ],
    [
      'other-hook',
      'another hook may undo a denial',
      (file) =>
        edit(file, (text) => {
          const all = JSON.parse(text) as { hooks: Record<string, unknown[]> };
          all.hooks['PermissionRequest']!.push({
            hooks: [{ type: 'command', command: 'allow.sh' }],
          });
          return JSON.stringify(all);
        }),
    ],
    [
      'node-gone',
      'Node.js is not on the PATH',
      () => program('hookmachine', 'echo "hookmachine: exec: node: not found" >&2; exit 127'),
    ],
    [
      'node-wrong',
      'Node.js is too old',
      () =>
        program(
          'hookmachine',
          'echo "Error [ERR_UNKNOWN_BUILTIN_MODULE]: node:sqlite" >&2; exit 1',
        ),
    ],
  ])('finds %s where %s', async (code, _, harm) => {
    const file = await installed();
    harm(file);
    const report = await doctor();
    expect(codes(report)).toContain(code);
    expect(report.findings.find((one) => one.code === code)!.fix).toBeTruthy();
    expect(report.exitCode).toBeGreaterThan(0);
  });

  test.each<[string, string, string, unknown]>([
    ['gemini-cli', 'gemini', '.gemini/settings.json', { hooksConfig: { enabled: false } }],
    ['qwen-code', 'qwen', '.qwen/settings.json', { disableAllHooks: true }],
    ['codex', 'codex', '.codex/config.toml', '[features]\nhooks = false\n'],
    ['codex', 'codex', '.codex/config.toml', '[features]\ncodex_hooks = false\n'],
    ['copilot', 'copilot', '.github/copilot/settings.json', { disableAllHooks: true }],
  ])('finds that hooks of %s are switched off (%s, %s)', async (agent, name, file, content) => {
    await installed(agent, name);
    box.write(join(box.project, file), content);
    expect(codes(await doctor(), agent)).toContain('hooks-off');
  });

  test('finds what Codex does not trust, no longer trusts, or has switched off', async () => {
    await installed('codex', 'codex');
    const file = join(box.home, '.codex/hooks.json');
    const config = join(box.home, '.codex/config.toml');
    expect(codes(await doctor(), 'codex')).toContain('entry-untrusted');
    // As Codex 0.169 itself says it for this definition.
    box.write(file, {
      hooks: {
        PreToolUse: [
          { hooks: [{ type: 'command', command: 'hookmachine relay codex', timeout: 60 }] },
        ],
      },
    });
    const key = `${file}:pre_tool_use:0:0`;
    const hash =
      'trusted_hash = "sha256:72b96ed1a2a3282703f4930ef34c465302db5a0de6c4022c935eaa41c433134e"';
    box.write(config, trusted(key, hash));
    const entries = async () =>
      codes(await doctor(), 'codex').filter((code) => code.startsWith('entry-'));
    expect(await entries()).toEqual([]);
    box.write(config, trusted(key, `${hash}\nenabled = false`));
    expect(await entries()).toEqual(['entry-switched-off']);
    box.write(config, trusted(key, hash));
    edit(file, (text) => text.replace('60', '61'));
    expect(await entries()).toEqual(['entry-changed']);
  });

  test.each([
    [
      'codex',
      'codex',
      '.codex/config.toml',
      '',
      (at: string) => `[projects.${JSON.stringify(at)}]\ntrust_level = "trusted"\n`,
    ],
    [
      'gemini-cli',
      'gemini',
      '.gemini/trustedFolders.json',
      '{}',
      (at: string) => JSON.stringify({ [at]: 'TRUST_FOLDER' }),
    ],
    [
      'qwen-code',
      'qwen',
      '.qwen/trustedFolders.json',
      '{}',
      (at: string) => JSON.stringify({ [join(at, '../x')]: 'TRUST_PARENT' }),
    ],
  ] as const)('finds that %s does not trust the folder', async (agent, name, file, none, some) => {
    program(name, 'echo 0.1.0');
    program('hookmachine', 'cat > /dev/null');
    const args = ['install', agent, '--command', 'hookmachine'];
    await inProcess({ project: box.project, env: env() }, args);
    if (agent !== 'codex')
      box.write(join(box.home, file, '../settings.json'), {
        security: { folderTrust: { enabled: true } },
      });
    box.write(join(box.home, file), none);
    expect(codes(await doctor(), agent)).toContain('folder-untrusted');
    box.write(join(box.home, file), some(box.project));
    expect(codes(await doctor(), agent)).not.toContain('folder-untrusted');
  });

  test('finds entries that stand in two files, so that hooks run twice', async () => {
    await installed();
    const args = ['install', 'claude-code', '--command', 'hookmachine'];
    await inProcess({ project: box.project, env: env() }, args);
    expect(codes(await doctor())).toContain('entries-twice');
  });

  test('finds a server that is down and a token that is missing', async () => {
    program('claude', 'echo 2.1.0');
    const args = ['install', 'claude-code', '--scope', 'user', '--via', 'http'];
    await inProcess({ project: box.project, env: env() }, args);
    const found = codes(await doctor());
    expect(found).toContain('serve-down');
    expect(found).toContain('token-missing');
  });

  test('ends a command that does not answer, and says so', async () => {
    const fault = await startCommand('sleep 60', {}, box.project, 300);
    expect(fault).toMatchObject({ code: 'command-hangs', level: 'off' });
  });

  test('starts no command that a project brings along', async () => {
    program('claude', 'echo 2.1.0');
    const started = join(box.home, 'started');
    chmodSync(box.write(join(box.project, 'hookmachine'), `#!/bin/sh\ntouch ${started}\n`), 0o755);
    box.write(join(box.project, '.claude/settings.json'), {
      hooks: {
        PreToolUse: [{ hooks: [{ type: 'command', command: './hookmachine relay claude-code' }] }],
      },
    });
    expect(codes(await doctor())).toContain('command-foreign');
    expect(() => readFileSync(started)).toThrow();
  });

  test('finds hooks of a project that nobody has trusted, and settings that are wrong', async () => {
    box.write(box.own.project, { guards: { shell: 'on' } });
    expect((await doctor()).findings.map(({ code }) => code)).toEqual(['untrusted']);
    await inProcess({ project: box.project, env: env() }, ['trust', '--yes']);
    expect((await doctor()).findings).toEqual([]);
    box.write(box.own.project, { guards: { shell: 'on' }, hooks: { NoSuchEvent: [] } });
    expect((await doctor()).findings.map(({ code }) => code)).toContain('settings-wrong');
  });

  test('--fix writes the entries that are missing, and nothing else', async () => {
    const file = await installed();
    const before = readFileSync(file, 'utf8');
    edit(file, (text) => JSON.stringify(without(text, 'PreToolUse'), null, 2));
    program('gemini', 'echo 0.1.0');
    const report = await doctor('--fix');
    expect(codes(report)).not.toContain('entries-missing');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(
      expect.objectContaining(JSON.parse(before) as object),
    );
    expect(codes(report, 'gemini-cli')).toEqual(['no-entries']);
  });

  test('prints one line for each finding, with what to do', async () => {
    await installed();
    const { stdout } = await inProcess({ project: box.project, env: env() }, ['doctor']);
    expect(stdout).toMatch(/^Claude Code 2\.1\.0, never seen\n {2}warning no event/);
    expect(stdout).toContain('OFF     no hook is configured');
  });
});

function without(text: string, event: string): object {
  const settings = JSON.parse(text) as { hooks: Record<string, unknown> };
  const { [event]: _, ...hooks } = settings.hooks;
  return { ...settings, hooks };
}

const start = async (): Promise<unknown> => {
  const event = { hook_event_name: 'SessionStart', session_id: 's', source: 'startup' };
  const place = { project: box.project, env: env() };
  const { stdout } = await inProcess(place, ['relay', 'claude-code'], JSON.stringify(event));
  return stdout === '' ? undefined : JSON.parse(stdout);
};

describe('the start of a session', () => {
  test('tells the user once that another agent does not run its entries', async () => {
    await installed('codex', 'codex');
    expect(await start()).toEqual({
      systemMessage: expect.stringContaining('Codex skips the hook'),
    });
    expect(await start()).toBeUndefined();
    // Another day would look again, but say nothing twice.
    rmSync(join(box.home, '.local/state/hookmachine/seen'), { recursive: true });
    expect(await start()).toBeUndefined();
  });

  test('says nothing where all is well', async () => {
    await installed();
    expect(await start()).toBeUndefined();
  });
});

test('an agent that has the plugin needs no entries, and is told if it has both', async () => {
  const agents: string[] = [];
  for (const host of hosts) {
    const folder = (await host.install()).pluginFolder?.({ cwd: '', home: box.home, env: {} });
    if (folder === undefined) continue;
    agents.push(host.name);
    mkdirSync(folder, { recursive: true });
  }
  const report = await doctor();
  expect(report.agents.map(({ agent }) => agent)).toEqual(agents);
  for (const agent of agents) expect(codes(report, agent)).toEqual(['never-seen']);
  await installed();
  expect(codes(await doctor())).toContain('entries-twice');
});

test('no agent whose entries were just installed has a command that fails', async () => {
  program('hookmachine', `exec ${shellWord(process.execPath)} ${shellWord(main)} "$@"`);
  for (const { name } of hosts) {
    const args = ['install', name, '--scope', 'user', '--command', 'hookmachine'];
    expect(await inProcess({ project: box.project, env: env() }, args)).toMatchObject({
      exitCode: 0,
    });
  }
  const { agents, findings } = await doctor();
  expect(agents.map(({ agent }) => agent)).toEqual(hosts.map(({ name }) => name));
  expect(findings.filter(({ code }) => code.startsWith('command-'))).toEqual([]);
});

test('the versions that the doctor knows are those that are measured', async () => {
  for (const [name, { package: measured }] of Object.entries(published)) {
    const host = hosts.find((one) => one.name === name)!;
    expect((await host.install()).measured).toContain(/@(\d[\d.]*)$/.exec(measured)![1]!);
  }
});
