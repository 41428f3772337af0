import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { call, temporaryFolder } from './call.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

const replace = (old_string: string, new_string: string, rest: object = {}) =>
  call('replace', { file_path: 'a.txt', old_string, new_string, ...rest }, cwd);
const write = (content: string | Buffer) => writeFile(join(cwd, 'a.txt'), content);
const content = () => readFile(join(cwd, 'a.txt'), 'utf8');

test('a text that occurs once is replaced', async () => {
  await write('one two three');
  const result = await replace('two', '2');
  expect(result.llmContent).toBe('Successfully modified file: a.txt (1 replacement).');
  expect(await content()).toBe('one 2 three');
});

test('both texts are taken literally', async () => {
  await write('a.c abc');
  await replace('a.c', "$& $1 $' \\n");
  expect(await content()).toBe("$& $1 $' \\n abc");
});

test('several occurrences are replaced when their number is expected', async () => {
  await write('a a a');
  const result = await replace('a', 'b', { expected_replacements: 3 });
  expect(result.llmContent).toContain('(3 replacements)');
  expect(await content()).toBe('b b b');
});

test('an unexpected number of occurrences changes nothing and is reported', async () => {
  await write('a a a');
  const result = await replace('a', 'b');
  expect(result.error?.type).toBe('edit_expected_occurrence_mismatch');
  expect(result.llmContent).toContain('expected 1 occurrence of old_string but found 3');
  expect(await content()).toBe('a a a');
});

test('a text that does not occur is reported', async () => {
  await write('a');
  const result = await replace('b', 'c');
  expect(result.error?.type).toBe('edit_no_occurrence_found');
  expect(await content()).toBe('a');
});

test('replacing a text with itself is an error', async () => {
  await write('a');
  expect((await replace('a', 'a')).error?.type).toBe('edit_no_change');
});

test('an empty old_string creates a file and its folders', async () => {
  const result = await replace('', 'new', { file_path: 'src/b.txt' });
  expect(result.llmContent).toBe('Created new file: src/b.txt with provided content.');
  expect(await readFile(join(cwd, 'src/b.txt'), 'utf8')).toBe('new');
});

test('an empty old_string does not overwrite a file', async () => {
  await write('');
  expect((await replace('', 'new')).error?.type).toBe('attempt_to_create_existing_file');
  await mkdir(join(cwd, 'folder'));
  const result = await replace('', 'new', { file_path: 'folder' });
  expect(result.error?.type).toBe('attempt_to_create_existing_file');
  expect(await content()).toBe('');
});

test('a missing file is an error that says how to create it', async () => {
  const result = await replace('a', 'b');
  expect(result.error?.type).toBe('file_not_found');
  expect(result.llmContent).toContain('empty old_string');
});

test('in a file with Windows line endings, lines match and keep their endings', async () => {
  await write('one\r\ntwo\r\nthree\r\n');
  await replace('one\ntwo', '1\n2');
  expect(await content()).toBe('1\r\n2\r\nthree\r\n');
});

test('mixed line endings are left as they are', async () => {
  await write('one\r\ntwo\nthree\n');
  await replace('two\nthree', '2\n3');
  expect(await content()).toBe('one\r\n2\n3\n');
});

test('a byte order mark is kept', async () => {
  await write('\uFEFFone');
  await replace('one', 'two');
  expect(await content()).toBe('\uFEFFtwo');
});

test('a file that is not UTF-8 is left unchanged', async () => {
  const latin1 = Buffer.from('caf\xe9 one', 'latin1');
  await write(latin1);
  expect((await replace('one', 'two')).error?.type).toBe('not_utf8');
  expect(await readFile(join(cwd, 'a.txt'))).toEqual(latin1);
});

test('a binary file is not edited', async () => {
  await write(Buffer.from([0, 97, 0]));
  expect((await replace('a', 'b')).error?.type).toBe('binary_file');
});
