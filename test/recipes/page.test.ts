import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inOwnProcess, inProcess } from '../support/in-process.ts';
import { sandbox } from '../support/sandbox.ts';

const page = readFileSync('docs/recipes.md', 'utf8');
const recipes = page
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [title = ''] = section.split('\n');
    const files = [...section.matchAll(/```\w+ title=(\S+)\n([^]*?)\n```/g)];
    return [title, files.map(([, path = '', text = '']) => ({ path, text }))] as const;
  });

test('there are ten recipes, each with an entry, a script and tests', () => {
  expect(recipes.map(([, files]) => files.length)).toEqual(Array(10).fill(3));
});

describe.each(recipes)('the recipe "%s"', (_, files) => {
  test('works as printed: check finds nothing wrong, and its tests pass', async () => {
    const box = sandbox();
    for (const { path, text } of files) {
      const file = box.write(join(box.project, path), `${text}\n`);
      if (text.startsWith('#!')) chmodSync(file, 0o755);
    }
    box.write('project/Makefile', 'test:\n\tfalse\n');
    box.write('project/package.json', '{"a":1}');
    execFileSync('git', ['init', '-q', '-b', 'main', box.project]);
    const checked = await inProcess(box, ['check', '--trust']);
    expect(checked.stdout).toMatch(/^Nothing is wrong/);
    const { stdout, exitCode } = await inProcess(box, ['test', '--trust']);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/ passed, 0 failed/)]);
  });
});

test('the recipes that write something write it', async () => {
  const box = sandbox();
  for (const at of [4, 6, 9])
    for (const { path, text } of recipes[at]![1].slice(1, 2))
      chmodSync(box.write(join(box.project, path), `${text}\n`), 0o755);
  const settings = [4, 6, 9].map(
    (at) => JSON.parse(recipes[at]![1][0]!.text) as { readonly hooks: Record<string, unknown[]> },
  );
  const hooks: Record<string, unknown[]> = {};
  for (const one of settings)
    for (const [event, groups] of Object.entries(one.hooks))
      hooks[event] = [...(hooks[event] ?? []), ...groups];
  box.write(box.own.project, { hooks });
  const file = box.write('project/a.json', '{"a":1}');
  const call = { tool_name: 'write_file', tool_input: { file_path: file }, tool_response: {} };
  await inOwnProcess(box, ['fire', 'tool.after'], JSON.stringify(call));
  expect(readFileSync(file, 'utf8')).toBe('{\n  "a": 1\n}\n');
  const event = { notification_type: 'ToolPermission', message: 'May I?', details: {} };
  await inOwnProcess(box, ['fire', 'notify'], JSON.stringify(event));
  const kept = (name: string): string => {
    const path = join(box.project, '.hookmachine', name);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  // Nobody waits for these two.
  await expect.poll(() => kept('waiting.txt')).toBe('ToolPermission: May I?\n');
  await expect.poll(() => kept('calls.jsonl')).toMatch(/"tool_name": "write_file".*\n$/);
});
