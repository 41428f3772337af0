import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { sandbox } from '../support/sandbox.ts';

const run = (command: string, more: object = {}) => ({ type: 'command', command, ...more });

const group = (command: string) => [{ matcher: 'Bash', hooks: [run(command)] }];

describe('hookmachine list', () => {
  test('list shows every hook with its source and place, matcher, mode and timeout', async () => {
    const box = sandbox();
    const { files, home, write } = box;
    write(files.project, {
      tools: { enableHooks: true },
      hooks: {
        BeforeTool: [
          {
            matcher: 'write_file|replace',
            sequential: true,
            hooks: [
              run('./scan.sh', {
                name: 'scan',
                description: 'Looks for secrets.',
                timeout: 5000,
                onFailure: 'block',
              }),
            ],
          },
          { hooks: [run('./log.sh'), { type: 'plugin', name: 'later' }] },
        ],
      },
      hooksConfig: { disabled: ['./log.sh'] },
    });
    write(files.user, { hooks: { BeforeModel: [{ matcher: '*', hooks: [run('./ask.sh')] }] } });
    const path = `${home}/.llxprt/extensions/one`;
    write(`${path}/hooks/hooks.json`, {
      hooks: { SessionStart: [{ matcher: 'startup', hooks: [run('${extensionPath}/go.sh')] }] },
    });
    const { stdout, stderr, exitCode } = await inProcess(box, ['list']);
    expect(stdout).toBe(`BeforeTool
  scan
    Looks for secrets.
    command  ./scan.sh
    matcher  write_file|replace
    mode     sequential
    timeout  5000 ms
    dialect  llxprt
    project  ${files.project} hooks.BeforeTool[0].hooks[0]
    failure  blocks
  ./log.sh (disabled)
    matcher  *
    mode     parallel
    timeout  60000 ms
    dialect  llxprt
    project  ${files.project} hooks.BeforeTool[1].hooks[0]
  later (a plugin: it cannot run)
    matcher  *
    mode     parallel
    timeout  60000 ms
    dialect  llxprt
    project  ${files.project} hooks.BeforeTool[1].hooks[1]

BeforeModel
  ./ask.sh
    mode     parallel
    timeout  60000 ms
    dialect  llxprt
    user     ${files.user} hooks.BeforeModel[0].hooks[0]

SessionStart
  \${extensionPath}/go.sh
    matcher  startup
    mode     parallel
    timeout  60000 ms
    dialect  llxprt
    extension ${path}/hooks/hooks.json hooks.SessionStart[0].hooks[0]`);
    expect([stderr, exitCode]).toEqual(['', 0]);
  });

  test('list shows what was discarded, and why', async () => {
    const box = sandbox();
    box.write(
      box.files.project,
      '{ "enableHooks": true,\n "hooks": { "BeforeTool": [ { "hooks": [{ "command": "x" }] } ] } }',
    );
    const { stdout, stderr } = await inProcess(box, ['list']);
    expect(stdout).toBe(`No hooks are configured.

Problems
  ${box.files.project}:2:41 hooks.BeforeTool[0].hooks[0].type: is missing, so the hook was discarded; write "type": "command"`);
    expect(stderr).toBe('');
  });

  test('list says that hooks are off and how to switch them on, and lists them all the same', async () => {
    const box = sandbox();
    box.write(box.files.project, { hooks: { BeforeTool: [{ hooks: [run('x')] }] } });
    const { stdout } = await inProcess(box, ['list']);
    expect(stdout).toMatch(
      /^Hooks are off\. Set "tools": \{ "enableHooks": true \} in settings\.json/,
    );
    expect(stdout).toContain('\n\nBeforeTool\n  x\n');
  });

  test('list says what switches off hooks that need no switch', async () => {
    const box = sandbox();
    box.write(join(box.project, '.hookmachine/settings.json'), {
      hooksConfig: { enabled: false },
      hooks: { 'tool.before': [{ hooks: [run('x')] }] },
    });
    const { stdout } = await inProcess(box, ['list']);
    expect(stdout).toMatch(/^Hooks are off. Remove the false value of hooksConfig\.enabled/);
  });

  test('list says that no hooks are configured', async () => {
    const { stdout, stderr, exitCode } = await inProcess(sandbox(), ['list']);
    expect([stdout, stderr, exitCode]).toEqual(['No hooks are configured.', '', 0]);
  });

  test('list blames no switch for a file that cannot be parsed', async () => {
    const box = sandbox();
    const file = box.write(join(box.project, '.hookmachine/settings.json'), '{ "hooks": {');
    const { stdout } = await inProcess(box, ['list']);
    expect(stdout).toBe(`No hooks are configured.

Problems
  ${file}:1:13: not valid JSON (a closing } is expected), so the whole file is ignored; fix the JSON there`);
  });

  test('list shows the type of each hook, and which calls it is for', async () => {
    const box = sandbox();
    const hooks = [
      { type: 'module', name: 'a', module: './a.mjs', if: 'Write(src/**)', once: true },
      { type: 'http', name: 'b', url: 'https://b.example/', async: true },
      { type: 'prompt', name: 'c', prompt: 'Safe?' },
      { type: 'live', name: 'd', command: 'python3', args: ['d e.py'] },
    ];
    box.write(join(box.home, '.hookmachine/settings.json'), {
      hooks: { 'tool.before': [{ hooks }] },
    });
    const { stdout } = await inProcess(box, ['list']);
    expect(stdout).toContain(
      '    module   ./a.mjs\n    matcher  *\n    if       Write(src/**)\n    once     per session',
    );
    expect(stdout).toContain(
      '    http     https://b.example/\n    matcher  *\n    async    not waited for\n',
    );
    expect(stdout).toContain('    prompt   Safe?\n');
    expect(stdout).toContain('    live     python3 ["d e.py"]\n');
  });

  test('list --all shows every hook of every agent by file, and entries that call hookmachine', async () => {
    const box = sandbox();
    const other = join(box.folder, 'other');
    box.write(join(box.home, '.claude/settings.json'), {
      hooks: { PreToolUse: [...group('./mine.sh'), ...group('hookmachine relay claude-code')] },
    });
    box.write(join(box.project, '.gemini/settings.json'), {
      hooks: { BeforeTool: group('./theirs.sh') },
    });
    box.write(join(other, '.cursor/hooks.json'), {
      version: 1,
      hooks: { beforeShellExecution: [{ command: './other.sh' }] },
    });
    const env = { ...box.env, HOOKMACHINE_TRUST: '' };
    await inProcess({ project: other, env }, ['trust', '--yes']);
    const { stdout } = await inProcess({ project: box.project, env }, ['list', '--all', '--json']);
    const { hooks } = JSON.parse(stdout) as { hooks: readonly Record<string, unknown>[] };
    const seen = hooks.map(({ file, event, command, isRelay, off }) => [
      file,
      event,
      command,
      isRelay ?? off,
    ]);
    expect(seen).toEqual([
      [join(box.home, '.claude/settings.json'), 'PreToolUse', './mine.sh', undefined],
      [
        join(box.home, '.claude/settings.json'),
        'PreToolUse',
        'hookmachine relay claude-code',
        true,
      ],
      [join(other, '.cursor/hooks.json'), 'beforeShellExecution', './other.sh', undefined],
      [join(box.project, '.gemini/settings.json'), 'BeforeTool', './theirs.sh', 'not trusted'],
    ]);
    const text = (await inProcess({ project: box.project, env }, ['list', '--all'])).stdout;
    expect(text).toContain('  PreToolUse           Bash         command ./mine.sh');
    expect(text).toContain('calls hookmachine: hookmachine relay claude-code');
  });

  test('list --json prints the same as data', async () => {
    const box = sandbox();
    box.write(box.files.project, {
      enableHooks: true,
      hooks: { AfterTool: [{ matcher: '**', hooks: [run('x', { timeout: 0 })] }] },
    });
    const { stdout } = await inProcess(box, ['list', '--json']);
    const listed = JSON.parse(stdout) as { discarded: object[] };
    expect(listed).toEqual({
      enabled: true,
      hooks: [
        {
          event: 'AfterTool',
          type: 'command',
          command: 'x',
          name: 'x',
          timeout: 60_000,
          onFailure: 'allow',
          matcher: '**',
          dialect: 'llxprt',
          mode: 'parallel',
          source: 'project',
          file: box.files.project,
          place: 'hooks.AfterTool[0].hooks[0]',
          enabled: true,
        },
      ],
      discarded: [
        expect.objectContaining({
          place: 'hooks.AfterTool[0].matcher',
          at: { line: 1, column: 54 },
        }),
        {
          file: box.files.project,
          at: { line: 1, column: 110 },
          place: 'hooks.AfterTool[0].hooks[0].timeout',
          message: 'is 0, so it was ignored',
          fix: 'make it a positive number of milliseconds',
          text: `${box.files.project}:1:110 hooks.AfterTool[0].hooks[0].timeout: is 0, so it was ignored; make it a positive number of milliseconds`,
        },
      ],
    });
  });

  test('list shows as many hooks as a settings file can hold', async () => {
    const box = sandbox();
    const hooks = Array.from({ length: 20_000 }, (_, index) => run(`${index}`));
    box.write(box.files.project, { enableHooks: true, hooks: { BeforeTool: [{ hooks }] } });
    const { exitCode, stdout } = await inProcess(box, ['list']);
    expect(exitCode).toBe(0);
    expect(stdout.match(/^    mode /gm)).toHaveLength(20_000);
  });

  test("list keeps a stranger's settings from playing tricks on the terminal", async () => {
    const box = sandbox();
    const command = 'echo harmless #\u001B[2K\r\nrm -rf . \u202E\u009B31m';
    box.write(box.files.project, {
      enableHooks: true,
      hooks: { BeforeTool: [{ hooks: [run(command)] }], '\u001B[31m': [] },
    });
    const { stdout } = await inProcess(box, ['list']);
    expect(stdout).toContain('  echo harmless #\\u{1b}[2K\\u{d}\\nrm -rf . \\u{202e}\\u{9b}31m\n');
    // oxlint-disable-next-line no-control-regex -- none of them may reach a terminal
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/);
  });

  test('list --cwd accepts another folder, and says if there is none', async () => {
    const box = sandbox();
    box.write(box.files.project, { hooks: { BeforeTool: [{ hooks: [run('x')] }] } });
    const there = await inProcess({ ...box, project: box.home }, ['list', '--cwd', '../project']);
    expect(there.stdout).toContain('\n  x\n');
    const nowhere = await inProcess(box, ['list', '--cwd', 'nowhere']);
    expect(nowhere.exitCode).toBe(1);
    expect(nowhere.stderr).toBe('hookmachine: --cwd nowhere: there is no such folder');
    box.write(`${box.project}/file`, '');
    const inFile = await inProcess(box, ['list', '--cwd', 'file/folder']);
    expect(inFile.exitCode).toBe(1);
    expect(inFile.stderr).toBe('hookmachine: --cwd file/folder: there is no such folder');
  });
});
