import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { call, temporaryFolder, textOf } from './call.ts';

let cwd: string;
beforeEach(async () => {
  cwd = temporaryFolder();
  const files = [
    'index.ts',
    'README.md',
    '.github/ci.yml',
    'src/b.ts',
    'src/a.ts',
    'src/deep/c.TS',
    'src/[id].ts',
    'node_modules/x/index.ts',
    '.git/config.ts',
  ];
  for (const file of files) {
    await mkdir(dirname(join(cwd, file)), { recursive: true });
    await writeFile(join(cwd, file), '');
  }
  await symlink('src', join(cwd, 'alias'));
});

const find = async (args: object) => {
  const [head = '', ...files] = textOf(await call('glob', args, cwd)).split('\n');
  return { head, files };
};

test('files are found in any folder, in order, without node_modules, .git and links', async () => {
  expect(await find({ pattern: '**/*.ts' })).toEqual({
    head: 'Found 5 file(s) matching "**/*.ts" within .:',
    files: ['index.ts', 'src/[id].ts', 'src/a.ts', 'src/b.ts', 'src/deep/c.TS'],
  });
});

test('glob is case-sensitive only on request', async () => {
  const { files } = await find({ pattern: 'src/**/*.ts', case_sensitive: true });
  expect(files).toEqual(['src/[id].ts', 'src/a.ts', 'src/b.ts']);
});

test('the pattern is relative to path, and the files are relative to the project', async () => {
  expect((await find({ pattern: '*.ts', path: 'src' })).files).toEqual([
    'src/[id].ts',
    'src/a.ts',
    'src/b.ts',
  ]);
});

test('glob supports braces, ./ and names with a leading dot', async () => {
  expect((await find({ pattern: './{src,.github}/{a,ci}.*' })).files).toEqual([
    '.github/ci.yml',
    'src/a.ts',
  ]);
});

test('a skipped folder can be searched by its path', async () => {
  expect((await find({ pattern: '**', path: 'node_modules/x' })).files).toEqual([
    'node_modules/x/index.ts',
  ]);
});

test('finding nothing is not an error', async () => {
  const result = await call('glob', { pattern: '*.py' }, cwd);
  expect(result.llmContent).toBe('No files found matching pattern "*.py" within ..');
  expect(result.error).toBeUndefined();
});

test('a path that is not a folder is an error', async () => {
  const result = await call('glob', { pattern: '*', path: 'index.ts' }, cwd);
  expect(result.error?.type).toBe('path_is_not_a_directory');
});

test('a pattern crafted to backtrack is aborted', async () => {
  await writeFile(join(cwd, 'a'.repeat(200)), '');
  const result = await call('glob', { pattern: `${'*a'.repeat(30)}b` }, cwd);
  expect(result.error?.type).toBe('pattern_too_slow');
});

test('an aborted glob call reports that it was cancelled', async () => {
  const result = await call('glob', { pattern: '**' }, cwd, AbortSignal.abort());
  expect(result.error?.type).toBe('cancelled');
});
