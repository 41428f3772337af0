import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hookmachine } from '../support/hookmachine.ts';
import { sandbox } from '../support/sandbox.ts';

const page = readFileSync('docs/hooks.md', 'utf8');
const [, settings] = /## Two hooks to begin with[^]*?```json\n([^]*?)```/.exec(page)!;

test('the two hooks to begin with work as printed, in a repository in which an agent works, and stay trusted', async () => {
  const box = sandbox();
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-C', box.project, '-c', 'user.name=x', '-c', 'user.email=x@x', ...args]);
  const env = { ...box.env, HOOKMACHINE_TRUST: '', npm_config_update_notifier: 'false' };
  const run = (args: readonly string[], input = '') =>
    hookmachine({ project: box.project, env }, args, input);
  box.write(box.own.project, settings);
  box.write('project/package.json', { name: 'demo', version: '1.0.0', scripts: { test: 'sh test.sh' } }); // prettier-ignore
  box.write('project/test.sh', 'grep -q done src/a.js || { echo "a.js is not done"; exit 1; }\n');
  const bin = box.write('project/node_modules/.bin/prettier', '#!/bin/sh\neval file="\\${$#}"\necho "// formatted" >> "$file"\n'); // prettier-ignore
  chmodSync(bin, 0o755);
  git('init', '-q');
  await run(['trust', '--yes']);
  await run(['install', 'claude-code']);

  const write = async (text: string) => {
    const file = box.write('project/src/a.js', text);
    const event = { tool_name: 'write_file', tool_input: { file_path: file }, tool_response: {} };
    const { stdout, stderr } = await run(['fire', 'AfterTool'], JSON.stringify(event));
    expect([JSON.parse(stdout), stderr]).toMatchObject([{ hookCount: 1, success: true }, '']);
    expect(readFileSync(file, 'utf8')).toBe(`${text}// formatted\n`);
  };
  const stop = async (isActive: boolean) => {
    const event = { prompt: 'x', prompt_response: 'y', stop_hook_active: isActive };
    const { stdout } = await run(['fire', 'AfterAgent'], JSON.stringify(event));
    return JSON.parse(stdout) as { blocked: boolean; hookCount: number; reason: string | null };
  };

  await write('// to do\n');
  git('add', '-A');
  git('commit', '-qm', 'one');
  expect(await stop(false)).toMatchObject({
    hookCount: 1,
    blocked: true,
    reason: expect.stringContaining('a.js is not done'),
  });
  expect(await stop(true)).toMatchObject({ hookCount: 1, blocked: false });
  await write('// done\n');
  box.write('project/README.md', '# Demo\n');
  git('commit', '-qam', 'two');
  expect(await stop(false)).toMatchObject({ hookCount: 1, blocked: false });

  // What `npm test` runs is another thing now.
  box.write('project/package.json', { name: 'demo', version: '1.0.0', scripts: { test: 'true' } });
  const { stderr } = await run(['fire', 'AfterAgent'], '{"prompt":"x","prompt_response":"y","stop_hook_active":false}'); // prettier-ignore
  expect(stderr).toContain('"package.json", which says what it runs, has changed since you trusted it; look at what it runs, then allow it: hookmachine trust'); // prettier-ignore
}, 120_000);
