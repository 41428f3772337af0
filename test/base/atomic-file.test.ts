import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeAtomically } from '../../src/base/atomic-file.ts';
import { tempFolder } from '../support/temp-folder.ts';

const rights = (file: string) => statSync(file).mode & 0o777;

test('a file that is written atomically has its new content and the requested mode, whatever the umask', () => {
  const file = join(tempFolder(), 'a');
  const umask = process.umask(0o077);
  try {
    writeAtomically(file, 'one', { mode: 0o664 });
  } finally {
    process.umask(umask);
  }
  expect(readFileSync(file, 'utf8')).toBe('one');
  expect(rights(file)).toBe(0o664);
  writeAtomically(file, Buffer.from('two'), { mode: 0o600 });
  expect(readFileSync(file, 'utf8')).toBe('two');
  expect(rights(file)).toBe(0o600);
});

test('a file that is written atomically replaces a link, and the target of the link stays', () => {
  const folder = tempFolder();
  const [file, link] = [join(folder, 'file'), join(folder, 'link')];
  writeFileSync(file, 'old');
  symlinkSync(file, link);
  writeAtomically(link, 'new');
  expect(readFileSync(file, 'utf8')).toBe('old');
  expect(lstatSync(link).isFile()).toBe(true);
});

test('an atomic write that fails leaves the old file and no draft', () => {
  const folder = tempFolder();
  const taken = join(folder, 'taken');
  mkdirSync(join(taken, 'inside'), { recursive: true });
  expect(() => writeAtomically(taken, 'new')).toThrow(`${taken} is not a file`);
  expect(readdirSync(folder)).toEqual(['taken']);
});

test('a pipe is not replaced by a file', () => {
  const pipe = join(tempFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(() => writeAtomically(pipe, 'new')).toThrow(`${pipe} is not a file`);
  expect(lstatSync(pipe).isFIFO()).toBe(true);
});

test.skipIf(process.getuid?.() === 0)(
  'a file can be written atomically into a folder that can be written but not read',
  () => {
    const folder = tempFolder();
    chmodSync(folder, 0o333);
    writeAtomically(join(folder, 'a'), 'new');
    chmodSync(folder, 0o755);
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('new');
  },
);
