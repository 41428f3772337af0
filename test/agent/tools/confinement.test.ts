import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { call, temporaryFolder } from './call.ts';

let cwd: string;
let outside: string;

beforeEach(async () => {
  const folder = temporaryFolder();
  cwd = join(folder, 'project');
  outside = join(folder, 'project-secrets');
  await mkdir(cwd);
  await mkdir(outside);
  await writeFile(join(outside, 'secret.txt'), 'secret');
  await symlink(outside, join(cwd, 'way-out'));
  await symlink(join(outside, 'secret.txt'), join(cwd, 'secret-link'));
  await symlink(join(outside, 'not-yet.txt'), join(cwd, 'dangling'));
  await symlink('a-file-to-come.txt', join(cwd, 'dangling-inside'));
  await symlink('../../project', join(cwd, 'dangling-relative'));
});

const fileTools: [tool: string, rest: object][] = [
  ['read_file', {}],
  ['write_file', { content: 'changed' }],
  ['replace', { old_string: 'secret', new_string: 'changed' }],
  ['replace', { old_string: '', new_string: 'changed' }],
];

const escapes = [
  '../project-secrets/secret.txt',
  'deep/../../project-secrets/new.txt',
  '/etc/passwd',
  'way-out/secret.txt',
  'way-out/not-yet.txt',
  'way-out/new-folder/not-yet.txt',
  'way-out/../way-out/secret.txt',
  'secret-link',
  'dangling',
  'dangling/below',
  'dangling-inside',
  'dangling-relative',
];

describe.each(fileTools)('%s %o', (tool, rest) => {
  test.each(escapes)('a file tool refuses the path %s', async (path) => {
    const result = await call(tool, { file_path: path, ...rest }, cwd);
    expect(result.error?.type).toBe('path_outside_project');
    expect(result.llmContent).toContain(path);
    expect(result.llmContent).toContain(cwd);
    expect(await readdir(outside)).toEqual(['secret.txt']);
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
    expect(existsSync(join(cwd, 'a-file-to-come.txt'))).toBe(false);
  });
});

test.each([
  ['list_directory', {}],
  ['glob', { pattern: '**' }],
  ['search_file_content', { pattern: 'secret' }],
  ['run_shell_command', { command: 'ls' }],
])('%s refuses folders outside the project', async (tool, rest) => {
  for (const dir_path of ['..', '/', 'way-out', 'dangling', outside]) {
    const result = await call(tool, { dir_path, ...rest }, cwd);
    expect(result.error?.type, dir_path).toBe('path_outside_project');
  }
});

test.each(['../**', '/etc/*', 'x/../../**', '{a,b}/../../*'])(
  'glob refuses the pattern %s',
  async (pattern) => {
    const result = await call('glob', { pattern }, cwd);
    expect(result.error?.type).toBe('path_outside_project');
  },
);

test.each(['way-out/**', '{way-out,x}/*', '**/secret*', '{..,x}/**'])(
  'glob finds nothing behind a link with %s',
  async (pattern) => {
    const result = await call('glob', { pattern }, cwd);
    expect(result.llmContent).toMatch(/^No files found/);
  },
);

test('a search does not read through links', async () => {
  const result = await call('search_file_content', { pattern: 'secret' }, cwd);
  expect(result.llmContent).toMatch(/^No matches found/);
});

test('links that stay inside are followed, and the real file is named', async () => {
  await mkdir(join(cwd, 'src'));
  await writeFile(join(cwd, 'src/a.txt'), 'here');
  await symlink('src', join(cwd, 'alias'));
  const result = await call('write_file', { path: 'alias/b.txt', content: 'new' }, cwd);
  expect(result.llmContent).toContain('src/b.txt');
  expect(await readFile(join(cwd, 'src/b.txt'), 'utf8')).toBe('new');
  expect((await call('read_file', { path: 'alias/a.txt' }, cwd)).llmContent).toBe('here');
});

test('the project itself can be reached through a link, by either name', async () => {
  await writeFile(join(cwd, '..a.txt'), 'here');
  const alias = join(outside, 'alias');
  await symlink(cwd, alias);
  for (const path of ['..a.txt', join(cwd, '..a.txt'), join(alias, '..a.txt')]) {
    const result = await call('read_file', { absolute_path: path }, alias);
    expect(result.llmContent, path).toBe('here');
  }
});

test('links in a circle and impossible names are reported, not thrown', async () => {
  await symlink('round', join(cwd, 'round'));
  await symlink('nowhere/../self', join(cwd, 'self'));
  for (const [path, type] of [
    ['round', 'invalid_path'],
    ['self', 'path_outside_project'],
    ['a\0b', 'invalid_path'],
    ['x'.repeat(300), 'invalid_path'],
  ] as const) {
    const result = await call('read_file', { path }, cwd);
    expect(result.error?.type).toBe(type);
  }
});
