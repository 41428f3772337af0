import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import {
  foldersForCode,
  keepCompiled,
  readCompiled,
} from '../../../src/cli/launcher/compiled-code.ts';
import { main } from '../../support/main.ts';
import { group } from '../../support/project.ts';
import { sandbox } from '../../support/sandbox.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const name = 'compiled-1';
const compiled = { code: Buffer.from('code'), withHook: true };

/** A folder in which code has been kept. */
function keptIn(folder = join(tempFolder(), 'cache')): { folder: string; file: string } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  keepCompiled([folder], name, compiled);
  return { folder, file: join(folder, name) };
}

const permissions = (path: string): number => lstatSync(path).mode & 0o777;

describe('compiled code', () => {
  test('compiled code is kept in a folder and a file that only the user can write, and read again', () => {
    const home = tempFolder();
    const folders = foldersForCode('/', { HOME: home }).filter((folder) => folder !== '/');
    expect(folders).toEqual([join(home, '.cache', 'hookmachine')]);
    expect(readCompiled(folders, name)).toBeUndefined();
    keepCompiled(folders, name, compiled);
    expect(readCompiled(folders, name)).toEqual(compiled);
    expect(permissions(folders[0]!)).toBe(0o700);
    expect(permissions(join(folders[0]!, name))).toBe(0o600);
    expect(readdirSync(folders[0]!)).toEqual([name]);
  });

  test.each([
    ['is writable by a group', ({ file }) => chmodSync(file, 0o660)],
    ['is writable by all', ({ file }) => chmodSync(file, 0o602)],
    ['is in a folder that a group can write', ({ folder }) => chmodSync(folder, 0o770)],
    ['is in a folder that all can write', ({ folder }) => chmodSync(folder, 0o1777)],
    [
      'is a link to another file',
      ({ file }) => {
        renameSync(file, `${file}.other`);
        symlinkSync(`${file}.other`, file);
      },
    ],
    [
      'is in a folder that is a link to another',
      ({ folder }) => {
        renameSync(folder, `${folder}.other`);
        symlinkSync(`${folder}.other`, folder);
      },
    ],
    [
      'is not a file',
      ({ file }) => {
        renameSync(file, `${file}.other`);
        spawnSync('mkfifo', ['-m', '600', file]);
      },
    ],
    ['is damaged', ({ file }) => writeFileSync(file, Buffer.from('edoc\x00\x00\x00\x00\x01'))],
  ] satisfies readonly (readonly [string, (kept: ReturnType<typeof keptIn>) => void])[])(
    'compiled code is not read if it %s',
    (_, change) => {
      const kept = keptIn();
      expect(readCompiled([kept.folder], name)).toEqual(compiled);
      change(kept);
      expect(readCompiled([kept.folder], name)).toBeUndefined();
    },
  );

  test.runIf(process.geteuid?.() === 0).each([
    ['it belongs to another user', ({ file }: { file: string }) => chownSync(file, 65_534, 65_534)],
    [
      'its folder belongs to another user',
      ({ folder }: { folder: string }) => chownSync(folder, 65_534, 65_534),
    ],
  ])('compiled code is not read if %s (asked as root)', (_, change) => {
    const kept = keptIn();
    change(kept);
    expect(readCompiled([kept.folder], name)).toBeUndefined();
  });

  test('compiled code is kept in a folder of the user, and nowhere else', () => {
    const open = tempFolder();
    chmodSync(open, 0o777);
    const own = tempFolder();
    expect(foldersForCode(own, {})).toEqual([own]);
    expect(foldersForCode(open, {})).toEqual([]);
    expect(foldersForCode(open, { HOME: 'home', XDG_CACHE_HOME: 'cache' })).toEqual([]);
    expect(foldersForCode(open, { HOME: own, XDG_CACHE_HOME: '/cache' })).toEqual([
      '/cache/hookmachine',
    ]);
    // A file where a folder should be, a folder that others can write: nothing is kept, and nothing thrown.
    writeFileSync(join(own, 'file'), '');
    keepCompiled([join(own, 'file', 'hookmachine'), open], name, compiled);
    expect(readdirSync(open)).toEqual([]);
  });

  test('compiled code of builds that are gone is removed', () => {
    const { folder, file } = keptIn();
    const other = join(folder, 'compiled-2');
    const foreign = join(folder, 'other');
    for (const path of [other, foreign]) copyFileSync(file, path);
    const old = Date.now() / 1000 - 31 * 24 * 60 * 60;
    for (const path of [other, foreign]) utimesSync(path, old, old);
    keepCompiled([folder], name, compiled);
    expect(readdirSync(folder)).toEqual([name, 'other']);
  });
});

