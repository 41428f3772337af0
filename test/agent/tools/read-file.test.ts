import { execFileSync } from 'node:child_process';
import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { call, temporaryFolder, textOf } from './call.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

const read = (args: object) => call('read_file', { file_path: 'a.txt', ...args }, cwd);
const write = (content: string | Buffer) => writeFile(join(cwd, 'a.txt'), content);

test('a whole file is returned as it is', async () => {
  await write('ä\r\n€\n\n');
  const result = await read({});
  expect(result.llmContent).toBe('ä\r\n€\n\n');
  expect(result.returnDisplay).toBe('Read a.txt (3 lines).');
  expect(result.error).toBeUndefined();
});

test('an absolute path inside the project is accepted', async () => {
  await write('here');
  expect((await read({ file_path: join(cwd, 'a.txt') })).llmContent).toBe('here');
});

test('offset and limit show a part of the file and say which', async () => {
  await write('one\ntwo\nthree\nfour\n');
  expect((await read({ offset: 1, limit: 2 })).llmContent).toBe(
    '[Lines 2 to 3 of the 4 lines of a.txt. Read on with offset 3.]\ntwo\nthree',
  );
  expect((await read({ offset: 3 })).llmContent).toBe(
    '[Lines 4 to 4 of the 4 lines of a.txt.]\nfour',
  );
  expect((await read({ limit: 4 })).llmContent).toBe('one\ntwo\nthree\nfour\n');
});

test('an offset past the end is an error that gives the length', async () => {
  await write('one\n');
  const result = await read({ offset: 1 });
  expect(result.error?.type).toBe('invalid_tool_params');
  expect(result.llmContent).toContain('has 1 line,');
});

test('an empty file is returned as an empty text', async () => {
  await write('');
  expect((await read({})).llmContent).toBe('');
});

test('a file of 5 MB is shown up to the line limit', async () => {
  await write('0123456789abcdef0123456789abcdef0123456789abcdef\n'.repeat(110_000));
  const text = textOf(await read({}));
  expect(text).toMatch(
    /^\[Lines 1 to 2000 of the 110000 lines of a\.txt\. Read on with offset 2000\.\]/,
  );
  expect(text.split('\n')).toHaveLength(2001);
});

test('a line of 5 MB is cut, but never inside a character', async () => {
  await write(`a${'😀'.repeat(1_300_000)}`);
  const text = textOf(await read({}));
  expect(text.length).toBeLessThan(3000);
  expect(text).toContain('Lines longer than 2000 characters are cut.');
  expect(text).toMatch(/😀… \[\d+ more characters\]$/u);
});

test('anything that is not a text file is refused with advice', async () => {
  await mkdir(join(cwd, 'folder'));
  await writeFile(join(cwd, 'image'), Buffer.from([0x89, 0x50, 0, 1]));
  await writeFile(join(cwd, 'huge'), '');
  await truncate(join(cwd, 'huge'), 21 * 1024 * 1024);
  execFileSync('mkfifo', [join(cwd, 'fifo')]);
  for (const [path, type] of [
    ['missing', 'file_not_found'],
    ['image/below', 'path_is_not_a_directory'],
    ['folder', 'target_is_directory'],
    ['image', 'binary_file'],
    ['huge', 'file_too_large'],
    ['fifo', 'not_a_file'],
  ] as const) {
    const result = await read({ file_path: path });
    expect(result.error?.type).toBe(type);
    expect(result.llmContent).toContain(path);
  }
});
