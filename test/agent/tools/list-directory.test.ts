import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { call, temporaryFolder } from './call.ts';

let cwd: string;
beforeEach(async () => {
  cwd = temporaryFolder();
  await mkdir(join(cwd, 'src'));
  await mkdir(join(cwd, 'empty'));
  for (const name of ['b.txt', 'a.log', '.env', 'src/c.txt']) await writeFile(join(cwd, name), '');
  await symlink('src', join(cwd, 'alias'));
});

const list = (args: object) => call('list_directory', args, cwd);

test('folders come first, the rest is sorted by name, and links are marked', async () => {
  const result = await list({ path: '.' });
  expect(result.llmContent).toBe(
    'Directory listing for .:\n[DIR] empty\n[DIR] src\n.env\na.log\n[LINK] alias\nb.txt',
  );
  expect(result.returnDisplay).toBe('Listed 6 item(s).');
});

test('without a path the project folder is listed', async () => {
  expect((await list({})).llmContent).toBe((await list({ path: cwd })).llmContent);
});

test('names that match an ignore pattern are omitted and counted', async () => {
  const result = await list({ dir_path: '.', ignore: ['*.{log,txt}', '.*', 'e[m]pty'] });
  expect(result.llmContent).toBe('Directory listing for . (4 ignored):\n[DIR] src\n[LINK] alias');
});

test('an empty folder is reported as empty', async () => {
  expect((await list({ path: 'empty' })).llmContent).toBe('Directory empty is empty.');
});

test('a long listing is capped, and the cap is reported', async () => {
  const names = Array.from({ length: 1200 }, (_, index) => join(cwd, 'empty', `${index}`));
  await Promise.all(names.map((name) => writeFile(name, '')));
  expect((await list({ path: 'empty' })).llmContent).toMatch(/\n\[200 more not shown\]$/);
});

test('a file or a missing folder is an error', async () => {
  expect((await list({ path: 'b.txt' })).error?.type).toBe('path_is_not_a_directory');
  expect((await list({ path: 'missing' })).error?.type).toBe('file_not_found');
});
