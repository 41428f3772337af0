import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { main } from '../support/main.ts';
import { commandInProcess, group, project } from '../support/project.ts';
import { tempFolder } from '../support/temp-folder.ts';

const guard = `#!/bin/sh
if grep -q '\\.env"'; then echo "Secrets stay out of .env files." >&2; exit 2; fi
`;
const settings = {
  hooks: { BeforeTool: [group('./guard.sh', { name: 'no-env' }, 'write_file')] },
};
const write = (path: string) =>
  `{ tool_name: write_file, tool_input: { file_path: ${path}, content: x } }`;
const oneTest = (path: string, expected: string, more = '') => `tests:
  - name: writes ${path}
    event: BeforeTool
    input: ${write(path)}
    expect: ${expected}
${more}`;

const files = (tests: string, more: Record<string, string | object> = {}) =>
  project({
    'guard.sh': guard,
    '.hookmachine/settings.json': settings,
    'guard.hooktest.yaml': tests,
    ...more,
  });
const run = (cwd: string, ...args: string[]) => commandInProcess(['test', '--cwd', cwd, ...args]);

describe('hookmachine test', () => {
  test("hookmachine test passes if the project's hooks do what is expected", async () => {
    const cwd = files(oneTest('.env', '{ decision: deny, reason: Secrets stay }'), {
      'deep/er/pass.hooktest.yaml': oneTest('a.txt', '{ decision: allow, changed: false }'),
      'node_modules/other.hooktest.yaml': 'not a test',
    });
    const { stdout, exitCode } = await run(cwd);
    expect(stdout).toBe(`✓ deep/er/pass.hooktest.yaml: writes a.txt
✓ guard.hooktest.yaml: writes .env

2 passed, 0 failed`);
    expect(exitCode).toBe(0);
  });

  test('hookmachine test shows what differs, with what the hook did, and exits with 1', async () => {
    const cwd = files(oneTest('a.txt', '{ decision: deny }'));
    const { stdout, exitCode } = await run(cwd);
    expect(stdout).toBe(`✗ guard.hooktest.yaml: writes a.txt
    decision: - expected, + actual
      - "deny"
      + "none"
    hook "no-env" ended with exit 0

0 passed, 1 failed`);
    expect(exitCode).toBe(1);
  });

  test('a test fails if hooks are not trusted, even if it expects what comes without them', async () => {
    const cwd = files(oneTest('a.txt', '{ decision: allow }'));
    const { stdout, exitCode } = await commandInProcess(['test', '--cwd', cwd], {
      env: { HOOKMACHINE_TRUST: '' },
    });
    expect(exitCode).toBe(1);
    expect(stdout).toContain(`✗ guard.hooktest.yaml: writes a.txt
    hooks: - expected, + actual
      - "trusted"
      + "skipped"
    ${cwd}: the hooks of this project are not trusted, so they were skipped`);
  });

  test('a test fails if a hook has changed since it was trusted', async () => {
    const cwd = files(oneTest('a.txt', '{ decision: allow }'));
    const env = { HOOKMACHINE_TRUST: '', HOME: tempFolder() };
    await commandInProcess(['trust', '--cwd', cwd, '--yes'], { env });
    expect((await commandInProcess(['test', '--cwd', cwd], { env })).exitCode).toBe(0);
    appendFileSync(join(cwd, 'guard.sh'), '# changed\n');
    const { stdout, exitCode } = await commandInProcess(['test', '--cwd', cwd], { env });
    expect(exitCode).toBe(1);
    expect(stdout).toContain('+ "skipped"');
  });

  test('a test compares fields that a hook changed, in the terms of the dialect', async () => {
    const cwd = project({
      'rename.sh': `#!/bin/sh\necho '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"file_path":"/b.txt","content":"x"}}}'\n`,
      'rename.hooktest.yaml': `dialect: claude-code
hook: ./rename.sh
tests:
  - name: renames
    event: PreToolUse
    input: { tool_name: Write, tool_input: { file_path: /a.txt, content: x } }
    expect: { decision: allow, changed: { tool_input: { file_path: /b.txt } } }
  - name: does not
    event: PreToolUse
    input: { tool_name: Write, tool_input: { file_path: /a.txt, content: x } }
    expect: { decision: allow, changed: { tool_input: { file_path: /c.txt } } }
`,
    });
    const { stdout, exitCode } = await run(cwd);
    expect(stdout).toContain('✓ rename.hooktest.yaml: renames');
    expect(stdout).toContain('-   "file_path": "/c.txt"');
    expect(stdout).toContain('+   "file_path": "/b.txt"');
    expect(exitCode).toBe(1);
  });

  test('a test runs a script under all dialects, and says under which it fails', async () => {
    const cwd = files(`dialect: all\nhook: ./guard.sh\n${oneTest('.env', '{ decision: deny }')}`);
    const { stdout, exitCode } = await run(cwd);
    // Kodelet does not take an exit status alone for a denial.
    expect(stdout).toContain('as a hook of kodelet before_tool_call:');
    expect(stdout).not.toContain('as a hook of claude-code');
    expect(exitCode).toBe(1);
  });

  test('a test finds a script beside the file that names it', async () => {
    const cwd = project({
      'hooks/guard.sh': guard,
      'hooks/guard.hooktest.yaml': `hook: guard.sh\n${oneTest('.env', '{ decision: deny }')}`,
    });
    const { stdout } = await run(cwd);
    expect(stdout).toContain('1 passed, 0 failed');
  });

  test('hookmachine test names file, line, place and fix of each mistake, and runs the other files', async () => {
    const cwd = files(oneTest('.env', '{ decison: deny }', 'hok: x\n'), {
      'good.hooktest.yaml': oneTest('.env', '{ decision: deny }'),
    });
    const { stdout, exitCode } = await run(cwd);
    expect(stdout).toContain(
      'guard.hooktest.yaml:5:15 tests[0].expect.decison: there is no such key; write "decision"',
    );
    expect(stdout).toContain('guard.hooktest.yaml:6:1 hok: there is no such key; write "hook"');
    expect(stdout).toContain('✓ good.hooktest.yaml: writes .env');
    expect(exitCode).toBe(1);
  });

  test.each([
    ['BeforTool', 'BeforeTool'],
    ['PreToolUse', 'BeforeTool or tool.before, or "dialect: claude-code"'],
  ])(
    'hookmachine test names the line of a test that cannot be run: its event is %s',
    async (event, fix) => {
      const cwd = files(oneTest('.env', '{ decision: deny }').replace('BeforeTool', event));
      const { stdout, exitCode } = await run(cwd);
      expect(stdout).toContain(
        `guard.hooktest.yaml:2: hookmachine has no event "${event}": use ${fix}`,
      );
      expect(exitCode).toBe(1);
    },
  );

  test('hookmachine test says in which folder there is no test', async () => {
    const { stderr, exitCode } = await run(project());
    expect(stderr).toContain('there is no *.hooktest.yaml in ');
    expect(exitCode).toBe(1);
  });

  test('hookmachine test writes JUnit XML in which nothing that a hook says is markup', async () => {
    const cwd = files(
      `hook: 'echo "<&>" >&2; exit 2'\n${oneTest('a.txt', '{ decision: deny, reason: fine }')}${oneTest('b.txt', '{ decision: deny }').replace('tests:\n', '')}`,
    );
    const { exitCode } = await run(cwd, '--junit', join(cwd, 'junit.xml'));
    const xml = readFileSync(join(cwd, 'junit.xml'), 'utf8');
    expect(xml).toContain('<testsuite name="guard.hooktest.yaml" tests="2" failures="1"');
    expect(xml).toContain('+ &quot;&lt;&amp;&gt;');
    expect(xml).not.toContain('<&>');
    expect(exitCode).toBe(1);
  });

  test('hookmachine test --watch runs the tests again when a file changes', async () => {
    const cwd = files(oneTest('.env', '{ decision: deny }'));
    const watching = execa('node', [main, 'test', '--watch'], {
      cwd,
      env: { HOME: tempFolder(), HOOKMACHINE_TRUST: '1' },
      reject: false,
    });
    let seen = '';
    repeatedly(() => {
      if (seen.includes('Waiting for changes'))
        appendFileSync(join(cwd, 'guard.hooktest.yaml'), '# changed\n');
    });
    for await (const part of watching.iterable({ from: 'stdout' })) {
      seen += `${part}\n`;
      if (seen.split('1 passed, 0 failed').length === 3) break;
    }
    watching.kill('SIGKILL');
    expect(seen.split('✓ guard.hooktest.yaml: writes .env')).toHaveLength(3);
  });
});

/** Makes a change again and again until it is seen, since the watcher does not say when it is ready. */
function repeatedly(change: () => void): void {
  const timer = setInterval(change, 1000);
  onTestFinished(() => clearInterval(timer));
}
