import { chmodSync, chownSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fileFault } from '../../../src/settings/trust/safe-file.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** A file in a folder of its own; both belong to this user alone. */
function some() {
  const root = tempFolder();
  const folder = join(root, 'folder');
  mkdirSync(folder, { mode: 0o755 });
  const file = join(folder, 'file');
  writeFileSync(file, '{}', { mode: 0o644 });
  return { root, folder, file };
}

const isRoot = process.getuid?.() === 0;

describe('who may write a file that grants trust', () => {
  test('a file that only the user and root may write is safe, and so is a missing one', () => {
    const { file, folder } = some();
    expect(fileFault(file)).toBeUndefined();
    expect(fileFault(join(folder, 'none'))).toBeUndefined();
    expect(fileFault(join(folder, 'none', 'deeper'))).toBeUndefined();
    expect(fileFault('/etc/passwd')).toBeUndefined();
  });

  test.each([0o666, 0o664, 0o646, 0o1666])('a file of mode %o is unsafe', (mode) => {
    const { file } = some();
    chmodSync(file, mode);
    expect(fileFault(file)).toEqual({
      message: `can be written by others (${file})`,
      fix: `check what it says, then remove that permission: chmod go-w ${JSON.stringify(file)}`,
    });
  });

  test.each([0o777, 0o775, 0o1777, 0o757])('a file in a folder of mode %o is unsafe', (mode) => {
    const { file, folder } = some();
    chmodSync(folder, mode);
    expect(fileFault(file)?.message).toBe(`can be written by others (${folder})`);
  });

  test('a file that others may write because of a folder on the way is unsafe', () => {
    const { root, file } = some();
    chmodSync(root, 0o777);
    expect(fileFault(file)?.message).toBe(`can be written by others (${root})`);
  });

  test('a link is unsafe if others may write where it leads, or if it leads to itself', () => {
    const { root, file, folder } = some();
    const link = join(root, 'link');
    symlinkSync(file, link);
    expect(fileFault(link)).toBeUndefined();
    chmodSync(folder, 0o777);
    expect(fileFault(link)?.message).toBe(`can be written by others (${folder})`);
    const round = join(root, 'round');
    symlinkSync(round, round);
    expect(fileFault(round)?.message).toBe('is reached through too many links');
  });

  test.runIf(isRoot).each(['file', 'folder', 'root'] as const)(
    'a file is unsafe if another user owns the %s',
    (which) => {
      const paths = some();
      chownSync(paths[which], 4321, 4321);
      expect(fileFault(paths.file)).toEqual({
        message: `belongs to another user (uid 4321 owns ${paths[which]})`,
        fix: `give it to this user: chown 0 ${JSON.stringify(paths[which])}`,
      });
    },
  );

  test.runIf(isRoot)('a file is unsafe if another user owns a link on the way', () => {
    const { root, folder } = some();
    const link = join(root, 'link');
    symlinkSync(folder, link);
    lchownSync(link, 4321, 4321);
    expect(fileFault(join(link, 'file'))?.message).toContain('belongs to another user');
  });
});