const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
const isTwoUsers =
  process.geteuid?.() === 0 &&
  spawnSync(asNobody[0]!, [...asNobody.slice(1), process.execPath, '-e', '0']).status === 0;

const compiledIn = (where: string): readonly string[] =>
  readdirSync(where).filter((file) => file.startsWith('compiled-'));

/** The command in a folder of root's, and a user who has a home. */
function installed() {
  const place = sandbox();
  const folder = join(place.folder, 'package');
  mkdirSync(folder);
  for (const file of ['hookmachine.cjs', 'hookmachine-bundle.js'])
    copyFileSync(join(dirname(main), file), join(folder, file));
  for (const path of [place.folder, folder]) chmodSync(path, 0o755);
  place.write(place.files.project, {
    tools: { enableHooks: true },
    hooks: { BeforeTool: [group('echo no >&2; exit 2')] },
  });
  chownSync(place.home, 65_534, 65_534);
  const cache = join(place.home, '.cache', 'hookmachine');
  const fire = async (user: 'root' | 'nobody') => {
    const [command, ...args] = [
      ...(user === 'nobody' ? asNobody : []),
      process.execPath,
      join(folder, 'hookmachine.cjs'),
      'fire',
      'BeforeTool',
    ];
    const { exitCode, stderr } = await execa(command, args, {
      cwd: place.project,
      env: { ...place.env, HOOKMACHINE_TRUST: '1', TMPDIR: '/tmp' },
      input: '{"tool_name":"write_file","tool_input":{}}',
      reject: false,
    });
    expect([exitCode, stderr]).toEqual([2, '']);
  };
  return { folder, cache, home: place.home, fire };
}

describe.skipIf(!isTwoUsers)(
  isTwoUsers
    ? 'a package that root installed'
    : 'a package that root installed (skipped: this needs root and setpriv)',
  () => {
    test('a package that root installed keeps compiled code in the home of its user, who alone can write there', async () => {
      const { folder, cache, fire } = installed();
      await fire('nobody');
      const [file = ''] = compiledIn(cache);
      const path = join(cache, file);
      expect([lstatSync(cache).uid, permissions(cache)]).toEqual([65_534, 0o700]);
      expect([lstatSync(path).uid, permissions(path)]).toEqual([65_534, 0o600]);
      expect(compiledIn(folder)).toEqual([]);
      // Code that the next run can use is not written again.
      const { ino } = lstatSync(path);
      await fire('nobody');
      expect(lstatSync(path).ino).toBe(ino);
    });

    test('a package that root installed uses no code that another user put there', async () => {
      const { cache, fire } = installed();
      await fire('nobody');
      const path = join(cache, compiledIn(cache)[0]!);
      chownSync(path, 0, 0);
      chmodSync(path, 0o644);
      const poisoned = lstatSync(path).ino;
      await fire('nobody');
      expect(lstatSync(path).ino).not.toBe(poisoned);
      expect(lstatSync(path).uid).toBe(65_534);
    });

    test('a package that root installed leaves nothing of root’s in the home of another user', async () => {
      const { folder, home, fire } = installed();
      await fire('root');
      expect(compiledIn(folder)).toHaveLength(1);
      expect(readdirSync(home)).toEqual([]);
      const path = join(folder, compiledIn(folder)[0]!);
      // Someone else may own the folder by now.
      chmodSync(folder, 0o777);
      const before = readFileSync(path);
      await fire('root');
      expect(readFileSync(path).equals(before)).toBe(true);
      expect(readdirSync(home)).toEqual([]);
    });
  },
);
