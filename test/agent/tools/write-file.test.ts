import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { call, temporaryFolder } from './call.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

const write = (path: string, content: string) =>
  call('write_file', { file_path: path, content }, cwd);

test('a new file is written together with its folders', async () => {
  const result = await write('src/deep/a.txt', 'ä\n');
  expect(result.llmContent).toBe('Successfully created and wrote to new file: src/deep/a.txt.');
  expect(await readFile(join(cwd, 'src/deep/a.txt'), 'utf8')).toBe('ä\n');
});

test('an existing file is replaced completely and keeps its mode', async () => {
  await writeFile(join(cwd, 'run.sh'), 'a longer content');
  await chmod(join(cwd, 'run.sh'), 0o755);
  const result = await write('run.sh', 'new');
  expect(result.llmContent).toBe('Successfully overwrote file: run.sh.');
  expect(await readFile(join(cwd, 'run.sh'), 'utf8')).toBe('new');
  expect((await stat(join(cwd, 'run.sh'))).mode & 0o777).toBe(0o755);
});

test('a file of 5 MB is written', async () => {
  const content = 'äöü\n'.repeat(750_000);
  await write('big.txt', content);
  expect(await readFile(join(cwd, 'big.txt'), 'utf8')).toBe(content);
});

test('anything that is not a plain file is not written to', async () => {
  await mkdir(join(cwd, 'folder'));
  await writeFile(join(cwd, 'file'), '');
  execFileSync('mkfifo', [join(cwd, 'fifo')]);
  for (const [path, type] of [
    ['folder', 'target_is_directory'],
    ['.', 'target_is_directory'],
    ['fifo', 'not_a_file'],
    ['file/below', 'path_is_not_a_directory'],
  ] as const) {
    expect((await write(path, 'x')).error?.type).toBe(type);
  }
});
