import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../src/base/folders.ts';
import { tempFolder } from '../support/temp-folder.ts';

it('makeFolder creates all missing folders with the mode, and leaves those that exist as they are', () => {
  const folder = tempFolder();
  const before = statSync(folder).mode;
  makeFolder(join(folder, 'one', 'two'), 0o700);
  makeFolder(join(folder, 'one', 'two'));
  expect(statSync(join(folder, 'one')).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'one', 'two')).mode & 0o777).toBe(0o700);
  expect(statSync(folder).mode).toBe(before);
});

it('makeFolder says which folder cannot be created, and returns at once even where Node.js never does', () => {
  const folder = tempFolder();
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const link = join(folder, 'link');
  symlinkSync(join(folder, 'nowhere'), link);
  const tooDeep = join(folder, ...Array.from({ length: 100 }, () => 'x'));
  for (const [path, message] of [
    ['/proc/nope/x', 'the folder /proc/nope cannot be created (ENOENT)'],
    [join(file, 'x'), `the folder ${file} cannot be created (EEXIST)`],
    [join(link, 'x'), `the folder ${link} cannot be created (EEXIST)`],
    [tooDeep, `the folder ${tooDeep} cannot be created (ENAMETOOLONG)`],
  ] as const)
    expect(() => makeFolder(path)).toThrow(message);
  expect(existsSync(join(folder, 'x'))).toBe(false);
});
