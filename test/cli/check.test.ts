import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { sandbox, type Sandbox } from '../support/sandbox.ts';

const run = (command: string, more: object = {}) => ({ type: 'command', command, ...more });

/** What check says about BeforeTool hooks, as codes by place. */
async function found(box: Sandbox, groups: readonly object[], args: readonly string[] = []) {
  box.write(box.own.project, { hooks: { BeforeTool: groups } });
  const { stdout, exitCode } = await inProcess(box, ['check', '--json', ...args]);
  const problems = JSON.parse(stdout) as { place: string; code: string; fix: string }[];
  expect(exitCode).toBe(problems.length > 0 ? 1 : 0);
  return problems.map(({ place, code, fix }) => ({ place: place.replace('hooks.BeforeTool', ''), code, fix })); // prettier-ignore
}

const before = (matcher: string) => [{ matcher, hooks: [run('true')] }];

const script = (box: Sandbox, name: string, text: string, mode = 0o755): void =>
  chmodSync(box.write(join(box.project, name), text), mode);

describe('hookmachine check', () => {
  test('check says that nothing is wrong, and exits with 0, if nothing is', async () => {
    const box = sandbox();
    script(box, 'guard.sh', '#!/bin/sh\nexit 0\n');
    box.write(box.own.project, { hooks: { BeforeTool: [{ matcher: 'write_file', hooks: [run('./guard.sh')] }] } }); // prettier-ignore
    const { stdout, exitCode } = await inProcess(box, ['check']);
    expect([stdout, exitCode]).toEqual(['Nothing is wrong with 1 hook.', 0]);
  });

  test('check groups problems by file, one line each, with place and fix, and exits with 1', async () => {
    const box = sandbox();
    box.write(box.own.project, '{ "hooks": { "BeforeTool": [ { "matchers": "replace", "hooks": [ { "type": "command", "command": "./gone.sh" } ] } ] } }'); // prettier-ignore
    const { stdout, exitCode } = await inProcess(box, ['check']);
    expect([stdout, exitCode]).toEqual([
      `${box.own.project}
  1:32 hooks.BeforeTool[0].matchers: there is no such key, so it is ignored; write "matcher"  [unknown-key]
  hooks.BeforeTool[0].hooks[0]: its script "./gone.sh" does not exist; write the path of an existing file, relative to the project folder  [script-missing]

2 problems in 1 hook.`,
      1,
    ]);
  });

  test('check finds scripts that are missing, not executable, have Windows line endings or lack their interpreter', async () => {
    const box = sandbox();
    script(box, 'plain.sh', '#!/bin/sh\n', 0o644);
    script(box, 'dos.sh', '#!/bin/sh\r\nexit 0\r\n');
    script(box, 'odd.py', '#!/usr/bin/env no-such-python\n');
    script(box, 'bare.py', 'import json, sys\nd = json.load(sys.stdin)\n');
    const commands = ['./bare.py', 'python3 bare.py', './gone.sh', 'node gone.mjs', './plain.sh', 'sh plain.sh', './dos.sh', 'sh dos.sh', './odd.py', 'no-such-program', '[ -x ./gone.sh ] && ./gone.sh', '"$LLXPRT_PROJECT_DIR"/plain.sh']; // prettier-ignore
    const problems = await found(box, [{ hooks: commands.map((command) => run(command)) }]);
    expect(problems.map(({ place, code }) => `${place} ${code}`)).toEqual([
      '[0].hooks[0] not-shell',
      '[0].hooks[2] script-missing',
      '[0].hooks[3] script-missing',
      '[0].hooks[4] not-executable',
      '[0].hooks[6] line-ends',
      '[0].hooks[7] line-ends',
      '[0].hooks[8] interpreter-missing',
      '[0].hooks[9] program-missing',
      '[0].hooks[11] not-executable',
    ]);
  });

  test.each([
    ['./plain.sh', 'plain.sh', '#!/bin/sh\nexit 0\n', 0o644],
    ['./dos.sh', 'dos.sh', '#!/bin/sh\r\nexit 0\r\n', 0o755],
    ['sh dos.sh', 'dos.sh', 'nothing\r\n', 0o755],
    ['./odd.py', 'odd.py', '#!/usr/bin/env no-such-python\n', 0o755],
    ['./bare.py', 'bare.py', 'import json, sys\n', 0o755],
    ['./odd.py --fast < /dev/null', 'odd.py', '#!/no/such/python\n', 0o755],
    ['"$LLXPRT_PROJECT_DIR"/plain.sh', 'plain.sh', '#!/bin/sh\n', 0o644],
  ])(
    'what check says of %s (%s) is also said when it has failed',
    async (command, name, text, mode) => {
      const box = sandbox();
      script(box, name, text, mode);
      const hooks = [{ hooks: [run(command, { name: 'guard', onFailure: 'block' })] }];
      box.write(box.own.project, { hooks: { BeforeTool: hooks } });
      const { stdout } = await inProcess(box, ['check']);
      const said = /(?:its script \S+) ([^]*?)  \[/.exec(stdout)?.[1];
      expect(said).toBeDefined();
      const fired = await inProcess(
        box,
        ['fire', 'BeforeTool'],
        '{"tool_name":"x","tool_input":{}}',
      );
      const { reason } = JSON.parse(fired.stdout) as { reason: string };
      const plain = (line: string): string =>
        line.replaceAll(/\S*(?:plain\.sh|dos\.sh|odd\.py)"?/g, name);
      expect(plain(reason)).toContain(plain(said!));
    },
  );

  test('check finds programs that scripts call and that are missing, unless a script looks for them or can do without', async () => {
    const box = sandbox();
    script(
      box,
      'bad.sh',
      '#!/bin/sh\nx=$(no-such-jq -r .tool_name)\n[ "$x" = y ] && exit 2\nexit 0\n',
    );
    script(box, 'inner.sh', 'sh ./bad.sh\n');
    script(box, 'good.sh', '#!/bin/bash\ncommand -v no-such-a >/dev/null && no-such-a\nif type no-such-b; then no-such-b; fi\nno-such-c || true\nhelp_me() { :; }\nhelp_me\n[ -x ./tool ] && ./tool\ncase $(uname) in Darwin) no-such-d;; esac\n'); // prettier-ignore
    script(box, 'lib.sh', 'say() { :; }\n');
    script(
      box,
      'sources.sh',
      '#!/bin/bash\n. "$(dirname "$0")/lib.sh"\nsay hi\n. "$SOMEWHERE"\nelsewhere\n',
    );
    const commands = ['./bad.sh', 'bash inner.sh', './good.sh', './sources.sh', 'no-such-e || true']; // prettier-ignore
    const problems = await found(box, [{ hooks: commands.map((command) => run(command)) }]);
    expect(problems.map(({ place, code }) => `${place} ${code}`)).toEqual([
      '[0].hooks[0] program-missing',
      '[0].hooks[1] program-missing',
    ]);
    const { stdout } = await inProcess(box, ['check']);
    expect(stdout).toContain('the program "no-such-jq" is not installed here (bad.sh runs it)');
  });

  test('check says before trust is given which files, often edited, end the trust in a hook', async () => {
    const box = sandbox();
    box.write('project/package.json', { scripts: { test: 'true' } });
    box.write('project/package-lock.json', {});
    box.write(box.own.project, { hooks: { BeforeTool: [{ hooks: [run('npm test'), run('exit 0')] }] } }); // prettier-ignore
    const untrusted = { ...box, env: { ...box.env, HOOKMACHINE_TRUST: '' } };
    const { stdout } = await inProcess(untrusted, ['check']);
    expect(stdout).toContain('hooks[0]: runs what package.json, package-lock.json say: a change of what is run there ends its trust; trust it again after such a change'); // prettier-ignore
    expect(stdout.match(/loses-trust/g)).toHaveLength(1);
    expect((await inProcess(box, ['check'])).stdout).toBe('Nothing is wrong with 2 hooks.');
  });

  test('check finds names in matchers that match no known tool, with the nearest one, and accepts those given with --tool', async () => {
    const box = sandbox();
    const groups = ['write_fiel', 'replace|deploy', 'mcp__git__push', '^run_', 'write_file'].map(
      (matcher, at) => ({ matcher, hooks: [run('true', { name: `hook ${at}` })] }),
    );
    box.write(box.files.user, {});
    expect(await found(box, groups.slice(0, 4))).toMatchObject([
      { code: 'matcher', fix: 'write "write_file"' },
      { code: 'matcher', fix: expect.stringContaining('--tool deploy') as string },
    ]);
    expect(await found(box, groups.slice(1, 4), ['--tool', 'deploy'])).toEqual([]);
  });

  test('check says of a matcher with an empty alternative that it matches every tool', async () => {
    const fix = 'remove the "|" that nothing follows or precedes';
    for (const matcher of ['write_file|', '|write_file', '^(write_file|)'])
      expect(await found(sandbox(), before(matcher))).toMatchObject([{ code: 'matcher', fix }]);
    for (const matcher of ['write_file|replace', '^(write|)_file$'])
      expect(await found(sandbox(), before(matcher))).toEqual([]);
  });

  test('check finds misspelt keys, timeouts in the wrong unit and unknown tools in the files of other hosts, and names the unit', async () => {
    const box = sandbox();
    box.write(join(box.project, '.claude/settings.json'), {
      hooks: { PreToolUse: [{ matchers: 'Bash', hooks: [run('true', { timeout: 60_000, timeot: 5 })] }, { matcher: 'bash', hooks: [run('true')] }] }, // prettier-ignore
    });
    box.write(join(box.project, '.gemini/settings.json'), {
      hooks: { BeforeTool: [{ hooks: [run('true', { timeout: 5 })] }] },
    });
    const { stdout } = await inProcess(box, ['check']);
    expect(stdout).toContain('PreToolUse[0].matchers: there is no such key, so it is ignored; write "matcher"'); // prettier-ignore
    expect(stdout).toContain('hooks[0].timeot: there is no such key, so it is ignored; write "timeout"'); // prettier-ignore
    expect(stdout).toContain('is 60000 seconds, so the hook may take 16.7 hours; if milliseconds were meant, write 60'); // prettier-ignore
    expect(stdout).toContain('is 5 ms, so the hook hardly has time to start; if seconds were meant, write 5000'); // prettier-ignore
    expect(stdout).toContain('its matcher "bash" matches no known tool; write "Bash"');
  });

  test('check knows the tools of other hosts, and those of ours that their hooks see', async () => {
    const box = sandbox();
    box.write(join(box.project, '.claude/settings.json'), { hooks: { PreToolUse: before('Workflow|Artifact|Bash') } }); // prettier-ignore
    box.write(join(box.project, '.gemini/settings.json'), { hooks: { BeforeTool: before('tracker_create_task|update_topic') } }); // prettier-ignore
    box.write(join(box.project, '.qwen/settings.json'), { hooks: { PreToolUse: before('task_create') } }); // prettier-ignore
    box.write(join(box.project, '.codex/hooks.json'), { hooks: { PreToolUse: before('get_goal|read_file') } }); // prettier-ignore
    const { stdout } = await inProcess(box, ['check']);
    expect(stdout).toBe('Nothing is wrong with 4 hooks.');
    box.write(join(box.project, '.codex/hooks.json'), { hooks: { PreToolUse: before('exec_command|web_search') } }); // prettier-ignore
    const { stdout: unfit } = await inProcess(box, ['check']);
    expect(unfit).toContain('its matcher "exec_command" matches no known tool');
    expect(unfit).toContain('its matcher "web_search" matches no known tool');
  });

  test('check finds duplicate hooks, hooks that are off, and names in "disabled" that no hook has', async () => {
    const box = sandbox();
    box.write(box.files.project, {
      hooks: { BeforeTool: [{ hooks: [run('true'), run('true'), run('date')] }] },
      hooksConfig: { disabled: ['dat'] },
    });
    const { stdout, exitCode } = await inProcess(box, ['check', '--json']);
    const codes = (JSON.parse(stdout) as { code: string }[]).map(({ code }) => code);
    expect([codes.toSorted(), exitCode]).toEqual([['duplicate', 'off', 'unknown-name'], 1]);
  });

  test('check reports an unreadable file once, whatever else there is', async () => {
    const box = sandbox();
    box.write(box.own.project, '{ "hooks": ');
    const { stdout, exitCode } = await inProcess(box, ['check', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ file: box.own.project, code: 'unreadable' }]);
    expect(exitCode).toBe(1);
  });

  test('check runs nothing of an untrusted project, and says in one line per file that it is not trusted', async () => {
    const box = sandbox();
    script(box, '.kodelet/hooks/tell', `#!/bin/sh\ntouch '${box.folder}/ran'\necho before_tool_call\n`); // prettier-ignore
    box.write(box.own.project, { hooks: { BeforeTool: [{ hooks: [run('true'), run('date')] }] } });
    const untrusted = { ...box, env: { ...box.env, HOOKMACHINE_TRUST: '' } };
    const { stdout, exitCode } = await inProcess(untrusted, ['check', '--json']);
    const problems = JSON.parse(stdout) as { code: string; message: string }[];
    expect(problems.map(({ code }) => code)).toEqual(['untrusted', 'untrusted']);
    expect(problems[0]!.message).toMatch(/^2 hooks are skipped: /);
    expect(exitCode).toBe(1);
    expect((await inProcess(untrusted, ['check', '--trust', '--dialects', 'hookmachine'])).exitCode).toBe(0); // prettier-ignore
  });

  test('check measures only when asked which hooks would gain from prestart, and runs no untrusted hook', async () => {
    const box = sandbox();
    // Half a second before it reads its input is more than a busy machine causes.
    script(box, 'slow.sh', '#!/bin/sh\necho x >> ran\nsleep 0.5\ncat > /dev/null\n');
    script(box, 'quick.sh', '#!/bin/sh\ncat > /dev/null\nsleep 0.5\n');
    const groups = [{ matcher: 'write_file', hooks: [run('./slow.sh'), run('./quick.sh')] }];
    expect(await found(box, groups)).toEqual([]);
    const untrusted = { ...box, env: { ...box.env, HOOKMACHINE_TRUST: '' } };
    await inProcess(untrusted, ['check', '--measure']);
    expect(existsSync(join(box.project, 'ran'))).toBe(false);
    expect(await found(box, groups, ['--measure'])).toMatchObject([
      { place: '[0].hooks[0]', code: 'prestart' },
    ]);
    expect(existsSync(join(box.project, 'ran'))).toBe(true);
  }, 60_000);
});
