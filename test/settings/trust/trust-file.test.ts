import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  isFault,
  readTrustFile,
  type ProjectTrust,
} from '../../../src/settings/trust/read-trust.ts';
import { recordTrust, TrustFileError } from '../../../src/settings/trust/write-trust.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const trust: ProjectTrust = {
  trustedAt: '2026-01-01T00:00:00.000Z',
  hooks: [
    {
      event: 'BeforeTool',
      name: 'one',
      place: 'hooks.BeforeTool[0].hooks[0]',
      definition: 'abc',
      text: 'command: ./a.sh',
      absent: ['b.sh'],
      unfollowed: ['"make" may run or read any file'],
      selected: [{ pattern: 'hooks.d/*', files: ['hooks.d/a'] }],
      scripts: [
        { path: 'a.sh', realPath: '/p/a.sh', size: 1, sha256: 'def' },
        { path: 'Makefile', realPath: '/p/Makefile', size: 1, sha256: 'fed', isManifest: true },
      ],
    },
  ],
};

const some = () => join(tempFolder(), 'home', '.hookmachine', 'trust.json');
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** A trust file with this text. */
function fileWith(text: string): string {
  const file = join(tempFolder(), 'trust.json');
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

describe('the trust file', () => {
  test('the trust file holds each project separately, and one can be removed', () => {
    const file = some();
    recordTrust(file, '/one', trust);
    recordTrust(file, '/two', { ...trust, hooks: [] });
    expect(readTrustFile(file)).toEqual(
      new Map([
        ['/one', trust],
        ['/two', { ...trust, hooks: [] }],
      ]),
    );
    recordTrust(file, '/one', undefined);
    expect(readTrustFile(file)).toEqual(new Map([['/two', { ...trust, hooks: [] }]]));
  });

  test('only its owner can access the trust file, whatever the umask, and no other file is left behind', () => {
    const file = some();
    const umask = process.umask(0);
    try {
      recordTrust(file, '/one', trust);
      recordTrust(file, '/two', trust);
    } finally {
      process.umask(umask);
    }
    expect([mode(file), mode(join(file, '..'))]).toEqual(['600', '700']);
    expect(readdirSync(join(file, '..'))).toEqual(['trust.json']);
  });

  test('a missing trust file trusts nothing and is not a fault', () => {
    expect(readTrustFile(some())).toEqual(new Map());
    expect(readTrustFile(join(fileWith(''), 'below a file'))).toEqual(new Map());
  });

  test.each([
    '',
    'junk',
    '{',
    'null',
    '5',
    '[]',
    '{}',
    '{"version":"1","projects":{}}',
    '{"version":0,"projects":{}}',
    '{"version":1}',
    '{"version":1,"projects":[]}',
    '{"version":1,"projects":{"/p":true}}',
    '{"version":1,"projects":{"/p":{"trustedAt":"","hooks":[{}]}}}',
    '\0\u0001',
  ])('a trust file that holds %j is corrupt, and is replaced by a new one but kept', (text) => {
    const file = fileWith(text);
    expect(readTrustFile(file)).toMatchObject({ message: 'is corrupt' });
    expect(recordTrust(file, '/one', trust)).toEqual({ backup: `${file}.bak` });
    expect(readFileSync(`${file}.bak`, 'utf8')).toBe(text);
    expect(readTrustFile(file)).toEqual(new Map([['/one', trust]]));
    writeFileSync(file, 'again');
    expect(recordTrust(file, '/one', trust)).toEqual({ backup: `${file}.bak1` });
    expect(readFileSync(`${file}.bak`, 'utf8')).toBe(text);
  });

  test('a trust file of a newer version trusts nothing and stays as it is', () => {
    const text = '{"version":4,"projects":{"/one":"in another form"}}';
    const file = fileWith(text);
    expect(readTrustFile(file)).toMatchObject({
      message: 'was written by a newer hookmachine (version 4)',
      fix: 'update hookmachine, or move the file away',
    });
    expect(() => recordTrust(file, '/one', trust)).toThrow(
      `the trust file ${file} was written by a newer hookmachine (version 4); update hookmachine`,
    );
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('a trust file that others may write trusts nothing', () => {
    const file = some();
    recordTrust(file, '/one', trust);
    chmodSync(file, 0o666);
    expect(readTrustFile(file)).toMatchObject({ message: `can be written by others (${file})` });
    expect(() => recordTrust(file, '/two', trust)).toThrow(TrustFileError);
  });

  test('a trust file that is not a file or is unreadable trusts nothing and stays as it is', () => {
    const folder = tempFolder();
    expect(readTrustFile(folder)).toMatchObject({ message: 'is not a file' });
    expect(() => recordTrust(folder, '/one', trust)).toThrow(TrustFileError);
    const loop = join(folder, 'loop');
    symlinkSync(loop, loop);
    expect(readTrustFile(loop)).toMatchObject({ message: 'cannot be read (ELOOP)' });
    const unreadable = fileWith('{}');
    chmodSync(unreadable, 0);
    expect(isFault(readTrustFile(unreadable))).toBe(true);
  });

  test('a trust file that is a link stays a link', () => {
    const folder = tempFolder();
    const [file, target] = [join(folder, 'link'), join(folder, 'dotfiles')];
    writeFileSync(target, '{"version":1,"projects":{}}');
    symlinkSync(target, file);
    recordTrust(file, '/one', trust);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(readTrustFile(target)).toEqual(new Map([['/one', trust]]));
  });

  test('recording trust in a folder that cannot be created throws', () => {
    const file = join(fileWith(''), 'folder', 'trust.json');
    expect(() => recordTrust(file, '/one', trust)).toThrow(
      `trust cannot be recorded in ${file}: the folder ${dirname(dirname(file))} cannot be created (EEXIST)`,
    );
  });

  test('recording trust does not wait for an abandoned lock', () => {
    const file = some();
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(`${file}.lock`, '');
    utimesSync(`${file}.lock`, new Date(0), new Date(0));
    recordTrust(file, '/one', trust);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });
});
