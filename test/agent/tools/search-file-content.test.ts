import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { call, temporaryFolder, textOf } from './call.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

const search = (args: object) => call('search_file_content', args, cwd);

const filesOf = async (include: string, path = '.') =>
  textOf(await search({ pattern: 'x', include, path })).match(/(?<=File: ).*/g);

async function write(files: Record<string, string | Buffer>): Promise<void> {
  for (const [file, content] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, file)), { recursive: true });
    await writeFile(join(cwd, file), content);
  }
}

test('matching lines are shown by file with their numbers, ignoring case', async () => {
  await write({ 'src/a.ts': 'one\r\n  Needle();\r\n', 'b.md': 'needle\nx\nneedle 2', 'c.md': 'x' });
  const result = await search({ pattern: 'needle' });
  expect(result.llmContent).toBe(
    [
      'Found 3 matches for pattern "needle" in path ".":',
      '---',
      'File: b.md',
      'L1: needle',
      'L3: needle 2',
      '---',
      'File: src/a.ts',
      'L2:   Needle();',
      '---',
    ].join('\n'),
  );
  expect(result.returnDisplay).toBe('Found 3 matches');
});

test('include accepts names in any folder, or paths', async () => {
  await write({ 'src/a.ts': 'x', 'src/deep/b.ts': 'x', 'c.md': 'x' });
  expect(await filesOf('*.ts')).toEqual(['src/a.ts', 'src/deep/b.ts']);
  expect(await filesOf('src/*')).toEqual(['src/a.ts']);
  expect(await filesOf('*.{md,py}')).toEqual(['c.md']);
  expect(await filesOf('deep/**', 'src')).toEqual(['src/deep/b.ts']);
});

test('path can name a single file', async () => {
  await write({ 'src/a.ts': 'x', 'src/b.ts': 'x' });
  const { llmContent } = await search({ pattern: 'x', path: 'src/b.ts' });
  expect(llmContent).toBe(
    'Found 1 match for pattern "x" in path "src/b.ts":\n---\nFile: src/b.ts\nL1: x\n---',
  );
});

test('binary files, node_modules and .git are skipped, and files that are too large are named', async () => {
  await write({
    binary: Buffer.from('needle\0'),
    'node_modules/a.js': 'needle',
    '.git/a': 'needle',
    'huge.txt': 'needle',
  });
  await truncate(join(cwd, 'huge.txt'), 21 * 1024 * 1024);
  expect((await search({ pattern: 'needle' })).llmContent).toBe(
    'No matches found for pattern "needle" in path ".".\n[Too large to search: huge.txt.]',
  );
});

// Retried because on a very slow machine the search reports that it took too long.
test('5 MB are searched', { retry: 5 }, async () => {
  await write({ 'big.txt': `${'0123456789abcdef\n'.repeat(300_000)}needle\n` });
  expect((await search({ pattern: 'nee+dle$' })).llmContent).toContain('L300001: needle');
});

test('matches are capped, and the cap is reported', async () => {
  await write({ 'a.txt': 'x\n'.repeat(500), 'b.txt': 'x\n', 'c.txt': 'x\n' });
  const text = textOf(await search({ pattern: 'x' }));
  expect(text.match(/^L\d/gm)).toHaveLength(500);
  expect(text).toContain('[Stopped after 500 matches: narrow the search.]');
  expect(text).not.toContain('b.txt');
});

test('a search with exactly the maximum number of matches is not reported as capped', async () => {
  await write({ 'a.txt': 'x\n'.repeat(500) });
  expect((await search({ pattern: 'x' })).llmContent).not.toContain('Stopped');
});

test('long lines are cut in search results', async () => {
  await write({ 'a.txt': `needle${'x'.repeat(10_000)}` });
  expect((await search({ pattern: 'needle' })).llmContent).toContain('… [9506 more characters]');
});

test('a catastrophic pattern is aborted and reported', async () => {
  await write({ 'a.txt': `${'a'.repeat(50)}b` });
  const result = await search({ pattern: '^(a+)+$' });
  expect(result.error?.type).toBe('pattern_too_slow');
  expect(result.llmContent).toContain('a.txt');
});

test('the other files are searched if a pattern is too slow on one', async () => {
  await write({ 'a.txt': `${'a'.repeat(50)}b`, 'b.txt': 'aaa' });
  const result = await search({ pattern: '^(a+)+$' });
  expect(result.error).toBeUndefined();
  expect(result.llmContent).toContain('File: b.txt');
  expect(result.llmContent).toContain('[The pattern took too long on a.txt.]');
});

test('a pattern that is too slow on several files ends the search', async () => {
  const slow = `${'a'.repeat(50)}b`;
  await write({ '1': 'aa', '2': slow, '3': slow, '4': slow, '5': 'aa' });
  const { llmContent } = await search({ pattern: '^(a+)+$' });
  expect(llmContent).toContain('took too long on 2, 3, 4. The search stopped there');
  expect(llmContent).not.toContain('File: 5');
});

test('a pattern that is not a regular expression is an error', async () => {
  const result = await search({ pattern: '(' });
  expect(result.error?.type).toBe('invalid_pattern');
});

test('a missing path and an aborted call are errors', async () => {
  expect((await search({ pattern: 'x', path: 'missing' })).error?.type).toBe('file_not_found');
  const aborted = await call('search_file_content', { pattern: 'x' }, cwd, AbortSignal.abort());
  expect(aborted.error?.type).toBe('cancelled');
});
