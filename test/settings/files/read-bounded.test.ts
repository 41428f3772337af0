import { execFileSync } from 'node:child_process';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { longestFile, readBounded } from '../../../src/settings/files/read-bounded.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** A file in a folder of the test's own. */
function fileWith(content: string | Buffer): string {
  const file = join(tempFolder(), 'file');
  writeFileSync(file, content);
  return file;
}

/** A link in a folder of the test's own, as a project may contain it. */
function linkTo(target: string): string {
  const link = join(tempFolder(), 'link');
  symlinkSync(target, link);
  return link;
}

const textIn = (file: string, longest?: number): string | undefined => {
  const read = readBounded(file, longest);
  return 'bytes' in read ? read.bytes.toString() : read.refused;
};

test.each([0, 1, 4_095, 4_096, 4_097, 100_000])('a file of %d bytes is read whole', (size) => {
  expect(textIn(fileWith('x'.repeat(size)))).toBe('x'.repeat(size));
});

test('a file may be as long as the limit, but not a byte longer', () => {
  expect(textIn(fileWith('x'.repeat(10)), 10)).toBe('x'.repeat(10));
  expect(textIn(fileWith('x'.repeat(11)), 10)).toBe('too long');
  expect(textIn(fileWith('x'.repeat(longestFile)))).toHaveLength(longestFile);
  expect(textIn(fileWith('x'.repeat(longestFile + 1)))).toBe('too long');
});

test('an empty sparse file of a terabyte is refused because of its size', () => {
  const file = fileWith('');
  truncateSync(file, 2 ** 40);
  expect(textIn(file)).toBe('too long');
});

test('a folder, a device and a pipe without a writer are refused as not being files', () => {
  const pipe = join(tempFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const path of [tempFolder(), '/dev/zero', '/dev/null', pipe, linkTo('/dev/tty')])
    expect(textIn(path)).toBe('not a file');
});

test('reading a missing file throws the system error', () => {
  expect(() => readBounded(join(tempFolder(), 'none'))).toThrow(/ENOENT/);
  expect(() => readBounded(join(fileWith(''), 'below'))).toThrow(/ENOTDIR/);
});

test.runIf(process.platform === 'linux')(
  'a file of /proc is read whatever size it reports, and one without an end is abandoned at the limit',
  () => {
    expect(textIn(linkTo('/proc/self/status'))).toMatch(/^Name:/);
    expect(textIn(linkTo('/proc/self/pagemap'))).toBe('too long');
  },
);
